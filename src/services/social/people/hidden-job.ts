import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { tellHiddenBy } from '../../../shared/notifications/hidden.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { hubsWrittenIn, tellHiddenAuthor } from '../hubs/hidden.ts';

/**
 * Tells everybody who is shown what a member did that it is hidden now: the members of hubs, and whoever has notifications of it. It tells a
 * little in each transaction, and what is visible at that moment stays. To tell something twice does no harm, so it can begin anew at any
 * time.
 */
export function hiddenMemberHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { memberId } = payload as { readonly memberId: string };
    await tellHubs(ctx, memberId, signal);
    await tellNotified(ctx, memberId, signal);
  };
}

/** Tells whoever has notifications of what a member did. */
export async function tellNotified(ctx: Context, memberId: string, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    signal.throwIfAborted();
    after = await tellHiddenBy(ctx, memberId, after);
    await nextTurn();
  }
}

async function tellHubs(ctx: Context, memberId: string, signal: AbortSignal): Promise<void> {
  for (const written of await hubsWrittenIn(ctx, memberId)) {
    signal.throwIfAborted();
    await transaction(ctx, async (tx) => await tellHiddenAuthor(tx, memberId, written));
    await nextTurn();
  }
}
