import { setTimeout as sleep } from 'node:timers/promises';

/** Does one thing after another: a store that is opened for each request is not opened twice at once. */
export interface SerialWork {
  /** Reads something in its turn, behind what is written. @param work does not throw, and ends with the signal */
  read(work: (signal: AbortSignal) => Promise<void>): void;
  /** Writes something before what waits to be read. @param work does not throw */
  write(work: (signal: AbortSignal) => Promise<void>): void;
  /** Reads nothing any more, and waits so many milliseconds for what is to be written. @returns whether all of it was tried */
  end(ms: number): Promise<boolean>;
}

/** @param idle is told when nothing is left to do */
export function openSerialWork(idle: () => void): SerialWork {
  const reads: ((signal: AbortSignal) => Promise<void>)[] = [];
  const writes: ((signal: AbortSignal) => Promise<void>)[] = [];
  const reading = new AbortController();
  const writing = new AbortController();
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (;;) {
      const write = writes.shift();
      const read = write === undefined && !reading.signal.aborted ? reads.shift() : undefined;
      if (write !== undefined) await write(writing.signal);
      else if (read !== undefined) await read(reading.signal);
      else break;
    }
    running = undefined;
    idle();
  };
  return {
    read(work) {
      reads.push(work);
      running ??= run();
    },
    write(work) {
      writes.push(work);
      running ??= run();
    },
    async end(ms) {
      reading.abort();
      const isDone = Symbol('done');
      const first = await Promise.race([running?.then(() => isDone) ?? isDone, sleep(ms, undefined, { ref: false })]);
      writing.abort();
      return first === isDone;
    },
  };
}
