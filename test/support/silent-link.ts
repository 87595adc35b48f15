import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port of this machine that can be cut silently: both ends then believe that they are connected, and hear nothing. */
export interface SilentLink extends AsyncDisposable {
  /** as a multiaddr */
  readonly address: string;
  /** what is sent from now on over the connections that stand gets lost; new connections are as good as before */
  cut(): void;
  /** ends the connections that stand; both ends see that */
  end(): void;
  /** whether new connections are ended at once */
  isClosed: boolean;
}

export async function silentLink(port: number): Promise<SilentLink> {
  const standing = new Set<{ lost: boolean; readonly ends: readonly Socket[] }>();
  const server = createServer({ noDelay: true }, (socket) => {
    if (link.isClosed) {
      socket.destroy();
      return;
    }
    const onward = connect({ port, host: '127.0.0.1', noDelay: true });
    const way = { lost: false, ends: [socket, onward] };
    standing.add(way);
    for (const [from, to] of [[socket, onward] as const, [onward, socket] as const]) {
      from.on('error', () => undefined);
      from.on('data', (bytes) => void (way.lost || to.write(bytes)));
      from.on('close', () => void (way.lost || to.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const link: SilentLink = {
    isClosed: false,
    address: `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`,
    cut() {
      for (const way of standing) way.lost = true;
    },
    end() {
      for (const { ends } of standing) for (const end of ends) end.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const { ends } of standing) for (const end of ends) end.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return link;
}
