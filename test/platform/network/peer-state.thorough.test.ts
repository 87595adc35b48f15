import { describe, expect, it } from 'vitest';
import type { GossipPort } from '../../../src/service/ports/network.ts';
import { networkMeasures } from '../../../src/node/listeners/measures.ts';
import { isWrongClock } from '../../../src/platform/network/peer-table.ts';
import { stranger } from '../../support/gossip-stranger.ts';
import { silentLink } from '../../support/silent-link.ts';
import {
  gossipNode,
  gossipNodes,
  testPool,
  until,
  untilConnected,
  type GossipNode,
  type TestPool,
} from '../../support/gossip-nodes.ts';
import { elapses, slowly } from '../../support/real-time.ts';

const HOUR = 3_600_000;
const rarely = { reconcileMs: 600_000, pingMs: 600_000 };

/** Two nodes; `ahead()` is how far the clock of the second one is ahead. */
async function twoNodes(ahead: () => number, onStart?: (port: GossipPort, at: number) => void) {
  const pool: TestPool = testPool();
  const one = await gossipNode({ admission: pool, limits: rarely, onStart: (port) => onStart?.(port, 0) });
  const two = await gossipNode({
    admission: pool,
    peers: [one.address],
    limits: rarely,
    now: () => Date.now() + ahead(),
    onStart: (port) => onStart?.(port, 1),
  });
  for (const { nodeId } of [one, two]) pool.admitted.add(nodeId);
  await Promise.all([one, two].map(async ({ port }) => await port.admissionChanged()));
  await untilConnected([one, two]);
  return {
    one,
    two,
    pool,
    async [Symbol.asyncDispose]() {
      await two[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
    },
  };
}

function warnings({ log }: GossipNode): number {
  return log.lines.filter(({ message }) => message.startsWith('the clock of a node differs')).length;
}

describe('the state of a peer', () => {
  it('is in one place: since when, how far away, its clock, its protocols', async () => {
    const before = Date.now();
    await using nodes = await twoNodes(
      () => 0,
      (port, at) => port.respond(`only-at-${at}`, { strangers: false, answer: async () => at }),
    );
    const { one, two } = nodes;
    await until('pings were answered', () => one.port.peers()[0]?.roundTripMs !== undefined);
    const [peer] = one.port.peers();
    expect(peer).toMatchObject({ nodeId: two.nodeId, admitted: true, wrongClock: false });
    expect(peer?.protocols).toEqual(expect.arrayContaining(['only-at-1', 'gossip-ping', 'gossip-reconcile']));
    expect(peer?.protocols).not.toContain('only-at-0');
    expect(peer?.connectedAt).toBeGreaterThanOrEqual(before);
    expect(peer?.connectedAt).toBeLessThanOrEqual(Date.now());
    expect(Math.abs(peer?.clockSkewMs ?? Number.NaN)).toBeLessThanOrEqual((peer?.roundTripMs ?? 0) / 2 + 5);
    expect(warnings(one)).toBe(0);
  });

  it('says when a clock is wrong, once, and when it is right again', async () => {
    let ahead = 5 * HOUR;
    await using nodes = await twoNodes(() => ahead);
    const { one, two } = nodes;
    await until('both know', () => [one, two].every(({ port }) => port.peers()[0]?.wrongClock === true));
    const gauge = networkMeasures(one.switchboard).find(({ name }) => name === 'conclave_gossip_wrong_clocks');
    expect(gauge?.read()).toBe(1);
    for (let time = 0; time < 3; time += 1) await one.network().ping();
    expect(warnings(one)).toBe(1);
    expect(one.log.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^the clock of a node differs/), nodeId: two.nodeId }),
    );
    const skews = [one, two].map(({ port }) => port.peers()[0]?.clockSkewMs ?? 0);
    expect(skews.map((skew) => Math.round(skew / HOUR))).toEqual([5, -5]);
    // A new connection is no new message.
    await two.stop();
    await until('it is gone', () => one.port.peers().length === 0);
    await two.start();
    await until('it was asked again', () => one.port.peers()[0]?.wrongClock === true);
    expect(warnings(one)).toBe(1);
    ahead = 0;
    await one.network().ping();
    expect(one.port.peers()[0]?.wrongClock).toBe(false);
    ahead = -HOUR;
    await one.network().ping();
    expect(warnings(one)).toBe(2);
  });

  it('is not held against a peer that is only slow', () => {
    const pinged = { roundTripMs: 20_000, protocols: [] };
    expect(isWrongClock({ ...pinged, clockSkewMs: 69_000 })).toBe(false);
    expect(isWrongClock({ ...pinged, clockSkewMs: -71_000 })).toBe(true);
  });
});

