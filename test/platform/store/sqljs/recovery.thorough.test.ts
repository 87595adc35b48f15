import { copyFile, mkdir, open, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { loadBuild } from '../../../../src/platform/store/sqljs/build.ts';
import { openConnection } from '../../../../src/platform/store/sqljs/connection.ts';
import { applicationId } from '../../../../src/platform/store/sqljs/header.ts';
import { nodeDisk } from '../../../../src/platform/store/sqljs/disk.ts';
import { openFiles } from '../../../../src/platform/store/sqljs/files.ts';
import { startRuntime } from '../../../../src/platform/store/sqljs/runtime.ts';
import { askPragma } from '../../../support/store-tables.ts';
import { jobRow } from '../../../support/jobs.ts';
import { hasStockSqlite } from '../../../support/kill-rounds.ts';
import { putMigratedStore, temporaryFolder } from '../../../support/stores.ts';

/** What a process that is killed now would leave. */
async function copyStore(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of ['store.db', 'store.db-wal', 'store.db-journal']) {
    try {
      await copyFile(join(from, name), join(to, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

interface Content {
  readonly ids: string[];
  readonly integrity: unknown;
  readonly journal: unknown;
}

async function contentOf(dataDir: string): Promise<Content> {
  await using database = await openDatabase({ dataDir });
  const rows = await database.db.selectFrom('jobs').select('id').orderBy('run_at').execute();
  return {
    ids: rows.map(({ id }) => id),
    integrity: (await askPragma(database, 'integrity_check'))[0],
    journal: (await askPragma(database, 'journal_mode'))[0],
  };
}

describe('what a dead process leaves', () => {
  it('is rolled back from a hot journal', async () => {
    await using folder = await temporaryFolder();
    const [dataDir, crashed] = [join(folder.path, 'data'), join(folder.path, 'crashed')];
    await putMigratedStore(dataDir);
    {
      await using database = await openDatabase({ dataDir });
      for (let index = 0; index < 50; index += 1)
        await database.db
          .insertInto('jobs')
          .values(jobRow(`row ${index}`, { run_at: index, payload: 'old'.repeat(1000) }))
          .execute();
    }
    const files = openFiles(dataDir, nodeDisk);
    const connection = openConnection(await startRuntime(await loadBuild(), files), files, 'store.db');
    try {
      connection.run('pragma locking_mode = exclusive', []);
      expect(connection.run('pragma journal_mode = delete', []).rows).toEqual([{ journal_mode: 'delete' }]);
      // So small a cache that changed pages go to the file before the commit.
      connection.run('pragma cache_size = 2', []);
      connection.run('begin', []);
      connection.run("update jobs set payload = 'new', id = id || ' new'", []);
      connection.run('delete from jobs where run_at > 25', []);
      await copyStore(dataDir, crashed);
    } finally {
      connection.close();
    }
    expect((await stat(join(crashed, 'store.db-journal'))).size).toBeGreaterThan(512);
    expect((await readFile(join(crashed, 'store.db'))).includes(' new')).toBe(true);
    const { ids, integrity, journal } = await contentOf(crashed);
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => `row ${index}`));
    expect({ integrity, journal }).toEqual({ integrity: 'ok', journal: 'wal' });
    await expect(stat(join(crashed, 'store.db-journal'))).rejects.toThrow('ENOENT');
  });

  it('is read from the log up to its last whole commit', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const ends: number[] = [];
    const whole = join(folder.path, 'whole');
    await putMigratedStore(dataDir);
    {
      await using database = await openDatabase({ dataDir });
      // The tables go into the database file; from here on there are rows in the log alone.
      await database.snapshot(async () => await Promise.resolve());
      for (let index = 0; index < 12; index += 1) {
        await database.db
          .insertInto('jobs')
          .values(jobRow(`row ${index}`, { run_at: index, payload: 'x'.repeat(index * 900) }))
          .execute();
        ends.push((await stat(join(dataDir, 'store.db-wal'))).size);
      }
      await copyStore(dataDir, whole);
    }
    const expectedAfter = (cut: number): string[] => ends.flatMap((end, index) => (end <= cut ? [`row ${index}`] : []));
    const last = ends.at(-1) ?? 0;
    const cuts = [0, 1, 31, 32, 33, ends[0]! - 1, ends[0]!, ends[4]! + 100, ends[7]! - 4000, last - 1, last];
    for (const [index, cut] of cuts.entries()) {
      const copy = join(folder.path, `cut-${index}`);
      await copyStore(whole, copy);
      await truncate(join(copy, 'store.db-wal'), cut);
      if (hasStockSqlite) {
        const other = `${copy}-stock`;
        await copyStore(copy, other);
        const { stdout } = await execa('sqlite3', [
          join(other, 'store.db'),
          'pragma integrity_check; select count(*) from jobs',
        ]);
        expect(stdout).toBe(`ok\n${expectedAfter(cut).length}`);
      }
      expect(await contentOf(copy)).toEqual({ ids: expectedAfter(cut), integrity: 'ok', journal: 'wal' });
    }
    // A page of the fifth commit that was written wrongly.
    const flipped = join(folder.path, 'flipped');
    await copyStore(whole, flipped);
    const log = await open(join(flipped, 'store.db-wal'), 'r+');
    await log.write(Buffer.from([0xff, 0x00, 0xff]), 0, 3, ends[3]! + 24 + 2000);
    await log.close();
    expect((await contentOf(flipped)).ids).toEqual(['row 0', 'row 1', 'row 2', 'row 3']);
  });

  it('opens in other programs, with a log and without', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const copy = join(folder.path, 'copy');
    await putMigratedStore(dataDir);
    {
      await using database = await openDatabase({ dataDir });
      await database.db.insertInto('jobs').values(jobRow('ä €')).execute();
      await copyStore(dataDir, copy);
    }
    const { default: initSqlJs } = await import('sql.js');
    const { Database } = await initSqlJs();
    const plain = new Database(await readFile(join(dataDir, 'store.db')));
    expect(plain.exec('pragma integrity_check; select id from jobs').map(({ values }) => values)).toEqual([
      [['ok']],
      [['ä €']],
    ]);
    plain.close();
    if (!hasStockSqlite) return;
    for (const place of [dataDir, copy]) {
      const { stdout } = await execa('sqlite3', [
        join(place, 'store.db'),
        'pragma integrity_check; pragma application_id; select id from jobs',
      ]);
      expect(stdout).toBe(`ok\n${applicationId}\nä €`);
    }
  });
});
