import { describe, expect, it } from 'vitest';
import type { SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { countingPath } from '../../../../src/services/pool/acl/fork.ts';
import { treeOf } from '../../../../src/services/pool/acl/list-tree.ts';
import { alice, bob, carol, adminOf, writerOf, genesisOf, signed, after } from './signed-lists.ts';

const admins = [adminOf(alice), adminOf(bob), adminOf(carol)];
const writers = [writerOf(alice), writerOf(bob), writerOf(carol)];
const common = signed(genesisOf({ admins, writers }));

/** The first list of the branch that counts, whatever the order in which the lists came. */
function counting(...lists: SignedList[]): SignedList | undefined {
  const orders = [lists, lists.toReversed(), [...lists.slice(1), ...lists.slice(0, 1)]];
  const found = orders.map((order) => countingPath(treeOf(common, order))[1]);
  expect(new Set(found).size).toBe(1);
  return found[0];
}

describe('of two lists that follow one list', () => {
  const stamps = [...Array(20).keys()].map((second) => `2026-01-15T12:00:${String(second).padStart(2, '0')}.000Z`);
  const lowest = (make: (issuedAt: string) => SignedList) =>
    stamps.map(make).toSorted((one, other) => (one.hash < other.hash ? -1 : 1))[0]!;

  it('the one that removes counts before the one with the lower hash', () => {
    const removing = after(common, { writers: [writerOf(alice), writerOf(bob)] });
    const other = lowest((issuedAt) => after(common, { issuedAt, writers: [...writers] }, bob));
    expect(counting(removing, other)).toBe(removing);
  });

  it('then the one in which an admission ends sooner, then the stricter mode, then the lower hash', () => {
    const ending = (expiresAt: string) => [writerOf(alice), writerOf(bob), { ...writerOf(carol), expiresAt }];
    const soon = after(common, { writers: ending('2026-02-01T00:00:00.000Z'), mode: 'open' });
    const late = after(common, { writers: ending('2026-03-01T00:00:00.000Z'), mode: 'closed' }, bob);
    const closed = after(common, { mode: 'closed' }, bob);
    const open = after(common, { mode: 'open' }, carol);
    expect(counting(soon, late)).toBe(soon);
    expect(counting(late, closed)).toBe(late);
    expect(counting(closed, open)).toBe(closed);
    const alike = [alice, bob].map((who) => after(common, { issuedAt: stamps[1]!, scope: { database: 'x' } }, who));
    const [one, other] = [after(common, { issuedAt: stamps[2]! }), after(common, { issuedAt: stamps[3]! }, bob)];
    expect(alike[0]!.hash).toBe(alike[1]!.hash);
    expect(counting(one, other)).toBe(one.hash < other.hash ? one : other);
  });
});

describe('a removed administrator who signs another past', () => {
  const without = after(common, { admins: [adminOf(alice), adminOf(carol)] });

  it('undoes nothing, however low the hash, however many removals, and even if the removal came later', () => {
    const later = after(after(common, { issuedAt: '2026-01-15T12:00:59.000Z' }), {
      admins: [adminOf(alice), adminOf(carol)],
    });
    const harmless = after(common, { issuedAt: '2026-01-15T12:00:59.000Z' });
    for (const [which, first, rest] of [
      ['at once', without, []],
      ['later', harmless, [later]],
    ] as const) {
      const other = after(common, { writers: [writerOf(bob)], mode: 'closed' }, bob);
      expect([which, counting(first, ...rest, other)]).toEqual([which, first]);
      expect([which, counting(first, ...rest, other, after(other, { mode: 'open' }, bob))]).toEqual([which, first]);
    }
  });

  it('wins nothing by removing back whoever removed them, once another administrator signed the other side', () => {
    const byCarol = after(without, { mode: 'closed' }, carol);
    const back = after(common, { admins: [adminOf(bob)] }, bob);
    expect(counting(without, byCarol, back)).toBe(without);
    // Bob can add whom he likes, and only administrators of the common list have weight.
    const puppet = after(back, { mode: 'closed' }, bob);
    expect(counting(without, byCarol, back, puppet)).toBe(without);
  });
});

describe('administrators who removed each other', () => {
  const noAlice = after(common, { admins: [adminOf(bob), adminOf(carol)] }, bob);
  const noBob = after(common, { admins: [adminOf(alice), adminOf(carol)] });

  it('are decided by who stands further up in the common list, and no hash changes that', () => {
    expect(counting(noAlice, noBob)).toBe(noBob);
    for (let second = 0; second < 20; second += 1) {
      const issuedAt = `2026-01-15T13:00:${String(second).padStart(2, '0')}.000Z`;
      const ground = after(common, { admins: [adminOf(bob)], writers: [writerOf(bob)], issuedAt }, bob);
      expect(counting(ground, noBob)).toBe(noBob);
    }
  });

  it('count before somebody who removed nobody, if they are the heavier ones', () => {
    const harmless = after(common, { issuedAt: '2026-01-15T12:30:00.000Z' }, carol);
    expect(counting(noAlice, noBob, harmless)).toBe(noBob);
  });

  it('are decided by more signatures first', () => {
    expect(counting(noAlice, noBob, after(noAlice, { mode: 'closed' }, carol))).toBe(noAlice);
  });

  it('in a circle end in one list too', () => {
    const noCarol = after(common, { admins: [adminOf(alice), adminOf(bob)] }, bob);
    const noAliceByCarol = after(common, { admins: [adminOf(bob), adminOf(carol)] }, carol);
    expect(counting(noBob, noCarol, noAliceByCarol)).toBe(noBob);
  });

  it('are followed as decided where an administrator of the node decided', () => {
    const path = countingPath(treeOf(common, [noAlice, noBob]), new Map([[common.hash, noAlice.hash]]));
    expect(path[1]).toBe(noAlice);
  });
});

describe('the list that counts', () => {
  it('still counts when the pool continues it', () => {
    const [one, other] = [after(common, { mode: 'closed' }), after(common, { mode: 'open' }, bob)];
    let end = one;
    const lists = [one, other];
    for (const change of [{ mode: 'open' as const }, { admins: [adminOf(alice)] }, { admins }, { writers: [] }]) {
      end = after(end, change);
      lists.push(end);
      expect(counting(...lists)).toBe(one);
    }
  });
});
