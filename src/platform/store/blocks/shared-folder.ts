import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { Database } from '../database.ts';
import { readIfThere, replaceDurably } from '../durable-file.ts';
import { asStoreFull } from '../full-disk.ts';

/**
 * Processes on one database keep their blocks in one folder. Each writes a number that nobody can guess into a file of the folder and into
 * the database; who finds the number of another process in the database looks for it in the folder.
 */
interface Options {
  readonly store: Database;
  readonly dataDir: string;
  readonly clock: { now(): number };
  readonly random: (size: number) => Uint8Array;
  /** how often a process says that it is here; default: every minute */
  readonly everyMs?: number;
  /** what is wrong, noticed while it runs */
  readonly onFault: (message: string) => void;
}

const NONCE_BYTES = 16;
const EVERY_MS = 60_000;
/** A process that said nothing for so many times is gone. */
const MISSED = 5;
const number = /^[0-9a-f]{32}$/;

/**
 * @returns ends with the process
 * @throws Problem conflict BLOCKS_NOT_SHARED if another process has its blocks elsewhere; unavailable STORE_FULL
 */
export async function proveSharedFolder(options: Options): Promise<AsyncDisposable> {
  const { store, dataDir, clock, random, everyMs = EVERY_MS, onFault } = options;
  const folder = join(dataDir, 'blocks', 'processes');
  const [id, nonce] = [toHex(random(NONCE_BYTES)), toHex(random(NONCE_BYTES))];
  const file = (name: string): string => join(folder, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The file comes first: whoever sees the row finds it.
    await replaceDurably(file(id), `${nonce}\n`);
  } catch (error) {
    throw asStoreFull(error);
  }
  let running: Promise<void> | undefined;

  async function leave(): Promise<void> {
    await store.db.deleteFrom('block_processes').where('id', '=', id).execute();
    await rm(file(id), { force: true });
  }

  /** @param isHere whether others may know of this process. @returns what is wrong */
  async function look(isHere: boolean): Promise<string | undefined> {
    const now = clock.now();
    const others = await store.transaction(async (db) => {
      if (isHere)
        await db
          .insertInto('block_processes')
          .values({ id, nonce, seen_at: now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
          .execute();
      const rows = await db.selectFrom('block_processes').selectAll().where('id', '!=', id).execute();
      const gone = rows.filter(({ seen_at: at }) => at < now - MISSED * everyMs).map((row) => row.id);
      if (gone.length > 0) await db.deleteFrom('block_processes').where('id', 'in', gone).execute();
      return { gone, here: rows.filter((row) => !gone.includes(row.id)) };
    });
    for (const name of others.gone) if (number.test(name)) await rm(file(name), { force: true });
    for (const other of others.here) {
      if (number.test(other.id) && (await readIfThere(file(other.id)))?.trim() === other.nonce) continue;
      // It may have ended meanwhile.
      const found = await store.db.selectFrom('block_processes').select('id').where('id', '=', other.id).execute();
      if (found.length > 0)
        return `Another server on this database keeps its blocks in another folder than ${join(dataDir, 'blocks')}. All of them need the same folder. If that server was killed, try again in ${Math.ceil((MISSED * everyMs) / 60_000)} minutes`;
    }
    return undefined;
  }

  // Those who are here need not know of one that is refused. Of two that come at once, the second look tells.
  const fault = (await look(false)) ?? (await look(true));
  if (fault !== undefined) {
    await leave();
    throw new Problem('conflict', 'BLOCKS_NOT_SHARED', fault);
  }
  const timer = setInterval(() => {
    running ??= look(true)
      .then((found) => void (found !== undefined && onFault(found)))
      .catch((error: unknown) => onFault(error instanceof Error ? error.message : String(error)))
      .finally(() => (running = undefined));
  }, everyMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
      await leave().catch(() => undefined);
    },
  };
}
