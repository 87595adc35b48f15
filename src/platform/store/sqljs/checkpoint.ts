import { storeFull } from '../full-disk.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

/** Pages of 4 KiB after which SQLite moves the log into the database. */
export const autoCheckpointPages = 1000;

export interface Snapshots {
  /** Runs `body` while the database file holds all that is committed and does not change. Calls run one after another. */
  take<T>(body: () => Promise<T>): Promise<T>;
  /** Resolves when no snapshot is taken. */
  idle(): Promise<void>;
}

/** @returns whether the whole log was moved into the database and emptied */
function moveLog(connection: Connection): boolean {
  const [row] = connection.run('pragma wal_checkpoint(truncate)', []).rows;
  return row?.['busy'] === 0 && row['log'] === row['checkpointed'];
}

/**
 * First the log is emptied, and SQLite is told not to move it on its own. From then on all writes stay in the log. So the database file
 * does not change and can be copied while others work.
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
      // Snapshots run one after another: a second one would move the log into the file while the first copies it.
      const taken = last.then(() => hold(body));
      last = taken.catch(() => {});
      return taken;
    },
    async idle() {
      await last;
    },
  };
}
