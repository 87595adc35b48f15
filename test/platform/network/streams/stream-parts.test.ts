import type { Stream } from '@libp2p/interface';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, uint32 } from '../../../../src/crypto/bytes.ts';
import { createOutlet } from '../../../../src/platform/network/streams/outlet.ts';
import { createPace } from '../../../../src/platform/network/streams/pace.ts';
import { createPatience, StoodStill } from '../../../../src/platform/network/streams/patience.ts';
import { createSlots } from '../../../../src/platform/network/streams/slots.ts';
import { roomReader } from '../../../../src/platform/network/streams/stream-head.ts';
import { testLimits } from '../../../support/gossip-nodes.ts';
import { elapses } from '../../../support/real-time.ts';

describe('the speed of streams', () => {
  it('is a burst, and then as much as time brings, for each peer', () => {
    const pace = createPace({ burst: 1_000, perSecond: 100 });
    expect([1, 2, 3].map(() => pace.take('a', 500, 0))).toEqual([0, 0, 0]);
    // 1,500 bytes left; 500 of them are ahead of the burst.
    expect(pace.take('a', 500, 0)).toBe(5_000);
    expect(pace.take('b', 500, 0)).toBe(0);
    expect(pace.take('a', 500, 4_999)).toBe(1);
    expect(pace.take('a', 500, 5_000)).toBe(0);
    expect(pace.take('a', 500, 5_000)).toBe(5_000);
  });

  it('over a long time is what was set, however the pieces are cut, and is forgotten only when it does not matter', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 200 }), (pieces) => {
        const pace = createPace({ burst: 100, perSecond: 1_000 });
        let now = 0;
        let sent = 0;
        for (const bytes of pieces) {
          const wait = pace.take('a', bytes, now);
          now += wait;
          pace.tidy(now);
          if (wait > 0) expect(pace.take('a', bytes, now)).toBe(0);
          sent += bytes;
          // What is due, the burst, and one piece, which is let through as soon as its first byte may leave.
          expect(sent).toBeLessThanOrEqual(now + 100 + 60);
        }
        expect(sent).toBeGreaterThanOrEqual(now);
      }),
    );
  });
});

describe('the places of streams', () => {
  it('are bounded for one node and for all, and free once', () => {
    const slots = createSlots({ ...testLimits.streams, ofPeer: 2, ofAll: 3 });
    const codeOf = (nodeId: string): string => {
      try {
        slots.take(nodeId);
        return 'taken';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const first = slots.take('a');
    expect(codeOf('a')).toBe('taken');
    expect(codeOf('a')).toBe('STREAMS_BUSY');
    expect(codeOf('b')).toBe('taken');
    expect(codeOf('c')).toBe('STREAMS_BUSY');
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(codeOf('c')).toBe('taken');
    expect(codeOf('b')).toBe('STREAMS_BUSY');
  });
});

describe('patience', () => {
  const limits = { idleMs: elapses(50), progress: { bytes: 100, perMs: elapses(1_000) } };
  const never = new Promise<never>(() => undefined);

  it('ends when nothing moves', async () => {
    await expect(createPatience(limits).with(never)).rejects.toBeInstanceOf(StoodStill);
  });

  it('ends when too little moves in all the time that this side waited, and begins anew when enough did', async () => {
    let now = 0;
    const patience = createPatience({ ...limits, idleMs: 600_000 }, () => now);
    const waitFor = async (ms: number): Promise<void> => {
      await patience.with(
        (async () => {
          await Promise.resolve();
          now += ms;
        })(),
      );
    };
    await waitFor(900);
    // Not waiting: it doesn't count.
    now += 5_000;
    patience.moved(99);
    await waitFor(99);
    patience.moved(1);
    await waitFor(900);
    patience.moved(99);
    await waitFor(100);
    await expect(patience.with(never)).rejects.toBeInstanceOf(StoodStill);
  });
});

describe('room', () => {
  it('adds up, however its numbers are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000)), fc.array(fc.integer({ min: 1, max: 9 })), (rooms, cuts) => {
        const all = concat(...rooms.map(uint32));
        const read = roomReader();
        let total = 0;
        let at = 0;
        for (const size of [...cuts, all.length]) {
          total += read(all.subarray(at, at + size));
          at += size;
        }
        expect(total).toBe(rooms.reduce((sum, room) => sum + room, 0));
      }),
    );
  });
});

