import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDoor } from '../../../src/node/listeners/door.ts';
import { startNode } from '../../support/running-node.ts';

/** As much of a connection as the door looks at. */
function arriving(remoteAddress: string): Socket & { leave(): void } {
  let leave: () => void = () => undefined;
  const once = (_: string, listener: () => void): unknown => (leave = listener);
  return { remoteAddress, once, leave: () => leave() } as unknown as Socket & { leave(): void };
}

describe('the door', () => {
  it('lets so many of one address in, and another where one has left', () => {
    const admits = createDoor({ perAddress: 2, proxied: { trustedProxies: [] } });
    const [first, second] = [arriving('203.0.113.9'), arriving('::ffff:203.0.113.9')];
    expect([first, second].map(admits)).toEqual([true, true]);
    expect(admits(arriving('203.0.113.9'))).toBe(false);
    expect(admits(arriving('203.0.113.10'))).toBe(true);
    first.leave();
    expect([arriving('203.0.113.9'), arriving('203.0.113.9')].map(admits)).toEqual([true, false]);
  });

  it('takes a network of IPv6 for one client, and proxies for many', () => {
    const admits = createDoor({ perAddress: 1, proxied: { trustedProxies: ['10.0.0.0/8'] } });
    expect(['2001:db8::1', '2001:db8::2', '2001:db8:1::1'].map((one) => admits(arriving(one)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(['10.1.2.3', '10.1.2.3', '::ffff:10.1.2.3'].map((one) => admits(arriving(one)))).toEqual([true, true, true]);
  });

  it('closes what is too much, and never the control socket', async () => {
    await using node = await startNode({ env: { CONCLAVE_SERVER_CONNECTIONS_PER_ADDRESS: '3' } });
    const closed: number[] = [];
    const open = (at: number): Socket =>
      connect({ port: node.ready.port, host: '127.0.0.1' })
        .on('error', () => undefined)
        .once('close', () => closed.push(at));
    const sockets: Socket[] = [];
    for (let at = 0; at < 5; at += 1) {
      const socket = open(at);
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    await expect.poll(() => closed).toEqual([3, 4]);
    for (let asked = 0; asked < 5; asked += 1)
      expect((await node.control(new Request('http://localhost/health'))).status).toBe(200);
    sockets[0]?.destroy();
    await expect.poll(async () => (await node.fetch('/health').catch(() => undefined))?.status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});
