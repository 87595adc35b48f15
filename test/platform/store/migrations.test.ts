import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/platform/store/database.ts';
import {
  latestVersion,
  migrate,
  migrations,
  schemaVersion,
  type Migration,
} from '../../../src/platform/store/migrations.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { deedsIn } from '../../../src/shared/groups/log.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';

/** An empty place, and as many connections to it as wanted (one, on the embedded engine). */
async function emptyPlace(
  engine: (typeof bothEngines)[number],
): Promise<AsyncDisposable & { open: () => Promise<Database> }> {
  if (engine === 'sqljs') {
    const folder = await temporaryFolder();
    return { open: () => openSqljsDatabase(folder.path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  }
  const created = await createPostgresDatabase({ migrated: false });
  return { open: () => openPostgresDatabase(created.url), [Symbol.asyncDispose]: () => created[Symbol.asyncDispose]() };
}

const broken: Migration = {
  version: 1_000,
  name: 'broken',
  async up(db) {
    await db.schema.createTable('half_made').addColumn('id', 'integer').execute();
    await sql`insert into half_made (id) values (1)`.execute(db);
    await sql`select * from nowhere`.execute(db);
  },
};

it('are numbered from one, without gaps, and named once', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
});

describe.each(bothEngines)('migrations on %s', (engine) => {
  it('run once, in order, and are written down', async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    expect(await schemaVersion(database)).toBe(0);
    expect(await migrate(database, () => 7, migrations.slice(0, 1))).toEqual({ from: 0, to: 1, applied: ['accounts'] });
    expect(await migrate(database, () => 8)).toEqual({
      from: 1,
      to: latestVersion(),
      applied: migrations.slice(1).map(({ name }) => name),
    });
    expect(await migrate(database, () => 9)).toEqual({ from: latestVersion(), to: latestVersion(), applied: [] });
    const { rows } = await sql`select version, name, applied_at from schema_migrations order by version`.execute(
      database.db,
    );
    expect(rows).toEqual(
      migrations.map(({ version, name }, index) => ({ version, name, applied_at: index === 0 ? 7 : 8 })),
    );
  });

  it('leave a store as it was when one fails', { tags: 'thorough' }, async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    await expect(migrate(database, () => 1, [...migrations, broken])).rejects.toThrow('nowhere');
    expect(await schemaVersion(database)).toBe(0);
    await migrate(database);
    await expect(migrate(database, () => 1, [...migrations, broken])).rejects.toThrow('nowhere');
    expect(await schemaVersion(database)).toBe(latestVersion());
    await expect(sql`select * from half_made`.execute(database.db)).rejects.toThrow('half_made');
    expect(await database.db.selectFrom('members').selectAll().execute()).toEqual([]);
  });

  it('may be asked for by several at once', { tags: 'thorough' }, async () => {
    await using place = await emptyPlace(engine);
    const databases =
      engine === 'sqljs' ? [await place.open()] : await Promise.all([1, 2, 3, 4].map(() => place.open()));
    const reports = await Promise.all(databases.flatMap((database) => [migrate(database), migrate(database)]));
    expect(reports.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(reports.filter(({ applied }) => applied.length === 0)).toHaveLength(reports.length - 1);
    for (const database of databases) {
      expect(await schemaVersion(database)).toBe(latestVersion());
      await database[Symbol.asyncDispose]();
    }
  });

  it('keep what moderators of hubs did, in the log of rooms of every kind', async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    const before = migrations.findIndex(({ name }) => name === 'room-log');
    await migrate(database, () => 1, migrations.slice(0, before));
    await sql`insert into social_hub_log (id, hub_id, action, moderator_id, subject_id, post_id, created_at)
      values ('1', 'one', 'warning', 'ada', 'bob', 'post', 7)`.execute(database.db);
    await migrate(database, () => 2);
    const about = { action: 'warning', subjectId: 'bob' };
    expect(await deedsIn({ db: database.db }, { kind: 'hub', id: 'one' }, about).execute()).toEqual([
      {
        id: '1',
        kind: 'hub',
        room_id: 'one',
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

  it('count all conversations that members began before as begun with strangers, and no channel', async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    const { db } = database;
    const before = migrations.findIndex(({ name }) => name === 'begun-with-strangers');
    await migrate(database, () => 1, migrations.slice(0, before));
    for (const type of ['channel', 'direct', 'group', 'social_direct', 'social_group'])
      await sql`insert into conversations
        (id, type, mode, history_visible, created_by, created_at, last_seq, active_at, told_at, noticed_seq)
        values (${type}, ${type}, 'server', 0, 'ada', 1, 0, 1, 0, 0)`.execute(db);
    await migrate(database, () => 2);
    const rows = await db.selectFrom('conversations').select(['id', 'begun_with_strangers']).orderBy('id').execute();
    expect(rows.map((row) => [row.id, row.begun_with_strangers])).toEqual([
      ['channel', 0],
      ['direct', 1],
      ['group', 1],
      ['social_direct', 1],
      ['social_group', 1],
    ]);
  });

  it('keep when events happen, and have it written anew', async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    const { db } = database;
    const before = migrations.findIndex(({ name }) => name === 'event-runs');
    await migrate(database, () => 1, migrations.slice(0, before));
    for (const at of [-7, 0, 7])
      await sql`insert into event_instances
        (object_id, recurrence, calendar_id, start_at, end_at, long, opaque, status, visibility)
        values ('o', ${at}, 'c', ${at + 1}, ${at + 4}, 0, 1, 'TENTATIVE', 'PRIVATE')`.execute(db);
    await migrate(database, () => 2);
    const rows = await db.selectFrom('event_runs').selectAll().orderBy('recurrence').execute();
    const alike = { object_id: 'o', calendar_id: 'c', duration: 3, step: 1, long: 0, opaque: 1, status: 'TENTATIVE' };
    expect(rows.map((row) => [row.recurrence, row.start_at, row.end_at])).toEqual([
      [-7, -6, -3],
      [0, 1, 4],
      [7, 8, 11],
    ]);
    for (const row of rows) expect(row).toMatchObject(alike);
  });

  it(
    'find the threads of what was said before there were any, however long, and who follows them',
    { tags: 'thorough' },
    async () => {
      await using place = await emptyPlace(engine);
      await using database = await place.open();
      const { db } = database;
      const before = migrations.findIndex(({ name }) => name === 'threads');
      await migrate(database, () => 1, migrations.slice(0, before));
      for (const type of ['group', 'social_group']) {
        await sql`insert into conversations
        (id, type, mode, history_visible, created_by, created_at, last_seq, active_at, told_at, noticed_seq)
        values (${type}, ${type}, 'server', 0, 'ada', 1, 0, 1, 0, 0)`.execute(db);
        for (const [member, left] of [
          ['ada', null],
          ['bob', null],
          ['cleo', null],
          ['dan', 5],
        ] as const)
          await sql`insert into conversation_places
          (conversation_id, member_id, joined_seq, left_seq, cleared_seq, read_seq, pinned, archived, busy_until)
          values (${type}, ${member}, 0, ${left}, 0, 0, 0, 0, 0)`.execute(db);
      }
      const say = async (conversation: string, seq: number, sender: string, answered: number | null) =>
        await sql`insert into conversation_messages
        (conversation_id, seq, id, sender_id, reply_to_id, epoch, revision, bytes, created_at)
        values (${conversation}, ${seq}, ${`${conversation} ${seq}`}, ${sender},
          ${answered === null ? null : `${conversation} ${answered}`}, 1, 0, 0, ${seq})`.execute(db);
      await say('social_group', 1, 'ada', null);
      await say('social_group', 2, 'bob', 1);
      await say('group', 1, 'ada', null);
      await say('group', 2, 'bob', null);
      await say('group', 3, 'dan', 2);
      await say('group', 4, 'bob', 1);
      // Each answers the one before it.
      for (let seq = 5; seq <= 300; seq += 1) await say('group', seq, 'bob', seq - 1);
      // What was answered is erased, with the part of a deleted conversation.
      await say('group', 301, 'ada', 999);
      await sql`insert into conversation_mentions (conversation_id, member_id, seq)
      values ('group', 'cleo', 300), ('group', '', 299), ('group', 'cleo', 301)`.execute(db);
      await migrate(database, () => 2);
      const rows = await db
        .selectFrom('conversation_messages')
        .select(['conversation_id', 'seq', 'thread_id', 'reply_count', 'last_reply_seq'])
        .orderBy('conversation_id')
        .orderBy('seq')
        .execute();
      const found = rows.map((row) => [row.thread_id, row.reply_count, row.last_reply_seq]);
      expect(found).toEqual([
        [null, 297, 300],
        [null, 1, 3],
        ['group 2', 0, null],
        ...Array.from({ length: 297 }, () => ['group 1', 0, null]),
        [null, 0, null],
        [null, 0, null],
        [null, 0, null],
      ]);
      const places = await db
        .selectFrom('conversation_thread_places')
        .selectAll()
        .orderBy('thread_id')
        .orderBy('member_id')
        .execute();
      const own = { conversation_id: 'group', read_seq: 0, following: 1 };
      expect(places).toEqual([
        { ...own, thread_id: 'group 1', member_id: 'ada' },
        { ...own, thread_id: 'group 1', member_id: 'bob' },
        { ...own, thread_id: 'group 1', member_id: 'cleo' },
        { ...own, thread_id: 'group 2', member_id: 'bob' },
      ]);
    },
  );

  it('change columns under statements that were prepared before', async () => {
    await using place = await emptyPlace(engine);
    await using database = await place.open();
    const table: Migration = {
      version: 1,
      name: 'table',
      async up(db, types) {
        await db.schema.createTable('things').addColumn('one', types.integer).addColumn('two', types.integer).execute();
        await sql`insert into things (one, two) values (1, 2)`.execute(db);
      },
    };
    const rename: Migration = {
      version: 2,
      name: 'rename',
      async up(db, types) {
        await db.schema.alterTable('things').renameColumn('one', 'first').execute();
        await db.schema.alterTable('things').addColumn('three', types.integer).execute();
      },
    };
    await migrate(database, () => 1, [table]);
    const all = async (): Promise<unknown> => (await sql`select * from things`.execute(database.db)).rows;
    expect(await all()).toEqual([{ one: 1, two: 2 }]);
    const abandoned = database.exclusively(async (db) => {
      await rename.up(db, { integer: sql`bigint` } as never);
      expect((await sql`select * from things`.execute(db)).rows).toEqual([{ first: 1, two: 2, three: null }]);
      throw new Error('abandoned');
    });
    await expect(abandoned).rejects.toThrow('abandoned');
    expect(await all()).toEqual([{ one: 1, two: 2 }]);
    await migrate(database, () => 1, [table, rename]);
    expect(await all()).toEqual([{ first: 1, two: 2, three: null }]);
  });
});
