import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port of this machine over which so many bytes a second pass in each direction, and which holds a few of them at most. */
export interface SlowLink extends AsyncDisposable {
  readonly port: number;
  /** bytes that have passed, in both directions */
  readonly passed: number;
}

const TURN_MS = 20;

export async function slowLink(port: number, bytesPerSecond: number): Promise<SlowLink> {
  const sockets = new Set<Socket>();
  let passed = 0;

  async function lead(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) {
        const bytes = (piece as Buffer).length;
        passed += bytes;
        if (!to.write(piece as Buffer)) await once(to, 'drain');
        await new Promise((resolve) => setTimeout(resolve, Math.max(TURN_MS, (bytes / bytesPerSecond) * 1000)));
      }
      to.end();
    } catch {
      to.destroy();
    }
  }

  // What is read at once is what passes in one turn.
  const highWaterMark = Math.max(1_024, Math.floor((bytesPerSecond * TURN_MS) / 1000));
  const server = createServer({ noDelay: true, highWaterMark }, (socket) => {
    const onward = connect({ port, host: '127.0.0.1', noDelay: true, readableHighWaterMark: highWaterMark } as never);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => sockets.delete(one));
    }
    void lead(socket, onward);
    void lead(onward, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get passed() {
      return passed;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
