import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { Database, Db } from './database.ts';
import { createErasureKeys, openErasureKeys, type ErasureKeys } from './erasure-keys.ts';
import type { FileErasureRow } from './tables/filevault.ts';
import { writtenQuery } from './written-query.ts';

/**
 * Keys outside the database and its backups. What is sealed under the key of a slot can't be opened once the slot is erased, whatever
 * backup of the database comes back. Each slot is for one thing.
 *
 * Every use compares the generation of the file with the one that the database has: an erasure counts up the database first and then the
 * file, so a file that is behind is a copy from before. A database that was restored may be behind its file.
 */
export interface Erasure {
  /** @returns a slot that was never handed out, with its key of 32 bytes. @throws Problem as `keyOf` */
  take(): Promise<{ readonly slot: number; readonly key: Uint8Array }>;
  /**
   * Not for use in a transaction.
   * @returns 32 bytes; undefined: the slot was erased
   * @throws Problem unavailable ERASURE_KEYS_MISSING, ERASURE_KEYS_STALE; gone FILE_KEYS_LOST; and those of erasure-keys.ts
   */
  keyOf(slot: number): Promise<Uint8Array | undefined>;
  /**
   * Erases the keys of slots for good. Erasing them again changes nothing, and lost ones need none.
   * @throws Problem unavailable STORE_FULL; otherwise as `keyOf`
   */
  erase(slots: readonly number[]): Promise<void>;
  /**
   * The file that is in use, and the generation that it has at least; undefined: nothing was ever sealed under one.
   * @throws Problem as `keyOf`
   */
  check(): Promise<{ readonly path: string; readonly id: string; readonly generation: number } | undefined>;
}

interface Options {
  /** of the file of keys; it is made when it is first needed */
  readonly path: string;
  readonly store: Database;
  readonly random: (size: number) => Uint8Array;
}

/** @returns the path of the file of keys */
export function erasureKeysPath({
  dataDir,
  files,
}: {
  readonly dataDir: string;
  readonly files: { readonly erasureKeysFile: string | undefined };
}): string {
  return files.erasureKeysFile ?? join(dataDir, 'erasure.keys');
}

/** Slots that one statement takes for this process. Those that are left when it ends are never used. */
const AT_ONCE = 256;

const findFiles = writtenQuery<FileErasureRow>('select * from file_erasure');

/** Those of all files of keys that the store ever had. */
export async function erasureFiles(db: Db): Promise<readonly FileErasureRow[]> {
  return (await db.executeQuery(findFiles())).rows;
}

/** The file in use. */
export function fileInUse(files: readonly FileErasureRow[]): FileErasureRow | undefined {
  return files.find(({ lost }) => lost === 0);
}

/** The generation that the file of a row has at least. */
export function lowestGeneration({ generation, unfinished }: FileErasureRow): number {
  return generation - unfinished;
}

