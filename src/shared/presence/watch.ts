import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { endProcess } from './process-rows.ts';
import { hearPresence, stepPresence } from './step.ts';

/** After a failure it waits so many times as long, so that a store that is away does not fill the log. */
const PATIENCE = 10;

/** While a server runs. */
export async function watchPresence(ctx: Context, signal: AbortSignal): Promise<void> {
  let hearing: AsyncDisposable | undefined;
  while (!signal.aborted) {
    let pause: number = chatLimits.tellMs;
    try {
      hearing ??= await hearPresence(ctx);
      await stepPresence(ctx);
    } catch (error) {
      ctx.log.error('telling who is there failed', { error });
      pause *= PATIENCE;
    }
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
  await hearing?.[Symbol.asyncDispose]();
  await endProcess(ctx).catch((error: unknown) => ctx.log.error('noting that the process stops failed', { error }));
}
