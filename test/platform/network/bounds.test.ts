import { describe, expect, it } from 'vitest';
import { recentIndex } from '../../../src/platform/network/recent-index.ts';
import { tokenBuckets } from '../../../src/platform/network/token-buckets.ts';

describe('token buckets', () => {
  it('give a burst, and then as much as time brings', () => {
    const buckets = tokenBuckets({ burst: 3, perSecond: 2 });
    const taken = [1, 2, 3, 4].map(() => buckets.take('a', 1_000));
    expect(taken).toEqual([true, true, true, false]);
    expect(buckets.take('b', 1_000)).toBe(true);
    expect(buckets.take('a', 1_499)).toBe(false);
    expect(buckets.take('a', 1_999)).toBe(true);
    expect(buckets.take('a', 0)).toBe(false);
  });

  it('let what comes together pass as long as there is anything left, and take a debt for it', () => {
    const buckets = tokenBuckets({ burst: 3, perSecond: 2 });
    expect(buckets.take('a', 0, 5)).toBe(true);
    expect(buckets.take('a', 1_000)).toBe(false);
    expect(buckets.take('a', 1_499)).toBe(false);
    expect(buckets.take('a', 1_500)).toBe(true);
  });

  it('remember a bounded number of keys', () => {
    const buckets = tokenBuckets({ burst: 1, perSecond: 0 }, 2);
    for (const key of ['a', 'b', 'c']) buckets.take(key, 0);
    expect(['a', 'b', 'c'].map((key) => buckets.has(key, 0))).toEqual([true, false, false]);
  });
});

describe('the index of what is kept', () => {
  const limits = { keptRows: 3, keptBytes: 1_000 };
  const now = 100_000_000_000;

  function kept(id: string, timestamp = now, size = 10) {
    return { id, timestamp, until: timestamp + 86_400_000, size };
  }

  it('has the same digests for the same ids, whatever their order, and others for others', () => {
    const [one, other] = [recentIndex(limits), recentIndex(limits)];
    for (const id of ['a', 'b', 'c']) one.add(kept(id));
    for (const id of ['c', 'a', 'b']) other.add(kept(id));
    expect(one.digests()).toEqual(other.digests());
    other.remove(['b']);
    expect(one.digests()).not.toEqual(other.digests());
    other.add(kept('b'));
    expect(one.digests()).toEqual(other.digests());
    expect(one.idsOf(Object.keys(one.digests()).map(Number)).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('gives up what is oldest when there are too many, too large or too old ones', () => {
    const index = recentIndex(limits);
    index.add(kept('new', now));
    index.add(kept('old', now - 86_400_001));
    expect(index.surplus(now)).toEqual(['old']);
    index.remove(['old']);
    for (const [at, id] of ['a', 'b', 'c'].entries()) index.add(kept(id, now - 10 + at));
    expect(index.surplus(now)).toEqual(['a']);
    index.add(kept('large', now + 1, 985));
    expect(index.surplus(now)).toEqual(['a', 'b', 'c']);
    index.remove(index.surplus(now));
    expect(index.size).toBe(2);
    expect(index.surplus(now)).toEqual([]);
  });
});