export function openErasure({ path, store, random }: Options): Erasure {
  let opening: Promise<ErasureKeys> | undefined;
  let free: number[] = [];
  let taking: Promise<void> | undefined;

  /** @param row of the file in use; without one, the file is made */
  async function keys(row: FileErasureRow | undefined): Promise<ErasureKeys> {
    opening ??= openFor(store, path, random, row?.id);
    try {
      const file = await opening;
      const generation = row === undefined ? 0 : await file.generation();
      if (row !== undefined && generation > row.generation) await countUp(store, file.id, generation);
      return file;
    } catch (error) {
      // The operator may put the file back while the server runs.
      opening = undefined;
      // Also one that this user may not read.
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : missing(path, error);
    }
  }

  async function takeMore(): Promise<void> {
    const { id } = await keys(fileInUse(await erasureFiles(store.db)));
    const next = await store.transaction(async (db) => {
      const row = await db
        .updateTable('file_erasure')
        .set({ next_slot: sql`next_slot + ${AT_ONCE}` })
        .where('id', '=', id)
        .returning('next_slot')
        .executeTakeFirstOrThrow();
      return row.next_slot;
    });
    free = Array.from({ length: AT_ONCE }, (_, index) => next - AT_ONCE + index);
  }

  async function keyOf(slot: number): Promise<Uint8Array | undefined> {
    const files = await erasureFiles(store.db);
    if (isLost(files, slot)) throw keysLost();
    const row = fileInUse(files);
    return await (await keys(row)).keyOf(slot, row && lowestGeneration(row));
  }

  return {
    keyOf,
    async take() {
      for (;;) {
        const slot = free.shift();
        if (slot === undefined) {
          taking ??= takeMore().finally(() => (taking = undefined));
          await taking;
          continue;
        }
        // A database that was restored from a backup counts anew, and may come to slots that are erased.
        const key = await keyOf(slot);
        if (key !== undefined) return { slot, key };
      }
    },
    async erase(slots) {
      const files = await erasureFiles(store.db);
      const row = fileInUse(files);
      const here = slots.filter((slot) => !isLost(files, slot));
      if (row === undefined || here.length === 0) return;
      const file = await keys(row);
      const isDone = !(await file.hasAny(here, lowestGeneration(row)));
      if (isDone && row.unfinished === 0) return;
      await store.transaction(async (db) => await count(db, row.id));
      // No other process writes the file meanwhile.
      await store.exclusively(async (db) => {
        const now = await db.selectFrom('file_erasure').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow();
        const written = await file.erase(here, lowestGeneration(now), now.generation);
        await db
          .updateTable('file_erasure')
          .set({ generation: written, unfinished: 0 })
          .where('id', '=', row.id)
          .execute();
      });
    },
    async check() {
      const row = fileInUse(await erasureFiles(store.db));
      if (row === undefined) return undefined;
      const file = await keys(row);
      await file.hasAny([], lowestGeneration(row));
      return { path, id: row.id, generation: row.generation };
    },
  };
}

/** Counts an erasure that begins. */
async function count(db: Db, id: string): Promise<void> {
  await db
    .updateTable('file_erasure')
    .set({ generation: sql`generation + 1`, unfinished: sql`unfinished + 1` })
    .where('id', '=', id)
    .execute();
}

/** A database that was restored is behind its file. From now on, copies of the file from in between count as such. */
async function countUp(store: Database, id: string, generation: number): Promise<void> {
  await store.transaction(async (db) => {
    await db
      .updateTable('file_erasure')
      .set({ generation, unfinished: 0 })
      .where('id', '=', id)
      .where('generation', '<', generation)
      .execute();
  });
}

function isLost(files: readonly FileErasureRow[], slot: number): boolean {
  return files.some((row) => row.lost === 1 && row.first_slot <= slot && slot < row.next_slot);
}

/**
 * The file is made before the row that names it. A crash between them leaves a file that nothing is sealed under, and the next process
 * takes it.
 */
async function openFor(
  store: Database,
  path: string,
  random: Options['random'],
  named: string | undefined,
): Promise<ErasureKeys> {
  if (named === undefined) await createErasureKeys(path, random).catch(ifExists);
  const file = await openErasureKeys(path);
  const id = named ?? (await nameFile(store, file.id));
  if (id === file.id) return file;
  await file[Symbol.asyncDispose]();
  throw missing(path);
}

/** @returns the id of the file in use, which another process may have named meanwhile */
async function nameFile(store: Database, id: string): Promise<string | undefined> {
  return await store.transaction(async (db) => {
    const files = await erasureFiles(db);
    const other = fileInUse(files);
    if (other !== undefined) return other.id;
    // One whose keys were given up is there again. What is sealed from now on needs another one.
    if (files.some((row) => row.id === id)) return undefined;
    const first = Math.max(0, ...files.map(({ next_slot }) => next_slot));
    await db
      .insertInto('file_erasure')
      .values({ id, first_slot: first, next_slot: first, generation: 0, unfinished: 0, lost: 0 })
      .execute();
    return id;
  });
}

function ifExists(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

function missing(path: string, cause?: unknown): Problem {
  return new Problem(
    'unavailable',
    'ERASURE_KEYS_MISSING',
    `The erasure keys of this store are not in the file ${basename(path)}. Put back the file that belongs to the store. Without it no file of the file vault can be opened`,
    { cause },
  );
}

function keysLost(): Problem {
  return new Problem(
    'gone',
    'FILE_KEYS_LOST',
    'The keys of this file were lost before the store was restored, so nobody can open it any more. It can be removed',
  );
}
