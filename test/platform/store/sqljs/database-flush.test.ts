import { describe, expect, it } from 'vitest';
import type { Db } from '../../../../src/platform/store/database.ts';
import { migrate } from '../../../../src/platform/store/migrations.ts';
import { nodeDisk, type Disk } from '../../../../src/platform/store/sqljs/disk.ts';
import { openSqljsDatabase } from '../../../../src/platform/store/sqljs/sqljs-database.ts';
import { jobRow } from '../../../support/jobs.ts';
import { temporaryFolder } from '../../../support/stores.ts';

const MEGABYTE = 'x'.repeat(1_000_000);
const add = (id: string) => async (db: Db) => {
  await db
    .insertInto('jobs')
    .values(jobRow(id, { payload: MEGABYTE }))
    .execute();
};

/** A disk that notes, in order, what happens to the database and to the beginning of the log. Flushes beside the event loop end when told. */
function watchedDisk() {
  const names = new Map<number, string>();
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const state = { fault: undefined as string | undefined };
  const disk: Disk = {
    ...nodeDisk,
    openSync(path, flags, mode) {
      const fd = nodeDisk.openSync(path, flags, mode);
      names.set(fd, String(path).endsWith('-wal') ? 'log' : 'database');
      return fd;
    },
    writeSync: ((fd: number, bytes: Buffer, from: number, size: number, at: number) => {
      if (names.get(fd) === 'log' && at === 0) seen.push('log begins again');
      return nodeDisk.writeSync(fd, bytes, from, size, at);
    }) as Disk['writeSync'],
    fdatasyncSync(fd) {
      if (names.get(fd) === 'database') seen.push('flushed');
      nodeDisk.fdatasyncSync(fd);
    },
    fdatasync(fd, done) {
      seen.push(`begun for the ${names.get(fd)}`);
      waiting.push(() =>
        nodeDisk.fdatasync(fd, (error) => {
          seen.push('flushed beside');
          done(state.fault === undefined ? error : Object.assign(new Error(state.fault), { code: state.fault }));
        }),
      );
    },
  };
  return { disk, seen, waiting, state };
}

async function openWatched() {
  const folder = await temporaryFolder();
  const watched = watchedDisk();
  const database = await openSqljsDatabase(folder.path, watched.disk);
  await migrate(database);
  watched.seen.length = 0;
  return {
    ...watched,
    database,
    path: folder.path,
    /** Writes until SQLite has moved the log into the database. */
    async untilMoved() {
      for (let turn = 0; turn < 40 && watched.waiting.length === 0; turn += 1)
        await database.transaction(add(`t${turn}`));
      expect(watched.waiting).toHaveLength(1);
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('the flush of the database after a checkpoint', () => {
  it('takes place beside the event loop, and is over before the log is written from its beginning', async () => {
    await using opened = await openWatched();
    await opened.untilMoved();
    // The transaction that filled the log was answered without it.
    expect(opened.seen.at(-1)).toBe('begun for the database');
    await opened.database.transaction(add('next'));
    expect(opened.seen.slice(-3)).toEqual(['begun for the database', 'flushed', 'log begins again']);
    for (const end of opened.waiting) end();
  });

  it('is not done twice when it was quick', async () => {
    await using opened = await openWatched();
    await opened.untilMoved();
    opened.waiting[0]?.();
    await expect.poll(() => opened.seen.at(-1)).toBe('flushed beside');
    await opened.database.transaction(add('next'));
    expect(opened.seen.slice(-3)).toEqual(['begun for the database', 'flushed beside', 'log begins again']);
  });

  it('keeps the log if the disk refuses it: nothing is written any more, and the next start has everything', async () => {
    await using opened = await openWatched();
    await opened.untilMoved();
    opened.state.fault = 'EIO';
    opened.waiting[0]?.();
    await expect.poll(() => opened.seen.at(-1)).toBe('flushed beside');
    const ids = async (db: Db) =>
      (await db.selectFrom('jobs').select('id').orderBy('id').execute()).map(({ id }) => id);
    const before = await ids(opened.database.db);
    for (const id of ['lost', 'lost-too'])
      await expect(opened.database.transaction(add(id))).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('EIO'),
      });
    expect(opened.seen).not.toContain('log begins again');
    expect(await ids(opened.database.db)).toEqual(before);
    await opened.database[Symbol.asyncDispose]();
    await using again = await openSqljsDatabase(opened.path);
    expect(await ids(again.db)).toEqual(before);
    await again.transaction(add('found'));
    expect(await ids(again.db)).toEqual([...before, 'found'].toSorted());
  });
});
