import type { Context } from '../../service/context.ts';
import { eachStep } from '../../service/sweep.ts';
import { listen } from '../../platform/store/signals.ts';
import { tellReadCounts } from '../conversations/read-telling.ts';
import { beat, endClosing, writeMoved, writeSeen } from './process-rows.ts';
import { hearChanged, presenceChannel, sayChanged, tellHere } from './telling.ts';

// How many have read messages is told as presence is: what gathers, to few, and never again.
const parts = [beat, writeMoved, writeSeen, endClosing, sayChanged, tellHere, tellReadCounts];

/** What a process does each second for presence and for counts of readers, each part also after one that failed. While nothing changes and nobody gives a sign, it asks the store once in a heartbeat, and without sockets never. */
export async function stepPresence(ctx: Context): Promise<void> {
  await eachStep(parts.map((part) => async () => await part(ctx)));
}

/** Hears what processes say of presence, until it is disposed of. */
export async function hearPresence(ctx: Context): Promise<AsyncDisposable> {
  return await listen(ctx.store, presenceChannel, (signal) => hearChanged(ctx, signal));
}
