import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { advanceMark, checkMark } from './mark.ts';

const EVERY_MS = 10_000;

/** While a server runs: looks at the mark once, and keeps it near the end of the ledger. */
export async function watchLedger(ctx: Context, signal: AbortSignal): Promise<void> {
  const attempt = async (work: (ctx: Context) => Promise<void>): Promise<void> => {
    try {
      await work(ctx);
    } catch (error) {
      ctx.log.error('the mark of the ledger could not be compared or written', { error });
    }
  };
  await attempt(checkMark);
  do {
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    await attempt(advanceMark);
  } while (!signal.aborted);
}
