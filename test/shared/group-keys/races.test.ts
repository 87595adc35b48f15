import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { currentEpoch, holdEpoch } from '../../../src/shared/group-keys/keys.ts';
import { openHouse } from '../../support/house.ts';
import { inStage, runs } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { openClub, people, type Person } from './club.ts';

describe.each(bothEngines)('changes of a room at once on %s', (engine) => {
  it('leave no message after a kick under a key that the kicked member has', { tags: 'thorough' }, async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann, bob, eve] = (await people(ctx, 3)) as [Person, Person, Person];
    await using club = await openClub(ctx, [ann.memberId, bob.memberId, eve.memberId]);
    for (let round = 0; round < inStage(8, 8, 100); round += 1) {
      const had = Math.max(...(await club.keysOf(eve)).keys());
      const senders = [ann, bob, eve, ann, bob, eve].map(async ({ memberId }, at) => {
        if (at > 2) await new Promise(setImmediate);
        return await club.send(memberId, 'hello');
      });
      const before = await club
        .change('member_removed', { remove: [eve.memberId] })
        .then(async () => await club.stored());
      const known = new Set(before.map(({ messageId }) => messageId));
      for (const sent of await Promise.allSettled(senders))
        if (sent.status === 'rejected') expect(sent.reason).toMatchObject({ code: 'FORBIDDEN' });
      const after = (await club.stored()).filter(({ messageId }) => !known.has(messageId));
      expect(after.filter(({ epoch }) => epoch <= had)).toEqual([]);
      await club.change('member_added', { add: [eve.memberId] });
      // None of the epochs that eve missed came with the new one.
      expect(Math.min(...(await club.keysOf(eve)).keys())).toBeGreaterThan(had + 1);
    }
  });

  it('give each change an epoch of its own, and those who are there at the end the newest key', async () => {
    await using house = await openHouse(engine);
    const all = (await people(house.ctx, 13)) as [Person, ...Person[]];
    const [ann, ...others] = all;
    const [leaving, coming] = [others.slice(0, 6), others.slice(6)];
    await using club = await openClub(
      house.ctx,
      [ann, ...leaving].map(({ memberId }) => memberId),
    );
    const rotations = await Promise.all([
      ...leaving.map(async ({ memberId }) => await club.change('member_removed', { remove: [memberId] })),
      ...coming.map(async ({ memberId }) => await club.change('member_added', { add: [memberId] })),
    ]);
    expect(rotations.map(({ epoch }) => epoch).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 2),
    );
    const newest = (await club.keysOf(ann)).get(13);
    expect(newest).toHaveLength(32);
    for (const person of coming) expect((await club.keysOf(person)).get(13)).toEqual(newest);
    for (const person of leaving) expect(await club.keysOf(person)).toEqual(new Map());
  });

  it('show each member what a model says, in any order of changes', async () => {
    await using house = await openHouse(engine);
    const persons = await people(house.ctx, 4);
    const ids = persons.map(({ memberId }) => memberId);
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), who: fc.integer({ min: 1, max: 3 }) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), who: fc.integer({ min: 1, max: 3 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('show' as const), who: fc.integer({ min: 0, max: 1 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        await using club = await openClub(house.ctx, ids.slice(0, 1));
        const model = newModel(0);
        for (const { do: what, who } of steps) {
          const id = ids[who] ?? '';
          if (what === 'show') await club.show(who === 1);
          else await club.change('requested', what === 'add' ? { add: [id] } : { remove: [id] });
          model.change(what, who);
        }
        const keys = new Map((await club.keysOf(persons[0] as Person)).entries());
        for (const [who, person] of persons.entries()) {
          const shown = await club.keysOf(person);
          expect([who, ...shown.keys()]).toEqual([who, ...model.shownTo(who)]);
          for (const [epoch, key] of shown) expect(toHex(key)).toBe(toHex(keys.get(epoch) ?? new Uint8Array()));
        }
      }),
      { numRuns: runs(15) },
    );
  });
});

/** What the documents say of who gets which key, without a store. */
function newModel(founder: number) {
  const members = new Set([founder]);
  const open: boolean[] = [false];
  const wraps = new Map<number, Set<number>>([[founder, new Set([1])]]);
  const since = new Map<number, number>([[founder, 1]]);
  let visible = false;
  return {
    change(what: 'add' | 'remove' | 'show', who: number): void {
      const isNew = what === 'add' && !members.has(who);
      if (what === 'show') visible = who === 1;
      if (what === 'add') members.add(who);
      if (what === 'remove') members.delete(who);
      const earlier = open.flatMap((isOpen, index) => (isOpen && visible ? [index + 1] : []));
      open.push(visible);
      const epoch = open.length;
      for (const member of members) {
        const those = wraps.get(member) ?? new Set();
        for (const one of member === who && isNew ? [...earlier, epoch] : [epoch]) those.add(one);
        wraps.set(member, those);
      }
      if (isNew) since.set(who, Math.min(epoch, ...earlier));
    },
    shownTo(who: number): number[] {
      if (!members.has(who)) return [];
      return [...(wraps.get(who) ?? [])]
        .filter((epoch) => epoch >= (since.get(who) ?? 0))
        .toSorted((one, other) => one - other);
    },
  };
}

// On sql.js transactions come one after another, so nothing can be under way there.
describe.runIf(bothEngines.includes('postgres'))('changes of a room at once on postgres', () => {
  it('have a message begin again that was under way before a kick', async () => {
    await using house = await openHouse('postgres');
    const { ctx } = house;
    const [ann, bob] = (await people(ctx, 2)) as [Person, Person];
    await using club = await openClub(ctx, [ann.memberId, bob.memberId]);
    let kick: Promise<unknown> | undefined;
    let tries = 0;
    const late = transaction(ctx, async (tx) => {
      tries += 1;
      // What the transaction sees is settled from here on: the kick is not in it.
      expect(await currentEpoch(tx, club.room)).toBe(tries);
      await (kick ??= club.change('member_removed', { remove: [bob.memberId] }));
      await holdEpoch(tx, club.room, 1);
    });
    await expect(late).rejects.toMatchObject({ code: 'EPOCH_CHANGED' });
    expect(tries).toBe(2);
  });
});
