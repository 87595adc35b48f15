import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/platform/store/database.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { bundle, type Bundle } from '../support/bundle.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../support/stores.ts';
import { inStage } from '../support/stage.ts';

const rows = Array.from({ length: 10 }, (_, index) => `row ${index}`);
const bad = 'row 4';

async function counts({ db }: Database): Promise<number[]> {
  const found = db.selectFrom('used_direct_login_tokens').select('expires_at').orderBy('nonce');
  return (await found.execute()).map((row) => row.expires_at);
}

describe('a sweep whose process dies', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/support/sweeper.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
  });

  it.each(bothEngines)(
    'between two steps, or in one, is completed by the next run, which does nothing twice, on %s',
    async (engine) => {
      await using created = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
      await using folder = await temporaryFolder();
      if (created === undefined) await putMigratedStore(folder.path);
      const place = { dataDir: folder.path, url: created?.url };
      const inStore = async <T>(body: (database: Database) => Promise<T>): Promise<T> => {
        await using database = await openDatabase(place);
        return await body(database);
      };
      await inStore(async ({ db }) => {
        const values = rows.map((nonce) => ({ nonce, expires_at: 0 }));
        await db.insertInto('used_direct_login_tokens').values(values).execute();
      });
      const run = async (...die: string[]) => {
        const args = [program.path, place.dataDir, place.url ?? '-', ...die, bad];
        const { stdout, signal } = await execa(process.execPath, args, { reject: false, stderr: 'inherit' });
        return signal ?? stdout;
      };
      const done = (many: number) => rows.map((_, at) => (at < many ? 1 : 0));

      expect(await run('after', '1')).toBe('SIGKILL');
      expect(await inStore(counts)).toEqual(done(3));
      // Now the first step fails with its bad row, so that each of them has one of its own.
      expect(await run('inside', '2')).toBe('SIGKILL');
      expect(await inStore(counts)).toEqual(done(3));
      expect(await run('after', '2')).toBe('SIGKILL');
      expect(await inStore(counts)).toEqual(done(4));
      const more = [
        ['inside', '3'],
        ['after', '4'],
      ];
      for (const die of inStage([], [], more)) expect(await run(...die)).toBe('SIGKILL');
      expect(await run('never', '0')).toBe('failed');
      expect(await inStore(counts)).toEqual(rows.map((name) => (name === bad ? 0 : 1)));
    },
    300_000,
  );
});
