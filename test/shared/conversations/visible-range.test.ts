import { describe, expect, it } from 'vitest';
import { isVisible, unreadIn, visibleRange } from '../../../src/shared/conversations/visible-range.ts';

const ends = { joined_seq: 0, left_seq: null, cleared_seq: 0 };
const last = Number.MAX_SAFE_INTEGER;

describe('what a member may see of a conversation', () => {
  it.each([
    ['all', {}, { after: 0, to: last }],
    ['what was sent after joining', { joined_seq: 5 }, { after: 5, to: last }],
    ['what was not removed from the own view', { joined_seq: 5, cleared_seq: 8 }, { after: 8, to: last }],
    ['what was sent after joining again', { joined_seq: 9, cleared_seq: 8 }, { after: 9, to: last }],
    ['what was sent before leaving', { joined_seq: 5, left_seq: 7 }, { after: 5, to: 7 }],
    ['nothing', { cleared_seq: 7, left_seq: 7 }, { after: 7, to: 7 }],
  ])('is %s', (_, change, range) => {
    expect(visibleRange({ ...ends, ...change })).toEqual(range);
    const seen = [range.after, range.after + 1, range.to, range.to + 1].map((seq) =>
      isVisible({ ...ends, ...change }, seq),
    );
    expect(seen).toEqual(range.after === range.to ? [false, false, false, false] : [false, true, true, false]);
  });

  it.each([
    [{ last_seq: 0, read_seq: 0 }, 0],
    [{ last_seq: 9, read_seq: 0 }, 9],
    [{ last_seq: 9, read_seq: 4 }, 5],
    [{ last_seq: 9, read_seq: 9 }, 0],
    [{ last_seq: 9, read_seq: 2, joined_seq: 5 }, 4],
    [{ last_seq: 9, read_seq: 2, cleared_seq: 9 }, 0],
    [{ last_seq: 9, read_seq: 2, left_seq: 6 }, 4],
    [{ last_seq: 9, read_seq: 8, left_seq: 6 }, 0],
  ])('is counted while it is not read: %o', (change, count) => {
    expect(unreadIn({ ...ends, ...change })).toBe(count);
  });
});
