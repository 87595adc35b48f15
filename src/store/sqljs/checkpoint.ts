import { storeFull } from '../full-disk.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

/** Pages of 4 KiB after which SQLite moves the log into the database. */
export const autoCheckpointPages = 1000;

export interface Snapshots {
  /** Runs `body` while the database file holds everything that is committed and does not change. One at a time. */
  take<T>(body: () => Promise<T>): Promise<T>;
  /** Resolves when none runs. */
  idle(): Promise<void>;
}

/** Whether the whole log went into the database, and was emptied. */
function moveLog(connection: Connection): boolean {
  const [row] = connection.run('pragma wal_checkpoint(truncate)', []).rows;
  return row?.['busy'] === 0 && row['log'] === row['checkpointed'];
}

/**
 * Once the log is empty, and SQLite has been told not to move it on its own, whatever is written stays in the log: the file of
 * the database stands still, and can be copied while others work.
 */
export function createSnapshots(connection: Connection, groups: GroupCommit): Snapshots {
  let last: Promise<unknown> = Promise.resolve();

  async function hold<T>(body: () => Promise<T>): Promise<T> {
    while (groups.busy) await groups.idle();
    const resume = groups.pauseCheckpoints();
    connection.run('pragma wal_autocheckpoint = 0', []);
    try {
      if (!moveLog(connection)) throw storeFull();
      return await body();
    } finally {
      connection.run(`pragma wal_autocheckpoint = ${autoCheckpointPages}`, []);
      resume();
    }
  }

  return {
    take(body) {
      // A second one would have to move the log while the first copies.
      const taken = last.then(() => hold(body));
      last = taken.catch(() => {});
      return taken;
    },
    async idle() {
      await last;
    },
  };
}
