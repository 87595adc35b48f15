import { statfs } from 'node:fs/promises';
import type { Clock } from '../../service/context.ts';
import type { Database } from '../../platform/store/database.ts';

export interface Health {
  /** whether requests can be served: the store answers, and the server isn't stopping */
  ready(): Promise<boolean>;
}

/** A store that hasn't answered within this time counts as unavailable. */
const PATIENCE_MS = 2_000;
/** Any client may ask at any rate, so an answer is kept this long: the store is asked twice a second at most. */
const KEPT_MS = 500;

/** With less free space nothing can be written: SQLite's log grows by pages, and grows again with each transaction. */
const LEAST_ROOM = 64 * 1024;

/** @param dataDir folder on the disk whose free space is checked */
export function createHealth(store: Database, dataDir: string, clock: Clock, isStopping: () => boolean): Health {
  let asked = -Infinity;
  let answer: Promise<boolean> = Promise.resolve(false);

  async function ask(): Promise<boolean> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<boolean>((resolve) => {
      late = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    try {
      const query = store.db
        .selectFrom('members')
        .select('id')
        .limit(1)
        .execute()
        .then(async () => await store.assertWritable())
        .then(async () => await hasRoom(dataDir));
      return await Promise.race([query, patience]);
    } catch {
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  return {
    async ready() {
      if (isStopping()) return false;
      const now = clock.now();
      if (now - asked >= KEPT_MS) {
        asked = now;
        answer = ask();
      }
      return await answer;
    },
  };
}

async function hasRoom(dataDir: string): Promise<boolean> {
  // Some file systems don't report their size.
  const disk = await statfs(dataDir).catch(() => undefined);
  return disk === undefined || disk.blocks === 0 || disk.bavail * disk.bsize >= LEAST_ROOM;
}
