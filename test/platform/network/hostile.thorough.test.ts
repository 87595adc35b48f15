import { multiaddr } from '@multiformats/multiaddr';
import { describe, expect, it } from 'vitest';
import { uint32, utf8 } from '../../../src/crypto/bytes.ts';
import { frameOf, readFrame } from '../../../src/platform/network/frames.ts';
import type { StrangerLimits } from '../../../src/platform/network/limits.ts';
import type { GossipPort } from '../../../src/service/ports/network.ts';
import { gossipNodes, testLimits, until, untilConnected, type GossipNode } from '../../support/gossip-nodes.ts';
import { foreigner, stranger, type Stranger } from '../../support/gossip-stranger.ts';
import { elapses } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

let joined = 0;

function onStart(port: GossipPort): void {
  port.respond('join', { strangers: true, maxBytes: 2_000, answer: async () => (joined += 1) });
  port.respond('inside', { strangers: false, answer: async () => 'a secret' });
}

function strangers(limits: Partial<StrangerLimits>) {
  return { onStart, limits: { strangers: { ...testLimits.strangers, ...limits }, reconcileMs: 600_000 } };
}

/** The answer, a refusal, or the end of the connection. */
async function ask(from: Stranger, node: GossipNode, bytes: Uint8Array, protocol = 'join'): Promise<string> {
  try {
    const stream = await from.open(node, protocol);
    stream.send(bytes);
    const reply = (await readFrame(stream, 10_000, 60_000)) as { answer?: unknown; problem?: { code: string } };
    await stream.close();
    return reply.problem?.code ?? 'answered';
  } catch {
    return 'cut off';
  }
}

/** Two nodes that talk to each other still do. */
async function expectUnharmed(nodes: readonly GossipNode[]): Promise<void> {
  const [one, two] = nodes as [GossipNode, GossipNode];
  const before = two.heard.length;
  await one.port.announce('test', 'still here');
  await until('the other node heard it', () => two.heard.length === before + 1);
}

describe('strangers', () => {
  it('may ask what is open to them, and nothing else', async () => {
    await using pool = await gossipNodes(2, strangers({}));
    const [one] = pool.nodes as [GossipNode];
    await using other = await stranger();
    expect(await ask(other, one, frameOf(1))).toBe('answered');
    for (const protocol of ['inside', 'gossip-reconcile', 'gossip-addresses']) {
      expect(await ask(other, one, frameOf({ step: 'digests' }), protocol)).toBe('NOT_ADMITTED');
    }
    const connection = await other.dial(one);
    other.router.connect(connection.remotePeer, connection);
    other.router.publish(utf8('anything'));
    await until('its gossip was refused', () => one.switchboard.metrics.read('requests_not_admitted') === 4);
    expect(one.switchboard.metrics.read('refused_format')).toBe(0);
    await untilConnected(pool.nodes);
    await expectUnharmed(pool.nodes);
  });

  it('with garbage, oversized or endless requests are refused and counted', async () => {
    await using pool = await gossipNodes(2, strangers({ questionMs: elapses(500) }));
    const [one] = pool.nodes as [GossipNode];
    await using other = await stranger();
    const malformed = (): number => one.switchboard.metrics.read('requests_malformed');
    expect(await ask(other, one, uint32(2_001))).toBe('QUESTION_TOO_LARGE');
    expect(await ask(other, one, uint32(0xff_ff_ff_ff))).toBe('QUESTION_TOO_LARGE');
    expect(await ask(other, one, utf8('\0\0\0\u0004nope'))).toBe('QUESTION_MALFORMED');
    // Four bytes are announced and never come.
    expect(await ask(other, one, utf8('\0\0\0\u0004'))).toBe('QUESTION_MALFORMED');
    expect(malformed()).toBe(4);
    expect(await ask(other, one, frameOf('fine'))).toBe('answered');
    await untilConnected(pool.nodes);
    await expectUnharmed(pool.nodes);
  });

  it('with hundreds of requests get answers to few, at no cost to others', async () => {
    await using pool = await gossipNodes(
      2,
      strangers({ askingPerPeer: { burst: 10, perSecond: 0 }, requestsAtOnce: 10 }),
    );
    const [one] = pool.nodes as [GossipNode];
    await untilConnected(pool.nodes);
    await using other = await stranger();
    joined = 0;
    await ask(other, one, frameOf('the first'));
    const turns = inStage(30, 30, 100);
    for (let at = 0; at < turns; at += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, async () => await ask(other, one, frameOf(at))));
      if (at === 20) await expectUnharmed(pool.nodes);
      expect(answers.every((answer) => answer !== 'NOT_ADMITTED')).toBe(true);
    }
    expect(joined).toBe(10);
    expect(one.switchboard.metrics.read('requests_limited')).toBeGreaterThan(10 * turns - 50);
    await expectUnharmed(pool.nodes);
  });

  it('find a few places, and members one beside them', async () => {
    const limits = { connectionsPerAddress: 3, connecting: { burst: 100, perSecond: 0 } };
    await using pool = await gossipNodes(2, strangers(limits));
    const [one, two] = pool.nodes as [GossipNode, GossipNode];
    await untilConnected(pool.nodes);
    const crowd = await Promise.all(Array.from({ length: 6 }, async () => await stranger()));
    try {
      await Promise.allSettled(crowd.map(async (each) => await each.dial(one)));
      const inside = (): number => one.port.peers().filter(({ admitted }) => !admitted).length;
      await until('the rest was sent away', () => inside() === 3);
      await until('they were counted', () => one.switchboard.metrics.read('connections_refused') >= 3);
      await two.stop();
      await two.start();
      await untilConnected(pool.nodes);
      await expectUnharmed(pool.nodes);
    } finally {
      await Promise.all(crowd.map(async (each) => await each[Symbol.asyncDispose]()));
    }
  });

  it('are sent away when they ask nothing, come too often, or have no key of a node', async () => {
    await using pool = await gossipNodes(
      1,
      strangers({ idleMs: elapses(300), connecting: { burst: 2, perSecond: 0 } }),
    );
    const [one] = pool.nodes as [GossipNode];
    await using other = await stranger();
    for (let time = 0; time < 2; time += 1) {
      const connection = await other.dial(one);
      await until('it was dropped', () => connection.status !== 'open');
    }
    expect(one.switchboard.metrics.read('strangers_dropped')).toBe(2);
    expect(await ask(other, one, frameOf(1))).toBe('cut off');
    const foreign = await foreigner();
    await foreign.dial(multiaddr(one.address)).catch(() => undefined);
    await until('both were refused', () => one.switchboard.metrics.read('connections_refused') >= 2);
    await until('it is alone', () => one.port.peers().length === 0);
    await foreign.stop();
  });
});

