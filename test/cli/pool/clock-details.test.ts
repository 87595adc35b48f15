import { describe, expect, it } from 'vitest';
import { clockRows } from '../../../src/cli/pool/clock-details.ts';

const HOUR = 3_600_000;
const nameOf = (nodeId: string): string => nodeId.toUpperCase();
const rows = (connected: number, ...aheadMs: number[]) =>
  clockRows({ connected, wrongClocks: aheadMs.map((ms, at) => ({ nodeId: `n${at}`, aheadMs: ms })) }, nameOf);

describe('the lines about clocks', () => {
  it('say whose clock is how far ahead or behind', () => {
    expect(rows(3)).toEqual([]);
    expect(rows(3, 61_000, -2 * HOUR)).toEqual([
      ['Clock', 'N0 is 1 minute ahead of this node'],
      ['Clock', 'N1 is 2 hours behind this node'],
    ]);
    expect(rows(1, 3.2 * 24 * HOUR)).toEqual([['Clock', 'N0 is 3 days ahead of this node']]);
  });

  it('say that the clock of this node is wrong when all others agree', () => {
    expect(rows(2, 5 * HOUR, 5 * HOUR + 900)).toEqual([
      ['Clock', 'this node is 5 hours behind all 2 connected nodes: set its clock'],
    ]);
    // It believes that all others have expired.
    expect(rows(0, -5 * HOUR, -5 * HOUR)).toEqual([
      ['Clock', 'this node is 5 hours ahead of all 2 connected nodes: set its clock'],
    ]);
    expect(rows(2, 5 * HOUR, -5 * HOUR)).toHaveLength(2);
  });

  it('are few', () => {
    expect(rows(9, ...Array<number>(8).fill(HOUR))).toEqual([
      ...[0, 1, 2, 3, 4].map((at) => ['Clock', `N${at} is 1 hour ahead of this node`]),
      ['Clock', '3 more nodes differ by more than a minute'],
    ]);
  });
});