describe('a peer behind a silent cut', () => {
  it('does not answer, says its state, and is dialled again after three pings', { tags: 'thorough' }, async () => {
    const pool: TestPool = testPool();
    const limits = { ...rarely, pingAnswerMs: elapses(1_000) };
    await using one = await gossipNode({ admission: pool, limits });
    await using link = await silentLink(Number(/tcp\/(\d+)/.exec(one.address)?.[1]));
    await using two = await gossipNode({ admission: pool, peers: [link.address], listen: [], limits });
    for (const { nodeId } of [one, two]) pool.admitted.add(nodeId);
    await Promise.all([one, two].map(async ({ port }) => await port.admissionChanged()));
    await untilConnected([one, two]);
    const peer = () => two.port.peers()[0];
    // On a busy machine an answer may come too late, and the next ping is ten minutes away.
    const isAnswered = async (): Promise<boolean> => {
      if (peer()?.roundTripMs === undefined || peer()?.answers !== true) await two.network().ping();
      return peer()?.roundTripMs !== undefined && peer()?.answers === true;
    };
    await until('a ping was answered', isAnswered);
    expect(peer()).toMatchObject({ answers: true, admitted: true });
    const dropped = two.switchboard.metrics.read('slow_peers_dropped');

    link.cut();
    const lost = two.port.request({ nodeId: one.nodeId }, 'gossip-ping', null).catch((error: unknown) => error);
    const pinged = two.network().ping();
    await until('its state says so', () => peer()?.answers === false);
    expect(peer()).toMatchObject({ nodeId: one.nodeId, admitted: true });
    await pinged;
    expect(two.switchboard.metrics.read('slow_peers_dropped')).toBe(dropped + 1);
    expect(two.log.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/does not answer any more/), nodeId: one.nodeId }),
    );
    expect(await lost).toMatchObject({ code: 'PEER_UNREACHABLE' });
    await until('it is connected again', () => peer()?.admitted === true);
    await until('it answers', isAnswered);
  });

  it('does not keep others from being pinged', async () => {
    await using pool = await gossipNodes(1, { limits: { ...rarely, pingMs: 50, pingAnswerMs: 600_000 } });
    const [node] = pool.nodes as [GossipNode];
    await using silent = await stranger();
    await using other = await stranger();
    let asked = 0;
    await silent.libp2p.handle('/conclave/gossip-ping/1', () => undefined);
    await other.libp2p.handle('/conclave/gossip-ping/1', (stream) => {
      asked += 1;
      stream.abort(new Error('not told'));
    });
    for (const each of [silent, other]) {
      pool.pool.admitted.add(each.nodeId);
      await node.port.admissionChanged();
      await each.dial(node);
    }
    await until('the other one was asked again', () => asked > 1);
    expect(asked).toBeGreaterThan(1);
  });
});

describe('a node with a clock that is hours off', () => {
  it.each([5 * HOUR, -5 * HOUR])(
    'stays connected, shares, and is dropped when it is removed (%d ms)',
    { tags: 'thorough' },
    async (off) => {
      const heard: unknown[][] = [[], []];
      let version = 1;
      await using nodes = await twoNodes(
        () => off,
        (port, at) =>
          port.share('list', { tell: async () => ({ at, version }), hear: async (told) => void heard[at]?.push(told) }),
      );
      const { one, two, pool } = nodes;
      await until('both heard', () => heard.every((each) => each.length > 0));
      version = 2;
      await one.network().ping();
      expect(heard.map((each) => each.at(-1))).toEqual([
        { at: 1, version: 2 },
        { at: 0, version: 2 },
      ]);

      // What it announces is not believed by its time, and leads to a comparison at once: there is no ping and no round for ten minutes.
      // The comparison that follows every new connection may bring the first of these, and no more.
      for (version of [3, 4])
        await until('the exchange came', async () => {
          await two.port.announce('test', 'from another time');
          await slowly(50);
          return (heard[0]?.at(-1) as { version: number } | undefined)?.version === version;
        });
      expect(one.switchboard.metrics.read('refused_clock')).toBeGreaterThan(0);
      expect(one.heard).toEqual([]);

      pool.admitted.delete(two.nodeId);
      await one.port.admissionChanged();
      await until('it was dropped', () => one.port.peers().every(({ admitted }) => !admitted));
      expect(one.switchboard.metrics.read('strangers_dropped')).toBeGreaterThan(0);
      const before = heard[0]?.length;
      version = 5;
      await Promise.all([one, two].map(async (node) => await node.network().ping()));
      expect(heard[0]?.length).toBe(before);
      expect(heard[1]?.at(-1)).not.toEqual({ at: 0, version: 5 });
    },
  );
});