/** A stream that takes one piece, and is full until it is drained. */
class OneAtATime extends EventTarget {
  status = 'open';
  writableNeedsDrain = false;
  writeBufferLength = 0;
  readonly name: string;
  readonly #sent: string[];

  constructor(name: string, sent: string[]) {
    super();
    this.name = name;
    this.#sent = sent;
  }

  send(): boolean {
    this.#sent.push(this.name);
    this.writableNeedsDrain = true;
    return false;
  }

  drain(): void {
    this.writableNeedsDrain = false;
    this.dispatchEvent(new Event('drain'));
  }
}

describe('the streams of a peer', () => {
  const piece = new Uint8Array(10);

  function outlet(wait: (bytes: number) => number = () => 0) {
    const sent: string[] = [];
    const streams = ['one', 'two', 'quick'].map((name) => new OneAtATime(name, sent));
    const [one, two, quick] = streams as [OneAtATime, OneAtATime, OneAtATime];
    const made = createOutlet(wait);
    const enter = (stream: OneAtATime, priority: 'bulk' | 'interactive') =>
      made.enter(stream as unknown as Stream, priority);
    return { made, sent, one, two, quick, enter };
  }

  it('take turns, and an interactive one comes first, but not for ever', async () => {
    const { made, sent, one, two, quick, enter } = outlet();
    const lanes = [enter(one, 'bulk'), enter(two, 'bulk'), enter(quick, 'interactive')];
    // The connection is full for all, until something leaves.
    for (const stream of [one, two, quick]) stream.writableNeedsDrain = true;
    const all = [lanes[0], lanes[1], lanes[0], lanes[1], ...Array.from({ length: 10 }, () => lanes[2])];
    const sending = all.map(async (lane) => await lane?.send(piece));
    for (let turn = 0; turn < all.length; turn += 1) {
      for (const stream of [one, two, quick]) stream.writableNeedsDrain = false;
      // One piece fills the connection for all of them.
      const before = sent.length;
      quick.drain();
      for (const stream of [one, two]) stream.writableNeedsDrain = turn % 9 !== 8 && turn < 10;
      await new Promise((resolve) => setImmediate(resolve));
      expect(sent.length).toBeGreaterThan(before);
      if (sent.length >= all.length) break;
    }
    await Promise.all(sending);
    expect(sent.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'quick'));
    expect(sent.slice(8, 9)).not.toEqual(['quick']);
    expect(sent.filter((name) => name === 'one').length).toBe(2);
    expect(sent.filter((name) => name === 'two').length).toBe(2);
    for (const lane of lanes) lane[Symbol.dispose]();
    expect(made.empty).toBe(true);
  });

  it('do not wait for one that is full', async () => {
    const { sent, one, two, enter } = outlet();
    using first = enter(one, 'bulk');
    using second = enter(two, 'bulk');
    await first.send(piece);
    const blocked = first.send(piece);
    await second.send(piece);
    expect(sent).toEqual(['one', 'two']);
    one.drain();
    await blocked;
    expect(sent).toEqual(['one', 'two', 'one']);
  });

  it('that end are no longer waited for', async () => {
    const { sent, one, enter } = outlet();
    using lane = enter(one, 'bulk');
    await lane.send(piece);
    const [waiting, taken] = [lane.send(piece), lane.taken()];
    one.status = 'aborted';
    one.dispatchEvent(new Event('close'));
    await expect(waiting).rejects.toThrow('has ended');
    await expect(taken).rejects.toThrow('has ended');
    await expect(lane.send(piece)).rejects.toThrow('has ended');
    expect(sent).toEqual(['one']);
  });

  it('wait until the speed lets them go on', async () => {
    const waits = [0, 1, 1, 0];
    const { sent, one, enter } = outlet(() => waits.shift() ?? 0);
    using lane = enter(one, 'bulk');
    await lane.send(piece);
    one.drain();
    await lane.send(piece);
    expect(sent).toEqual(['one', 'one']);
    expect(waits).toEqual([]);
  });
});
