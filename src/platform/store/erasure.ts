import { join } from 'node:path';
import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { Database } from './database.ts';
import { createErasureKeys, openErasureKeys, type ErasureKeys } from './erasure-keys.ts';

/**
 * Keys outside the database and its backups. What is sealed under the key of a slot can't be opened once the slot is erased, whatever
 * backup of the database comes back. Each slot is for one thing.
 */
export interface Erasure {
  /** @returns a slot that was never handed out, with its key of 32 bytes. @throws Problem unavailable ERASURE_KEYS_MISSING */
  take(): Promise<{ readonly slot: number; readonly key: Uint8Array }>;
  /** @returns 32 bytes; undefined: the slot was erased. @throws Problem unavailable ERASURE_KEYS_MISSING */
  keyOf(slot: number): Promise<Uint8Array | undefined>;
  /** Erases the keys of slots for good. Erasing them again changes nothing. @throws Problem unavailable STORE_FULL, ERASURE_KEYS_MISSING */
  erase(slots: readonly number[]): Promise<void>;
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

export function openErasure({ path, store, random }: Options): Erasure {
  let opening: Promise<ErasureKeys> | undefined;
  let free: number[] = [];
  let taking: Promise<void> | undefined;

  async function keys(): Promise<ErasureKeys> {
    opening ??= openFor(store, path, random);
    try {
      return await opening;
    } catch (error) {
      // The operator may put the file back while the server runs.
      opening = undefined;
      throw error;
    }
  }

  async function takeMore(): Promise<void> {
    const { id } = await keys();
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

  return {
    async take() {
      for (;;) {
        const slot = free.shift();
        if (slot === undefined) {
          taking ??= takeMore().finally(() => (taking = undefined));
          await taking;
          continue;
        }
        // A database that was restored from a backup counts anew, and may come to slots that are erased.
        const key = await (await keys()).keyOf(slot);
        if (key !== undefined) return { slot, key };
      }
    },
    async erase(slots) {
      const file = await keys();
      // No other process writes the file meanwhile.
      await store.exclusively(async () => await file.erase(slots));
    },
    async keyOf(slot) {
      return await (await keys()).keyOf(slot);
    },
  };
}

/**
 * The file is made before the row that names it. A crash between them leaves a file that nothing is sealed under, and the next process
 * takes it.
 */
async function openFor(store: Database, path: string, random: Options['random']): Promise<ErasureKeys> {
  const named = await store.db.selectFrom('file_erasure').select('id').executeTakeFirst();
  if (named === undefined) await createErasureKeys(path, random).catch(ifExists);
  const file = await openErasureKeys(path).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw missing(path, cause);
  });
  const id = named?.id ?? (await nameFile(store, file.id));
  if (id === file.id) return file;
  throw missing(path);
}

async function nameFile(store: Database, id: string): Promise<string> {
  return await store.transaction(async (db) => {
    const other = await db.selectFrom('file_erasure').select('id').executeTakeFirst();
    if (other !== undefined) return other.id;
    await db.insertInto('file_erasure').values({ id, next_slot: 0 }).execute();
    return id;
  });
}

function ifExists(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

function missing(path: string, cause?: unknown): Problem {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return new Problem(
    'unavailable',
    'ERASURE_KEYS_MISSING',
    `The erasure keys of this store are not in the file ${name}. Put back the file that belongs to the store. Without it no file of the file vault can be opened`,
    { cause },
  );
}
