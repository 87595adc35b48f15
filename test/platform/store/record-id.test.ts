import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedIds, recordId, recordIds } from '../../../src/platform/store/record-id.ts';

it('is time and randomness', () => {
  expect(recordId(0x0123_4567_89ab, (size) => new Uint8Array(size).fill(0xee))).toBe(
    '0123456789abeeeeeeeeeeeeeeeeeeee',
  );
  expect(recordId(0, (size) => new Uint8Array(size))).toBe('0'.repeat(32));
});

it('sorts by time and does not repeat', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [first, second] = [recordId(a, randomBytes), recordId(b, randomBytes)];
      expect(first).toMatch(/^[0-9a-f]{32}$/);
      expect(first).not.toBe(second);
      if (a !== b) expect(first < second).toBe(a < b);
    }),
  );
});

it.each([-1, 2 ** 48, 0.5, Number.NaN])('refuses %s as a time', (time) => {
  expect(() => recordId(time, randomBytes)).toThrow(RangeError);
});

it('of things that are made together are in the order of their making, and of their time', () => {
  const time = Date.UTC(2026, 0, 15);
  for (const random of [randomBytes, (size: number) => new Uint8Array(size).fill(0xff)]) {
    const next = recordIds(time, random);
    const ids = Array.from({ length: 5_000 }, next);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    const prefix = time.toString(16).padStart(12, '0');
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id) && id.startsWith(prefix))).toBe(true);
  }
});

describe('counted ids', () => {
  it('are greater than those before, whatever the clock does, and another maker makes others', () => {
    const [make, other] = [countedIds(), countedIds()];
    const random = (size: number) => randomBytes(size);
    const times = [5, 5, 9, 7, 7, 9, 10, 3];
    const ids = times.map((now) => make(now, random));
    expect(ids.toSorted()).toEqual(ids);
    const all = new Set([...ids, ...times.map((now) => other(now, random))]);
    expect(all.size).toBe(2 * times.length);
    for (const id of all) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(recordId(11, random) > ids.at(-1)!).toBe(true);
  });
});
