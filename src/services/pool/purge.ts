import { transaction, type Context } from '../../service/context.ts';
import { eachStep } from '../../service/sweep.ts';
import { purgeProposals } from './acl/proposal-rows.ts';
import { recordCounted } from './acl/record-limit.ts';
import { purgeRequests } from './joining/queue.ts';
import { purgeTokens } from './joining/tokens.ts';

/** Deletes join requests and proposals that waited too long, and old join tokens; records what was only counted on earlier days. */
export async function purgePool(ctx: Context): Promise<void> {
  await eachStep([
    async () => await purgeRequests(ctx),
    async () => await transaction(ctx, purgeProposals),
    async () => await transaction(ctx, purgeTokens),
    async () => await recordCounted(ctx),
  ]);
}
