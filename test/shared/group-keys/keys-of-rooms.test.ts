import { describe, expect, it } from 'vitest';
import { fromUtf8 } from '../../../src/crypto/bytes.ts';
import { openKeysOfRooms } from '../../../src/shared/group-keys/keys.ts';
import { openHouse } from '../../support/house.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { bothEngines } from '../../support/stores.ts';
import { openClub, people, type Person } from './club.ts';

describe.each(bothEngines)('keys of several rooms on %s', (engine) => {
  it('are opened in one statement, and each opens what was said in its room and epoch', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann] = (await people(ctx, 1)) as [Person];
    await using tea = await openClub(ctx, [ann.memberId]);
    await using milk = await openClub(ctx, [ann.memberId]);
    const said = [await tea.send(ann.memberId, 'tea, first')];
    await tea.change('requested', {});
    said.push(await tea.send(ann.memberId, 'tea, second'));
    const other = await milk.send(ann.memberId, 'milk');
    const wanted = [...said.map(({ epoch }) => ({ id: tea.room.id, epoch })), { id: milk.room.id, epoch: other.epoch }];
    const { result: keys, statements } = await ownStatements(async () => await openKeysOfRooms(ctx, 'club', wanted));
    expect(statements).toHaveLength(1);
    const open = (id: string, { sealed, ...place }: typeof other) => fromUtf8(keys.of(id).open(place, sealed));
    expect(said.map((one) => open(tea.room.id, one))).toEqual(['tea, first', 'tea, second']);
    expect(open(milk.room.id, other)).toBe('milk');
    const damaged = expect.objectContaining({ code: 'STORE_DAMAGED' });
    expect(() => open(milk.room.id, said[0]!)).toThrow(damaged);
    // Only what was wanted is there.
    expect(keys.of(milk.room.id).has(2)).toBe(false);
    expect(() => keys.of('other')).toThrow('no key of this room was wanted');
    const ofTea = keys.of(tea.room.id);
    keys[Symbol.dispose]();
    expect(ofTea.has(1)).toBe(false);
    expect(() => keys.of(tea.room.id)).toThrow('no key of this room was wanted');
  });

  it('are none where none is wanted, and say so where one is not there', async () => {
    await using house = await openHouse(engine);
    const [ann] = (await people(house.ctx, 1)) as [Person];
    await using tea = await openClub(house.ctx, [ann.memberId]);
    const { statements } = await ownStatements(async () => await openKeysOfRooms(house.ctx, 'club', []));
    expect(statements).toEqual([]);
    using keys = await openKeysOfRooms(house.ctx, 'club', [
      { id: tea.room.id, epoch: 7 },
      { id: 'gone', epoch: 1 },
    ]);
    expect([keys.of(tea.room.id).has(7), keys.of('gone').has(1)]).toEqual([false, false]);
    using ofOtherKind = await openKeysOfRooms(house.ctx, 'hub', [{ id: tea.room.id, epoch: 1 }]);
    expect(ofOtherKind.of(tea.room.id).has(1)).toBe(false);
  });
});
