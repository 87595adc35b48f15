import { describe, expect, it } from 'vitest';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { listen, notify } from '../../../src/platform/store/signals.ts';
import { eventually } from '../../support/eventually.ts';
import { bothEngines, createPostgresDatabase, openTestStore } from '../../support/stores.ts';
import { staysSo } from '../../support/real-time.ts';

describe.each(bothEngines)('signals on %s', (engine) => {
  it('arrive after the commit, once each, and not without it', async () => {
    await using database = await openTestStore(engine);
    const heard: string[] = [];
    const listening = await listen(database, 'sessions', (payload) => heard.push(payload));
    const other = await listen(database, 'jobs', (payload) => heard.push(`jobs ${payload}`));
    await database.transaction(async (db) => {
      await notify(db, 'sessions', 'ended 1');
      await notify(db, 'sessions', 'ended 1');
      await notify(db, 'sessions', 'ended ä 2');
      await staysSo(() => expect(heard).toEqual([]), 30);
    });
    const failed = database.transaction(async (db) => {
      await notify(db, 'sessions', 'never');
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    await notify(database.db, 'jobs', 'direct');
    await eventually(() => expect(heard).toEqual(['ended 1', 'ended ä 2', 'jobs direct']));
    await listening[Symbol.asyncDispose]();
    await notify(database.db, 'sessions', 'unheard');
    await notify(database.db, 'jobs', 'heard');
    await eventually(() => expect(heard.at(-1)).toBe('jobs heard'));
    expect(heard).not.toContain('sessions unheard');
    expect(heard).toHaveLength(4);
    await other[Symbol.asyncDispose]();
  });

  it('reach each of several listeners, until each is gone', async () => {
    await using database = await openTestStore(engine);
    const heard: string[] = [];
    const handler = (payload: string): void => void heard.push(payload);
    const first = await listen(database, 'jobs', handler);
    const second = await listen(database, 'jobs', handler);
    await notify(database.db, 'jobs', 'a');
    await eventually(() => expect(heard).toEqual(['a', 'a']));
    await first[Symbol.asyncDispose]();
    await notify(database.db, 'jobs', 'b');
    await eventually(() => expect(heard).toEqual(['a', 'a', 'b']));
    await second[Symbol.asyncDispose]();
  });

  it('have names and payloads that both engines take', async () => {
    await using database = await openTestStore(engine);
    await expect(notify(database.db, 'Sessions; drop', '')).rejects.toThrow(RangeError);
    await expect(listen(database, '', () => {})).rejects.toThrow(RangeError);
    await expect(notify(database.db, 'jobs', 'ä'.repeat(4_000))).rejects.toThrow(RangeError);
    await expect(notify(database.db, 'jobs', 'x'.repeat(7_999))).resolves.toBeUndefined();
  });
});

describe.runIf(bothEngines.includes('postgres'))('signals between processes on PostgreSQL', () => {
  it('are heard by all, and again after the connection was lost', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using first = await openPostgresDatabase(created.url);
    await using second = await openPostgresDatabase(created.url);
    const heard: string[] = [];
    const listening = await listen(
      second,
      'jobs',
      (payload) => heard.push(payload),
      () => heard.push('gap'),
    );
    await notify(first.db, 'jobs', 'before');
    await eventually(() => expect(heard).toEqual(['before']));
    const { sql } = await import('kysely');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%' and pid <> pg_backend_pid()`.execute(first.db);
    await eventually(() => expect(heard).toEqual(['before', 'gap']));
    await notify(first.db, 'jobs', 'after');
    await eventually(() => expect(heard).toEqual(['before', 'gap', 'after']));
    await listening[Symbol.asyncDispose]();
  });
});
