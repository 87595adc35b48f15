import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { eachStep } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { eraseMember } from '../../../shared/conversations/leaving.ts';
import { afterLeaving } from '../messages/participants.ts';
import { tellNotified } from '../people/hidden-job.ts';
import { steps } from './steps.ts';

/** Erases all that a member who left had, a little in each transaction. Each step finds what is left, so it can begin anew at any time. */
export function leavingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { memberId } = payload as { memberId: string };
    // It is hidden since the profile is gone, and of what is hidden nobody is told when it is erased.
    await tellNotified(ctx, memberId, signal);
    const types = { ofTwo: 'social_direct', ofMany: 'social_group' } as const;
    // What is left of conversations is tried again with the next run, and keeps nothing else.
    await eachStep([
      async () => await eraseMember(ctx, memberId, { types, and: afterLeaving }, signal),
      async () => await takeSteps(ctx, memberId, signal),
    ]);
  };
}

async function takeSteps(ctx: Context, memberId: string, signal: AbortSignal): Promise<void> {
  for (const step of steps) {
    for (let after: string | undefined = ''; after !== undefined;) {
      signal.throwIfAborted();
      const from: string = after;
      after = await transaction(ctx, async (tx) => await step(tx, memberId, from));
      await nextTurn();
    }
  }
}
