import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Database, Db } from '../../../src/store/database.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { nodeDisk, type Disk } from '../../../src/store/sqljs/disk.ts';
import { openSqljsDatabase } from '../../../src/store/sqljs/sqljs-database.ts';
import { jobRow } from '../../support/jobs.ts';
import { temporaryFolder } from '../../support/stores.ts';

interface Flush {
  /** @param code of the error that the disk gives instead */
  end(code?: string): void;
}

/** A store whose flushes beside the event loop end when told. */
async function openHeld() {
  const folder = await temporaryFolder();
  const names = new Map<number, string>();
  const flushes: Flush[] = [];
  const here: string[] = [];
  const moves: string[] = [];
  const disk: Disk = {
    ...nodeDisk,
    openSync(path, flags, mode) {
      const fd = nodeDisk.openSync(path, flags, mode);
      names.set(fd, String(path).endsWith('-wal') ? 'log' : 'database');
      return fd;
    },
    fdatasyncSync(fd) {
      here.push(names.get(fd) ?? '');
      nodeDisk.fdatasyncSync(fd);
    },
    fdatasync(fd, done) {
      if (names.get(fd) !== 'log') {
        moves.push('database');
        return nodeDisk.fdatasync(fd, done);
      }
      flushes.push({
        end(code) {
          if (code !== undefined) done(Object.assign(new Error(`${code}: made by a test`), { code }));
          else nodeDisk.fdatasync(fd, done);
        },
      });
    },
  };
  const database = await openSqljsDatabase(folder.path, disk);
  await migrate(database);
  // The log is empty, and a group takes what comes, however slow the machine is.
  await database.snapshot(async () => {});
  await database.transaction(add('first'));
  await database.db.deleteFrom('jobs').execute();
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(0);
  here.length = 0;
  return {
    database,
    path: folder.path,
    flushes,
    here,
    moves,
    async [Symbol.asyncDispose]() {
      stopped.mockRestore();
      for (const { end } of flushes) end();
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const add = (id: string) => async (db: Db) => {
  await db.insertInto('jobs').values(jobRow(id)).execute();
  return id;
};
const ids = async (db: Db) => (await db.selectFrom('jobs').select('id').orderBy('id').execute()).map(({ id }) => id);

/** Transactions that come together, and what became of them so far. */
function group(database: Database, ...names: string[]) {
  const told: string[] = [];
  const all = Promise.allSettled(
    names.map(async (name) => {
      try {
        told.push(await database.transaction(add(name)));
      } catch (error) {
        told.push(`${name}: ${(error as { code: string }).code}`);
      }
    }),
  );
  return { told, all };
}

const pause = async (): Promise<void> => await sleep(30);
const five = ['a1', 'a2', 'a3', 'a4', 'a5'];
const more = ['b1', 'b2', 'b3', 'b4'];

describe('the flush of transactions that came together', () => {
  it('takes place beside the event loop, and each is answered after it', async () => {
    await using opened = await openHeld();
    const { database, flushes, here } = opened;
    const first = group(database, ...five);
    await expect.poll(() => flushes.length).toBe(1);
    await pause();
    expect([first.told, here]).toEqual([[], []]);
    flushes[0]?.end();
    await first.all;
    expect(first.told).toEqual(five);
    expect(database.flushed()).toBeUndefined();
    // One alone takes no longer than another thread would.
    await database.transaction(add('alone'));
    expect([flushes.length, here]).toEqual([1, ['log']]);
  });

  it('lets others go on meanwhile, who share the next flush, whatever they are', async () => {
    await using opened = await openHeld();
    const { database, flushes } = opened;
    const first = group(database, ...five);
    await expect.poll(() => flushes.length).toBe(1);
    const second = group(database, ...more);
    await pause();
    const third = group(database, 'c');
    const seen = database.transaction(async (db) => (await ids(db)).length);
    await pause();
    expect([first.told, second.told, third.told, flushes.length]).toEqual([[], [], [], 1]);
    flushes[0]?.end();
    await first.all;
    await expect.poll(() => flushes.length).toBe(2);
    await pause();
    expect([second.told, third.told]).toEqual([[], []]);
    flushes[1]?.end();
    await Promise.all([second.all, third.all]);
    expect([second.told, third.told, await seen, flushes.length]).toEqual([more, ['c'], 10, 2]);
  });

  it('is over before a read or a refusal tells of it, or an exclusive transaction begins', async () => {
    await using opened = await openHeld();
    const { database, flushes } = opened;
    const first = group(database, ...five);
    await expect.poll(() => flushes.length).toBe(1);
    const told: string[] = [];
    const reading = ids(database.db).then((found) => told.push(`read ${found.length}`));
    const refusal = database
      .transaction(async (db) => {
        throw new Error(`there are ${(await ids(db)).length}`);
      })
      .catch((error: unknown) => told.push((error as Error).message));
    const taken = database.transaction(add('a1')).catch((error: unknown) => told.push((error as Error).name));
    await pause();
    expect(told).toEqual([]);
    // Whoever reads ahead waits itself.
    expect(await ids(database.ahead)).toEqual(five);
    const flushed = database.flushed()?.then(() => told.push('flushed'));
    expect(flushed).toBeDefined();
    const exclusive = database.exclusively(async () => told.push('exclusive'));
    await pause();
    expect(told).toEqual([]);
    flushes[0]?.end();
    await Promise.all([first.all, reading, refusal, taken, flushed, exclusive]);
    const all = ['UniqueViolation', 'exclusive', 'flushed', 'read 5', 'there are 5'];
    expect(told.toSorted()).toEqual(all);
  });

  it('refuses everything when the disk has failed, until the next start, which has all that was acknowledged', async () => {
    await using opened = await openHeld();
    const { database, flushes } = opened;
    await database.transaction(add('before'));
    const first = group(database, ...five);
    await expect.poll(() => flushes.length).toBe(1);
    const second = group(database, ...more);
    const reading = ids(database.db);
    reading.catch(() => {});
    await pause();
    flushes[0]?.end('EIO');
    await Promise.all([first.all, second.all]);
    expect(first.told).toEqual(five.map((name) => `${name}: STORE_UNAVAILABLE`));
    expect(second.told).toEqual(more.map((name) => `${name}: STORE_UNAVAILABLE`));
    const refused = {
      kind: 'unavailable',
      code: 'STORE_UNAVAILABLE',
      message: 'The disk did not keep what was written (EIO). Check the disk, and restart the server',
    };
    await expect(reading).rejects.toMatchObject(refused);
    await expect(ids(database.db)).rejects.toMatchObject(refused);
    await expect(database.flushed()).rejects.toMatchObject(refused);
    await expect(database.transaction(add('later'))).rejects.toMatchObject(refused);
    await expect(database.assertWritable()).rejects.toMatchObject(refused);
    await database[Symbol.asyncDispose]();
    await using again = await openSqljsDatabase(opened.path);
    expect(await ids(again.db)).toContain('before');
    expect(await ids(again.db)).not.toContain('later');
  });

  it('says that the disk is full if that is why', async () => {
    await using opened = await openHeld();
    const first = group(opened.database, ...five);
    await expect.poll(() => opened.flushes.length).toBe(1);
    opened.flushes[0]?.end('ENOSPC');
    await first.all;
    expect(first.told).toEqual(five.map((name) => `${name}: STORE_FULL`));
  });

  it('takes place in the event loop if a checkpoint follows at once', async () => {
    await using opened = await openHeld();
    const { database, flushes, here, moves } = opened;
    const payload = 'x'.repeat(50_000);
    for (let round = 0; moves.length === 0 && round < 60; round += 1) {
      for (const { end } of flushes.splice(0)) end();
      await database.flushed();
      here.length = 0;
      const all = five.map(
        async (name) =>
          await database.transaction(
            async (db) =>
              await db
                .insertInto('jobs')
                .values(jobRow(`${name}-${round}`, { payload }))
                .execute(),
          ),
      );
      await expect.poll(() => flushes.length + moves.length).toBeGreaterThan(0);
      if (moves.length === 0) flushes[0]?.end();
      await Promise.all(all);
    }
    expect([moves.length, flushes.length, here[0]]).toEqual([1, 0, 'log']);
  });

  it('is waited for when the store is closed', async () => {
    await using opened = await openHeld();
    const { database, flushes } = opened;
    const first = group(database, ...five);
    await expect.poll(() => flushes.length).toBe(1);
    const told: string[] = [];
    const closed = database[Symbol.asyncDispose]().then(() => told.push('closed'));
    await pause();
    expect(told).toEqual([]);
    flushes[0]?.end();
    await Promise.all([first.all, closed]);
    expect(first.told).toEqual(five);
  });
});
