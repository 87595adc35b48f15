import { constants } from 'node:fs';
import type { Disk } from './disk.ts';

/**
 * The flush of the database with which a checkpoint ends, in a thread beside the event loop. What the checkpoint moved is in the log too, so
 * nothing needs this flush before the log is written from its beginning, shortened or deleted.
 */
export interface DatabaseFlush {
  /** @param fd the open database, with everything that is to be flushed */
  begin(path: string, fd: number): void;
  /**
   * What was begun is on the disk when it returns. Throws the error of the disk. If the flush beside the event loop failed,
   * it throws that error from then on: the disk may have dropped what it did not keep, so the log alone has it, and is read again at the
   * next start.
   */
  finish(): void;
}

interface Running {
  readonly fd: number;
  state: 'running' | 'done' | { readonly error: unknown };
}

export function createDatabaseFlush(disk: Disk): DatabaseFlush {
  let newest: Running | undefined;

  function finish(): void {
    if (newest === undefined || newest.state === 'done') return;
    if (newest.state !== 'running') throw newest.state.error;
    disk.fdatasyncSync(newest.fd);
    newest = undefined;
  }

  /** A descriptor of its own, since the system tells an error of a flush to each open file once. */
  function another(path: string): number | undefined {
    try {
      return disk.openSync(path, constants.O_RDWR);
    } catch {
      return undefined;
    }
  }

  return {
    finish,
    begin(path, fd) {
      finish();
      const own = another(path);
      if (own === undefined) return disk.fdatasyncSync(fd);
      const running: Running = { fd, state: 'running' };
      newest = running;
      disk.fdatasync(own, (error) => {
        running.state = error === null ? 'done' : { error };
        disk.closeSync(own);
      });
    },
  };
}
