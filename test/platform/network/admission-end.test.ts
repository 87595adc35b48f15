import { describe, expect, it } from 'vitest';
import { watchAdmissionEnds } from '../../../src/platform/network/admission-end.ts';
import { collectLog } from '../../support/collected-log.ts';
import { gossipNode, testPool, until, untilConnected } from '../../support/gossip-nodes.ts';

describe('the end of an admission', () => {
  function watched(ends: number[]) {
    const clock = { time: 1_000_000, now: () => clock.time };
    const timers: { ms: number; action: () => Promise<void>; cancelled: boolean }[] = [];
    const ended: number[] = [];
    const log = collectLog();
    const policy = {
      isAdmitted: async () => true,
      members: async () => [],
      nextEnd: async () => ends.filter((end) => end > clock.time).toSorted((one, other) => one - other)[0],
    };
    const watch = watchAdmissionEnds({
      policy,
      clock,
      log,
      ended: async () => void ended.push(clock.time),
      later(ms, action) {
        const timer = { ms, action, cancelled: false };
        timers.push(timer);
        return () => void (timer.cancelled = true);
      },
    });
    return { clock, timers, ended, policy, watch, log };
  }

  it('is waited for, and the next one after it', async () => {
    const { clock, timers, ended, watch } = watched([1_000_500, 1_020_000]);
    await watch.arm();
    expect(timers.map(({ ms }) => ms)).toEqual([500]);
    clock.time = 1_000_500;
    await timers[0]?.action();
    expect(ended).toEqual([1_000_500]);
    expect(timers.at(-1)?.ms).toBe(19_500);
  });

  it('is looked for again when a timer was too early, a clock is set, or another process changed the list', async () => {
    const ends = [2_000_000];
    const { clock, timers, ended, watch } = watched(ends);
    await watch.arm();
    await timers[0]?.action();
    expect([ended, timers.map(({ ms }) => ms)]).toEqual([[], [60_000, 60_000]]);
    clock.time = 2_000_001;
    await timers[1]?.action();
    expect(ended).toEqual([2_000_001]);
    // None ends by itself now, until somebody else adds one.
    expect(timers.at(-1)?.ms).toBe(60_000);
    ends.push(2_000_007);
    await timers.at(-1)?.action();
    expect(timers.at(-1)?.ms).toBe(6);
  });

  it('goes on being waited for after a failure, and not after the end of the network', async () => {
    const { timers, watch, policy, log } = watched([]);
    policy.nextEnd = async () => await Promise.reject(new Error('the store is busy'));
    await watch.arm();
    expect([timers.length, log.lines.length]).toEqual([1, 1]);
    watch.stop();
    expect(timers[0]?.cancelled).toBe(true);
    await timers[0]?.action();
    expect(timers).toHaveLength(1);
  });

  it('drops the node from a running network, without a round', async () => {
    const pool = testPool();
    // It stands until the test advances it, so nothing ends before.
    const clock = { time: Date.now(), now: () => clock.time };
    let end = Number.POSITIVE_INFINITY;
    const policy = {
      ...pool,
      isAdmitted: async (nodeId: string) => pool.admitted.has(nodeId) && clock.now() < end,
      nextEnd: async () => (Number.isFinite(end) && clock.now() < end ? end : undefined),
    };
    const limits = { reconcileMs: 3_600_000 };
    await using one = await gossipNode({ admission: policy, limits, now: clock.now });
    await using two = await gossipNode({ admission: pool, limits, peers: [one.address] });
    for (const { nodeId } of [one, two]) pool.admitted.add(nodeId);
    await Promise.all([one, two].map(async ({ port }) => await port.admissionChanged()));
    await untilConnected([one, two]);
    end = clock.now() + 100;
    await one.port.admissionChanged();
    expect(one.port.peers()).toMatchObject([{ nodeId: two.nodeId, admitted: true }]);
    clock.time = end;
    await until('the admission has ended', () => one.port.peers().every(({ admitted }) => !admitted));
    expect(one.log.lines).toContainEqual(
      expect.objectContaining({
        message: 'connection closed: one of the two nodes is no longer admitted',
        nodeId: two.nodeId,
      }),
    );
  });
});
