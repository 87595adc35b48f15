import type { Log } from '../../base/log.ts';
import type { Integrate, LedgerEnd, LedgerPort } from '../../service/ports/ledger.ts';
import { countedIds } from '../store/record-id.ts';

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
