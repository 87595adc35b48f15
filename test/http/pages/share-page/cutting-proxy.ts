import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can break, and that knows what was asked. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** numbers of bytes from the server after which all connections break, one after another, each counted from the break before */
  readonly cuts: number[];
  /** everything that clients sent, as text of single bytes */
  received(): string;
}

export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  const cuts: number[] = [];
  let sent = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname.replaceAll(/[[\]]/g, ''));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => void received.push(Buffer.from(bytes)));
    client.pipe(upstream);
    upstream.pipe(client);
    upstream.on('data', ({ length }: Buffer) => {
      const [first] = cuts;
      if (first === undefined) return;
      sent += length;
      if (sent < first) return;
      cuts.shift();
      sent = 0;
      for (const socket of sockets) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cuts,
    received: () => Buffer.concat(received).toString('latin1'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
