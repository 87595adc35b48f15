import { transaction, type Context } from '../../context.ts';
import { purgeProposals } from './acl/proposal-rows.ts';
import { purgeRequests } from './joining/queue.ts';
import { purgeTokens } from './joining/tokens.ts';

/** Deletes join requests and proposals that waited too long, and old join tokens. */
export async function purgePool(ctx: Context): Promise<void> {
  await purgeRequests(ctx);
  await transaction(ctx, purgeProposals);
  await transaction(ctx, purgeTokens);
}
