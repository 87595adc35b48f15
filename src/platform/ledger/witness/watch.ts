import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import { advanceMark, checkMark } from './mark.ts';

const EVERY_MS = 10_000;

/** Before a server talks to other nodes: a store that was put back must not sign anything for them. */
export async function lookAtMark(ctx: Context): Promise<void> {
  await attempt(ctx, checkMark);
}

async function attempt(ctx: Context, work: (ctx: Context) => Promise<void>): Promise<void> {
  try {
    await work(ctx);
  } catch (error) {
    ctx.log.error('the mark of the ledger could not be compared or written', { error });
  }
}

/** While a server runs: looks at the mark once, and keeps it near the end of the ledger. */
export async function watchLedger(ctx: Context, signal: AbortSignal): Promise<void> {
  await lookAtMark(ctx);
  do {
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    await attempt(ctx, advanceMark);
  } while (!signal.aborted);
}
