import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A TCP port of the loopback that nobody listens on, for whoever has to know it before it is listened on, or to listen on it twice. It is
 * below those that the system gives to who asks for any. The UDP port of its number is held until this process ends, however it does: so no
 * other test gets it meanwhile.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const holder = createSocket('udp4').unref();
    const isOurs = await settles(once(holder, 'listening'), () =>
      holder.bind({ port, address: '127.0.0.1', exclusive: true }),
    );
    if (!isOurs) continue;
    const server = createServer();
    if (await settles(once(server, 'listening'), () => server.listen(port, '127.0.0.1'))) {
      server.close();
      await once(server, 'close');
      return port;
    }
    holder.close();
  }
}

async function settles(begun: Promise<unknown>, begin: () => unknown): Promise<boolean> {
  begin();
  return await begun.then(
    () => true,
    () => false,
  );
}