describe('an admitted node that misbehaves', () => {
  it('is cut off when it passes on forgeries, and cannot make others believe or pass them on', async () => {
    const limits = { invalid: { burst: 5, perSecond: 0 }, reconcileMs: 600_000 };
    await using pool = await gossipNodes(2, { onStart, limits });
    const [one, two] = pool.nodes as [GossipNode, GossipNode];
    await untilConnected(pool.nodes);
    await using other = await stranger();
    pool.pool.admitted.add(other.nodeId);
    await Promise.all(pool.nodes.map(async ({ port }) => await port.admissionChanged()));
    const connection = await other.dial(one);
    other.router.connect(connection.remotePeer, connection);
    await until('it is in', () => one.port.peers().length === 2);
    // What it says before its gossip is connected is lost.
    let forged = 0;
    await until('it was cut off', () => {
      other.router.publish(utf8(`forgery ${(forged += 1)} ${'.'.repeat(100)}`));
      return one.switchboard.metrics.read('hostile_peers_dropped') === 1;
    });
    expect(one.switchboard.metrics.read('refused_format')).toBeGreaterThanOrEqual(6);
    expect(two.switchboard.metrics.read('refused_format')).toBe(0);
    await expectUnharmed(pool.nodes);
  });

  it('gets no answer to nonsense about reconciliation and addresses', async () => {
    await using pool = await gossipNodes(1, { onStart });
    const [one] = pool.nodes as [GossipNode];
    await using other = await stranger();
    pool.pool.admitted.add(other.nodeId);
    await one.port.admissionChanged();
    const nonsense: unknown[] = [
      null,
      { step: 'all' },
      { step: 'ids', spans: [-1] },
      { step: 'ids', spans: Array(401).fill(0) },
      { step: 'pull', ids: ['x'] },
      { step: 'pull', ids: Array(257).fill('0'.repeat(64)) },
    ];
    for (const question of nonsense) {
      expect(await ask(other, one, frameOf(question), 'gossip-reconcile')).toBe('QUESTION_MALFORMED');
    }
    expect(await ask(other, one, frameOf({ step: 'pull', ids: ['0'.repeat(64)] }), 'gossip-reconcile')).toBe(
      'answered',
    );
    expect(await ask(other, one, frameOf({ records: 'none' }), 'gossip-addresses')).toBe('QUESTION_MALFORMED');
    expect(await ask(other, one, frameOf({ records: ['AAAA'] }), 'gossip-addresses')).toBe('answered');
    expect(await one.store.db.selectFrom('gossip_addresses').selectAll().execute()).toEqual([]);
  });
});
