import { multiaddr } from '@multiformats/multiaddr';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { transaction } from '../../../src/service/context.ts';
import { frameOf, readFrame } from '../../../src/platform/network/frames.ts';
import { PING } from '../../../src/platform/network/pings.ts';
import { protocolId } from '../../../src/platform/network/requests.ts';
import { gossipNode, testPool, until, untilConnected, type GossipNode } from '../../support/gossip-nodes.ts';
import { stranger } from '../../support/gossip-stranger.ts';
import { engines } from '../../support/stores.ts';
import { silentLink } from '../../support/silent-link.ts';

const rarely = { reconcileMs: 600_000, pingMs: 600_000 };

function connections({ log }: GossipNode): number {
  return log.lines.filter(({ message }) => message === 'node connected').length;
}

describe('a node that is configured without its id and known with it', () => {
  it('is dialled once, and the connection lasts', async () => {
    const pool = testPool();
    await using one = await gossipNode({ admission: pool, limits: rarely });
    const bare = one.address.replace(/\/p2p\/.*$/, '');
    const knowing = {
      ...pool,
      members: async () => [{ nodeId: one.nodeId, addresses: [one.address] }],
    };
    pool.admitted.add(one.nodeId);
    await using two = await gossipNode({ admission: knowing, peers: [bare], listen: [], limits: rarely });
    pool.admitted.add(two.nodeId);
    await one.port.admissionChanged();
    for (let restarts = 1; restarts <= 5; restarts += 1) {
      await untilConnected([one, two]);
      const asks = Array.from({ length: 3 }, async () => await two.port.request({ nodeId: one.nodeId }, PING, null));
      await Promise.all(asks);
      await one.network().ping();
      expect(connections(two)).toBe(restarts);
      await two.stop();
      await until('it has gone', () => one.port.peers().length === 0);
      if (restarts < 5) await two.start();
    }
    expect(connections(one)).toBe(5);
  });
});

describe('a second connection of a node', () => {
  it('ends without the first one, if GossipSub did not use it', async () => {
    const pool = testPool();
    await using node = await gossipNode({ admission: pool, limits: rarely });
    await using peer = await stranger();
    pool.admitted.add(peer.nodeId);
    const first = await peer.dial(node);
    await until('it is in', () => node.port.peers()[0]?.admitted === true);
    const second = await peer.libp2p.dial(multiaddr(node.address), { force: true });
    const ask = async (connection: typeof first): Promise<unknown> => {
      const stream = await connection.newStream(protocolId(PING));
      stream.send(frameOf(null));
      const answer = await readFrame(stream, 10_000, 60_000);
      await stream.close();
      return answer;
    };
    expect(await ask(second)).toMatchObject({ answer: { protocols: expect.anything() } });
    await second.close();
    for (let times = 0; times < 10; times += 1) expect(await ask(first)).toMatchObject({ answer: {} });
    expect([first.status, connections(node)]).toEqual(['open', 1]);
  });
});

describe.each(engines)('messages on %s whose answer is lost with its connection', (engine) => {
  it('are asked about again at once, over another one', async () => {
    const pool = testPool();
    let begun = 0;
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => void (go = resolve));
    await using one = await gossipNode({
      admission: pool,
      engine,
      limits: rarely,
      onStart: (port) =>
        port.receive('test', async () => {
          begun += 1;
          await held;
        }),
    });
    await using link = await silentLink(Number(/tcp\/(\d+)/.exec(one.address)?.[1]));
    const outcomes: string[] = [];
    await using two = await gossipNode({
      admission: pool,
      engine,
      peers: [link.address],
      listen: [],
      limits: rarely,
      onStart: (port) => port.onOutcome('test', async (_, { result }) => void outcomes.push(result.outcome)),
    });
    for (const { nodeId, parts } of [one, two]) {
      pool.admitted.add(nodeId);
      pool.keys.set(nodeId, toHex(parts.keys.identity.publicKey));
    }
    await Promise.all([one, two].map(async ({ port }) => await port.admissionChanged()));
    await untilConnected([one, two]);
    await until('a ping was answered', () => two.port.peers()[0]?.roundTripMs !== undefined);
    const message = { id: 'm1', body: 1, expiresAt: Date.now() + 600_000 };
    await transaction(two.parts, async (tx) => await two.port.send(tx, one.nodeId, 'test', message));
    await until('it is being handled', () => begun === 1);
    link.end();
    await until('both are connected again', () => connections(two) > 1);
    go();
    await until('its outcome is known', () => outcomes.length === 1);
    expect([outcomes, begun]).toEqual([['acknowledged'], 1]);
    // A failed attempt would be noted, and the next one be made after five seconds.
    expect(two.log.lines.filter(({ message: line }) => line === 'messages wait for a node')).toEqual([]);
  });
});
