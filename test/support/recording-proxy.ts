import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Everything that clients send to a server, byte for byte. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** what the server received, by connection */
  received(): Buffer[];
}

export async function openRecordingProxy(target: string): Promise<RecordingProxy> {
  const { hostname, port } = new URL(target);
  const streams: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const pieces: Buffer[] = [];
    streams.push(pieces);
    const upstream = connect(Number(port), hostname.replaceAll(/[[\]]/g, ''));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one));
    }
    client.on('data', (bytes: Buffer) => void pieces.push(Buffer.from(bytes)));
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => streams.map((pieces) => Buffer.concat(pieces)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
