import { expect, it } from 'vitest';
import { utf8 } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { gossipNodes, until, type GossipNode } from '../../support/gossip-nodes.ts';
import { stranger, type Stranger } from '../../support/gossip-stranger.ts';
import { said } from './announcement-scene.ts';
import { slowly } from '../../support/real-time.ts';

const T = Date.parse('2026-01-15T12:00:00Z');

/** A node that reads 10 refused envelopes of a peer, and one more each second, and two admitted peers that send it what they want. */
async function scene() {
  const now = { at: T };
  const limits = { refused: { burst: 10, perSecond: 1 }, reconcileMs: 600_000, pingMs: 600_000 };
  const pool = await gossipNodes(1, { limits, now: () => now.at });
  const [node] = pool.nodes as [GossipNode];
  const author = generateKeyPair();
  const peers = [await stranger(), await stranger()] as [Stranger, Stranger];
  for (const { nodeId } of [{ nodeId: nodeIdOf(author.publicKey) }, ...peers]) pool.pool.admitted.add(nodeId);
  await node.port.admissionChanged();
  for (const peer of peers) {
    const connection = await peer.dial(node);
    peer.router.connect(connection.remotePeer, connection);
    const before = node.heard.length;
    await until('it is heard', async () => {
      peer.router.publish(said(author, now.at));
      await slowly(20);
      return node.heard.length > before;
    });
  }
  const read = (what: Parameters<typeof node.switchboard.metrics.read>[0]) => node.switchboard.metrics.read(what);
  return {
    node,
    author,
    peers,
    now,
    read,
    unread: () => read('refused_unread'),
    async [Symbol.asyncDispose]() {
      for (const peer of peers) await peer[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
    },
  };
}

it('what is refused of a peer is not even read beyond its budget, and what it can not deliver then comes from others', async () => {
  await using nodes = await scene();
  const { node, author, peers, now, read, unread } = nodes;
  const [one, other] = peers;
  // What is good costs nothing, however much it is.
  for (let n = 0; n < 30; n += 1) {
    one.router.publish(said(author, now.at, `good ${n}`));
    await until('it was heard', () => node.heard.some(({ payload }) => payload === `good ${n}`));
  }
  expect(unread()).toBe(0);

  const unknown = generateKeyPair();
  for (let n = 0; n < 40; n += 1) one.router.publish(said(unknown, now.at, n));
  await until('all came', () => read('refused_author') + unread() === 40);
  expect([read('refused_author'), unread()]).toEqual([10, 30]);
  one.router.publish(utf8('garbage'.repeat(100)));
  await until('it came', () => unread() === 31);
  expect(read('refused_format')).toBe(0);

  const true1 = said(author, now.at, 'true');
  one.router.publish(true1);
  await until('it came', () => unread() === 32);
  other.router.publish(true1);
  await until('it was heard', () => node.heard.some(({ payload }) => payload === 'true'));
  expect(unread()).toBe(32);

  now.at += 1_000;
  for (let n = 0; n < 3; n += 1) one.router.publish(said(unknown, now.at, n));
  await until('all came', () => read('refused_author') + unread() === 45);
  expect([read('refused_author'), unread()]).toEqual([11, 34]);
  expect(node.port.peers()).toHaveLength(2);
});
