import { describe, expect, it } from 'vitest';
import { deedsIn, recordDeed } from '../../../src/shared/groups/log.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('the log of a room on %s', (engine) => {
  it('is that of the room and of its kind alone', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [room, namesake, other] = [
      { kind: 'hub', id: 'one' },
      { kind: 'conversation', id: 'one' },
      { kind: 'hub', id: 'two' },
    ];
    const kick = await recordDeed(ctx, room, { by: 'ada', action: 'kick', subjectId: 'bob', reason: 'Noise.' });
    house.clock.advance(1);
    const mute = await recordDeed(ctx, room, { by: 'ada', action: 'mute', subjectId: 'carol', endsAt: 7 });
    for (const elsewhere of [namesake, other]) await recordDeed(ctx, elsewhere, { by: 'ada', action: 'kick' });
    const list = async (filter: Parameters<typeof deedsIn>[2]) =>
      await deedsIn(ctx, room, filter).orderBy('id').execute();
    expect(await list({})).toEqual([kick, mute]);
    expect(await list({ action: 'mute' })).toEqual([mute]);
    expect(await list({ subjectId: 'bob' })).toEqual([kick]);
    expect(await list({ action: 'mute', subjectId: 'bob' })).toEqual([]);
    expect(mute).toMatchObject({ actor_id: 'ada', reason: null, item_id: null, ends_at: 7 });
  });
});