describe('a node by whose clock the other one has expired', () => {
  it('is asked for its time by it, asks for the time, and shares nothing else', async () => {
    const all = testPool();
    const shared: string[] = [];
    const rounds = [0, 0];
    const onStart = (port: GossipPort, at: number) => {
      port.share('list', { tell: async () => 'told', hear: async () => void shared.push(`${at} heard`) });
      port.everyRound(async () => void (rounds[at] = (rounds[at] ?? 0) + 1));
    };
    await using one = await gossipNode({ admission: all, onStart: (port) => onStart(port, 0) });
    const nobody = { isAdmitted: async () => false, members: async () => [], names: async () => true };
    await using two = await gossipNode({
      admission: nobody,
      peers: [one.address],
      limits: { reconcileMs: 100, pingMs: 100 },
      now: () => Date.now() + 5 * HOUR,
      onStart: (port) => onStart(port, 1),
    });
    all.admitted.add(one.nodeId).add(two.nodeId);
    await one.port.admissionChanged();
    await until('both know', async () => {
      await one.network().ping();
      return [one, two].every(({ port }) => port.peers()[0]?.wrongClock === true);
    });
    expect(two.port.peers()).toMatchObject([{ nodeId: one.nodeId, admitted: false }]);
    expect(one.port.peers()).toMatchObject([{ nodeId: two.nodeId, admitted: true, protocols: [] }]);
    expect(warnings(two)).toBe(1);
    await until('rounds go on without any admitted node', () => (rounds[1] ?? 0) > 2);
    expect(shared).toEqual([]);
  });

  it('is not asked for its time where the pool does not name it', async () => {
    const all = testPool();
    await using one = await gossipNode({ admission: all });
    const nobody = { isAdmitted: async () => false, members: async () => [] };
    await using two = await gossipNode({ admission: nobody, peers: [one.address], now: () => Date.now() + 5 * HOUR });
    await until('they are connected', () => two.port.peers().length === 1);
    await two.network().ping();
    expect(two.port.peers()[0]?.roundTripMs).toBeUndefined();
    expect(warnings(two)).toBe(0);
  });
});

/** Answers requests when nobody waits any more, with an error; adds the signals of those that began. */
function untilAborted(signals: AbortSignal[]): (port: GossipPort) => void {
  return (port) =>
    port.respond('wait', {
      strangers: false,
      async answer(_question, _peer, signal) {
        signals.push(signal);
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
      },
    });
}

describe('requests that are given up', () => {
  it('end on both sides, with the reason of who gave up', async () => {
    const signals: AbortSignal[] = [];
    await using nodes = await twoNodes(() => 0, untilAborted(signals));
    const { one, two } = nodes;
    const giveUp = new AbortController();
    const asked = two.port.request({ nodeId: one.nodeId }, 'wait', null, { signal: giveUp.signal });
    const ended = Promise.allSettled([asked]);
    await until('it was asked', () => signals.length === 1);
    expect(signals[0]?.aborted).toBe(false);
    giveUp.abort(new Error('no longer needed'));
    await ended;
    await expect(asked).rejects.toThrow('no longer needed');
    await until('the other side heard of it', () => signals[0]?.aborted === true);
    await until('it was counted', () => one.switchboard.metrics.read('requests_cancelled') === 1);
    expect(one.switchboard.metrics.read('requests_refused')).toBe(0);
    expect(one.log.lines.filter(({ message }) => message.startsWith('answering a request'))).toEqual([]);
    // The connection is as good as before, and what is given up before is not even asked.
    expect(two.port.peers()).toMatchObject([{ nodeId: one.nodeId, admitted: true }]);
    await expect(
      two.port.request({ nodeId: one.nodeId }, 'wait', null, { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before');
    expect(signals).toHaveLength(1);
  });

  it('hear of a connection that is lost', async () => {
    const signals: AbortSignal[] = [];
    await using nodes = await twoNodes(() => 0, untilAborted(signals));
    const { one, two } = nodes;
    const asked = two.port.request({ nodeId: one.nodeId }, 'wait', null);
    const outcome = asked.catch((error: unknown) => error);
    await until('it was asked', () => signals.length === 1);
    await two.stop();
    expect(await outcome).toMatchObject({ code: 'PEER_UNREACHABLE' });
    await until('it heard of it', () => signals[0]?.aborted === true);
  });
});
