import { describe, expect, it } from 'vitest';
import type { ProblemCode } from '../../../src/base/problem-codes.ts';
import { Problem } from '../../../src/base/problem.ts';
import {
  gossipNode,
  gossipNodes,
  testPool,
  until,
  untilConnected,
  type GossipNode,
} from '../../support/gossip-nodes.ts';
import { elapses, slowly } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

const noReconciliation = { reconcileMs: 600_000 };

function trio(nodes: readonly GossipNode[]): [GossipNode, GossipNode, GossipNode] {
  const [one, two, three] = nodes;
  if (one === undefined || two === undefined || three === undefined) throw new Error('three nodes are needed');
  return [one, two, three];
}

describe('nodes over libp2p', () => {
  it('find each other by what admitted nodes tell, and hear announcements once', async () => {
    await using pool = await gossipNodes(3, { limits: noReconciliation });
    const [one, two, three] = trio(pool.nodes);
    // The third was told of the first alone.
    await untilConnected(pool.nodes);
    await one.port.announce('test', { hello: 'world' });
    await until('both heard it', () => two.heard.length === 1 && three.heard.length === 1);
    expect(two.heard[0]).toMatchObject({ type: 'test', nodeId: one.nodeId, payload: { hello: 'world' } });
    expect(three.heard[0]?.id).toBe(two.heard[0]?.id);
    expect(one.heard).toEqual([]);
    // Gossip alone does it as well, once it knows who subscribed.
    const { metrics } = two.switchboard;
    await until('gossip brought one', async () => {
      await one.port.announce('test', 'again');
      await slowly(100);
      return metrics.read('received') > metrics.read('reconciled');
    });
    expect(two.port.peers().find(({ nodeId }) => nodeId === three.nodeId)).toMatchObject({
      admitted: true,
      addresses: [three.address],
    });
  });

  it('have all of a burst, also the one that was away', { tags: 'thorough' }, async () => {
    const many = inStage(50, 50, 150);
    await using pool = await gossipNodes(3);
    const [one, two, three] = trio(pool.nodes);
    await untilConnected(pool.nodes);
    await three.stop();
    await Promise.all(Array.from({ length: many }, async (_, n) => await one.port.announce('test', { n })));
    await until('the second heard all', () => two.heard.length === many);
    expect(three.heard).toEqual([]);
    await three.start();
    await until('the third caught up', () => three.heard.length === many);
    expect(new Set(three.heard.map(({ id }) => id)).size).toBe(many);
    expect(three.switchboard.metrics.read('reconciled')).toBe(many);
  });

  it('reconcile what gossip lost, and stop when both have the same', async () => {
    await using pool = await gossipNodes(2, { limits: noReconciliation });
    const [one, two] = pool.nodes as [GossipNode, GossipNode];
    await untilConnected(pool.nodes);
    await one.port.announce('test', 1);
    await until('it was heard', () => two.heard.length === 1);
    // As if it had never come.
    await two.stop();
    await two.store.db.deleteFrom('gossip_envelopes').execute();
    await two.start();
    await until('it was reconciled', () => two.heard.length === 2);
    const answered = one.switchboard.metrics.read('requests_answered');
    for (let time = 0; time < 10; time += 1) await two.network().reconcile();
    expect(two.heard).toHaveLength(2);
    // Comparing digests is enough, and what domains share goes with it; comparisons of the new connection may be among these.
    expect(one.switchboard.metrics.read('requests_answered') - answered).toBeLessThanOrEqual(10 * 2 + 2 * 3);
  });

  it('connect over WebSocket as well', { tags: 'thorough' }, async () => {
    const pool = testPool();
    await using one = await gossipNode({ admission: pool, listen: ['/ip4/127.0.0.1/tcp/0/ws'] });
    await using two = await gossipNode({ admission: pool, peers: [one.address], listen: ['/ip4/127.0.0.1/tcp/0/ws'] });
    for (const { nodeId } of [one, two]) pool.admitted.add(nodeId);
    await Promise.all([one, two].map(async ({ port }) => await port.admissionChanged()));
    await untilConnected([one, two]);
    await two.port.announce('test', 'over WebSocket');
    await until('it was heard', () => one.heard.length === 1);
    expect(one.address).toContain('/ws/');
  });

  it('refuse to start where somebody else listens', async () => {
    await using one = await gossipNode({ admission: testPool() });
    const listen = [one.address.replace(/\/p2p\/.*$/, '')];
    await expect(gossipNode({ admission: testPool(), listen })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });

  it('drop who is not admitted any more, and take them in again', async () => {
    await using pool = await gossipNodes(2, { limits: noReconciliation });
    const [one, two] = pool.nodes as [GossipNode, GossipNode];
    await untilConnected(pool.nodes);
    const met: string[] = [];
    one.port.onConnect(async ({ nodeId }) => void met.push(nodeId));
    pool.pool.admitted.delete(two.nodeId);
    await one.port.admissionChanged();
    expect(one.port.peers().filter(({ admitted }) => admitted)).toEqual([]);
    await one.port.announce('test', 'not for the second');
    await until('the second came back as a stranger', () => one.port.peers().length === 1);
    expect(one.port.peers()).toMatchObject([{ nodeId: two.nodeId, admitted: false }]);
    // The second still admits the first: what it says must not get in.
    await two.port.announce('test', 'not for the first');
    await until('its stream was refused', () => one.switchboard.metrics.read('requests_not_admitted') > 0);
    expect([one.heard, two.heard, met]).toEqual([[], [], []]);

    pool.pool.admitted.add(two.nodeId);
    await one.port.admissionChanged();
    await until('the second heard it after all', () => two.heard.length === 1);
    await one.network().reconcile();
    await until('and the first', () => one.heard.length === 1);
    expect(met).toEqual([two.nodeId]);
  });
});

describe('requests between nodes', () => {
  async function pair(strangers: boolean) {
    const pool = testPool();
    const asked: unknown[] = [];
    const one = await gossipNode({
      admission: pool,
      onStart(port) {
        port.respond('echo', { strangers, maxBytes: 1_000, answer: async (question, peer) => ({ question, peer }) });
        port.respond('refuse', {
          strangers,
          answer: async () => {
            throw new Problem('conflict', 'POOL_CLOSED', 'No \u001b[31mway\u0007.');
          },
        });
        port.respond('newer', {
          strangers,
          answer: () => Promise.reject(new Problem('conflict', 'OF_TOMORROW' as ProblemCode, 'Not yet.')),
        });
        port.respond('break', {
          strangers,
          answer: async () => {
            throw new Error('a secret of the inside');
          },
        });
        port.respond('sleep', { strangers, answer: async () => await new Promise(() => asked.push(1)) });
      },
    });
    const two = await gossipNode({ admission: pool });
    return {
      one,
      two,
      pool,
      asked,
      async [Symbol.asyncDispose]() {
        await two[Symbol.asyncDispose]();
        await one[Symbol.asyncDispose]();
      },
    };
  }

  it('are answered, to strangers where they may ask', async () => {
    await using nodes = await pair(true);
    const { one, two } = nodes;
    const answer = await two.port.request({ address: one.address }, 'echo', { n: 1 });
    expect(answer).toEqual({
      question: { n: 1 },
      peer: expect.objectContaining({ nodeId: two.nodeId, admitted: false }),
    });
    // By host and port, and over the connection that stands.
    const address = one.address.replace(/^\/ip4\/([^/]+)\/tcp\/(\d+)\/.*$/, '$1:$2');
    expect(await two.port.request({ address }, 'echo', 2)).toMatchObject({ question: 2 });
    expect(await two.port.request({ nodeId: one.nodeId }, 'echo', 3)).toMatchObject({ question: 3 });
  });

  it('end in the words of the other node, made harmless, or in none of them', async () => {
    await using nodes = await pair(true);
    const { one, two } = nodes;
    const ask = async (protocol: string, payload: unknown = null) =>
      await two.port.request({ address: one.address }, protocol, payload);
    await expect(ask('refuse')).rejects.toMatchObject({
      code: 'PEER_REFUSED',
      message: 'No [31mway.',
      cause: { kind: 'conflict', code: 'POOL_CLOSED' },
    });
    await expect(ask('newer')).rejects.toMatchObject({ message: 'Not yet.', cause: { code: 'UNKNOWN' } });
    await expect(ask('break')).rejects.toMatchObject({
      code: 'PEER_REFUSED',
      message: 'The node could not answer the request.',
    });
    await expect(ask('unknown')).rejects.toMatchObject({
      code: 'PEER_REFUSED',
      message: expect.stringMatching(/support this protocol/),
    });
    await expect(ask('echo', 'x'.repeat(1_000))).rejects.toMatchObject({
      code: 'PEER_REFUSED',
      message: expect.stringMatching(/too large/),
    });
    await using hasty = await gossipNode({ admission: nodes.pool, limits: { answerMs: elapses(500) } });
    // On a busy machine the time may be over before the question has come.
    await until('a question was not answered in time', async () => {
      const answer = hasty.port.request({ address: one.address }, 'sleep', null);
      await expect(answer).rejects.toMatchObject({ code: 'PEER_UNREACHABLE' });
      return nodes.asked.length > 0;
    });
    expect(one.log.lines).toContainEqual(
      expect.objectContaining({ message: 'answering a request of another node failed' }),
    );
  });

  it('of strangers are refused where only admitted nodes may ask', async () => {
    await using nodes = await pair(false);
    const { one, two, pool } = nodes;
    await expect(two.port.request({ address: one.address }, 'echo', 1)).rejects.toMatchObject({
      code: 'PEER_REFUSED',
      cause: { code: 'NOT_ADMITTED' },
    });
    pool.admitted.add(two.nodeId);
    await one.port.admissionChanged();
    expect(await two.port.request({ address: one.address }, 'echo', 1)).toMatchObject({ question: 1 });
  });

  it('reach nobody where nobody is, or somebody else', async () => {
    await using nodes = await pair(true);
    const { one, two } = nodes;
    const unreachable = { code: 'PEER_UNREACHABLE' };
    await expect(two.port.request({ nodeId: 'ff'.repeat(20) }, 'echo', 1)).rejects.toMatchObject(unreachable);
    await expect(two.port.request({ address: '127.0.0.1:1' }, 'echo', 1)).rejects.toMatchObject(unreachable);
    await expect(two.port.request({ address: 'not an address' }, 'echo', 1)).rejects.toMatchObject(unreachable);
    const impostor = one.address.replace(/\/p2p\/.*$/, `/p2p/${two.address.split('/p2p/')[1]}`);
    await expect(two.port.request({ address: impostor }, 'echo', 1)).rejects.toMatchObject(unreachable);
  });
});
