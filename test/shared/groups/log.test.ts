import { sql } from 'kysely';
import { expect, it, describe } from 'vitest';
import { migrate, migrations } from '../../../src/platform/store/migrations.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { deedsIn, recordDeed } from '../../../src/shared/groups/log.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines, createPostgresDatabase, engines, temporaryFolder } from '../../support/stores.ts';

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

it.each(bothEngines)('what moderators of hubs did before the upgrade stays, on %s', async (engine) => {
  await using folder = await temporaryFolder();
  await using created = engine === 'sqljs' ? undefined : await createPostgresDatabase({ migrated: false });
  await using database =
    created === undefined ? await openSqljsDatabase(folder.path) : await openPostgresDatabase(created.url);
  const before = migrations.findIndex(({ name }) => name === 'room-log');
  await migrate(database, () => 1, migrations.slice(0, before));
  await sql`insert into social_hub_log (id, hub_id, action, moderator_id, subject_id, post_id, created_at)
    values ('1', 'hub', 'warning', 'ada', 'bob', 'post', 7)`.execute(database.db);
  await migrate(database, () => 2);
  const bare = { db: database.db };
  expect(await deedsIn(bare, { kind: 'hub', id: 'hub' }, { action: 'warning', subjectId: 'bob' }).execute()).toEqual([
    {
      id: '1',
      kind: 'hub',
      room_id: 'hub',
      action: 'warning',
      actor_id: 'ada',
      subject_id: 'bob',
      reason: null,
      item_id: 'post',
      ends_at: null,
      created_at: 7,
    },
  ]);
});
