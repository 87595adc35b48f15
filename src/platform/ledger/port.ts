import type { Log } from '../../base/log.ts';
import { countedIds } from '../store/record-id.ts';

/** The end of the ledger after entries were added to it. */
export interface LedgerEnd {
  /** number of entries */
  readonly size: number;
  /** 32 bytes; computed when it is asked for */
  readonly root: () => Uint8Array;
}

/** Gives waiting entries their places; see sequencer.ts. */
export type Integrate = () => Promise<void>;

/** What the ledger of this process remembers between two requests. Disposing it gives waiting entries their places at once. */
export interface LedgerPort extends AsyncDisposable {
  /**
   * Hears where the ledger ends whenever this process has added entries to it, after their commit. Commits that were close together may be
   * told in another order, so a smaller size after a larger one means nothing.
   */
  onGrowth(listener: (end: LedgerEnd) => void): Disposable;
  /** Tells the listeners. */
  grew(end: LedgerEnd): void;
  /** Runs one piece of work after another, such as those that write the same file. */
  oneByOne<T>(work: () => Promise<T>): Promise<T>;
  /** An id for an entry. Each is greater than those that this process made before. */
  entryId(now: number, random: (size: number) => Uint8Array): string;
  /** Entries wait. They get their places together with others that come meanwhile. */
  soon(integrate: Integrate): void;
  /** The same without waiting for others. Resolves when it was done, or when it failed. */
  now(integrate: Integrate): Promise<void>;
  /** Resolves when the entries of which this process knew have their places, or when giving them one failed. */
  settled(): Promise<void>;
  /** whether the head was as this node wrote it when this process last looked at it; no entry is accepted before it is */
  sound: boolean;
  /** ids of waiting entries that get no place, since they were changed or recorded before; each is logged once */
  readonly refused: Set<string>;
}

/** An entry has its place within 50 ms: this, and the time that a batch takes. */
const gatherMs = 20;
/** Where a batch takes longer, the next one gathers as long as that took, but no longer than 50 ms allow for both. */
const longestGatherMs = 25;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

interface Run {
  integrate: Integrate;
  readonly begin: () => void;
}

export function createLedgerPort(log: Log): LedgerPort {
  const listeners = new Set<(end: LedgerEnd) => void>();
  const ids = countedIds();
  let before: Promise<unknown> = Promise.resolve();
  /** the run that has not begun; what is committed before it begins is in it */
  let next: Run | undefined;
  let last: Promise<void> = Promise.resolve();
  let retryMs = firstRetryMs;
  let retry: NodeJS.Timeout | undefined;
  let unfinished: Integrate | undefined;
  let closed = false;
  let tookMs = 0;

  async function attempt(integrate: Integrate): Promise<void> {
    clearTimeout(retry);
    const began = performance.now();
    try {
      await integrate();
      tookMs = performance.now() - began;
      unfinished = undefined;
      retryMs = firstRetryMs;
    } catch (error) {
      unfinished = integrate;
      log.error('entries of the ledger have no place yet; the next attempt follows', {
        error,
        seconds: retryMs / 1000,
      });
      if (!closed) retry = setTimeout(() => plan(integrate, 0), retryMs).unref();
      retryMs = Math.min(2 * retryMs, longestRetryMs);
    }
  }

  function plan(integrate: Integrate, waitMs: number): void {
    if (next !== undefined) {
      next.integrate = integrate;
      return;
    }
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const timer = setTimeout(begin, waitMs);
    const run: Run = { integrate, begin };
    const earlier = last;
    next = run;
    last = (async () => {
      await begun;
      clearTimeout(timer);
      await earlier;
      next = undefined;
      await attempt(run.integrate);
    })();
  }

  return {
    sound: false,
    refused: new Set(),
    onGrowth(listener) {
      // A listener that is added twice is heard twice.
      const own = (end: LedgerEnd) => listener(end);
      listeners.add(own);
      return { [Symbol.dispose]: () => void listeners.delete(own) };
    },
    grew(end) {
      for (const listener of listeners) listener(end);
    },
    async oneByOne(work) {
      const own = before.then(work);
      before = own.catch(() => undefined);
      return await own;
    },
    entryId: ids,
    soon(integrate) {
      if (!closed) plan(integrate, Math.min(Math.max(gatherMs, tookMs), longestGatherMs));
    },
    async now(integrate) {
      plan(integrate, 0);
      next?.begin();
      await last;
    },
    settled: () => last,
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(retry);
      if (unfinished !== undefined) plan(unfinished, 0);
      next?.begin();
      await last;
    },
  };
}
