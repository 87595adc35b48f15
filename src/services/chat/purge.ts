import type { Context } from '../../service/context.ts';
import { eachStep } from '../../service/sweep.ts';
import { purgeAttachments } from '../../shared/conversations/attachments/purge.ts';
import { planRetention } from '../../shared/conversations/retention-job.ts';
import { planSuspended } from '../../shared/conversations/suspended.ts';

export async function purgeChat(ctx: Context): Promise<void> {
  await eachStep([
    async () => await purgeAttachments(ctx),
    async () => await planSuspended(ctx),
    async () => await planRetention(ctx),
  ]);
}
