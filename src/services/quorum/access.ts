import { meets, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { QuorumMemberRow } from '../../platform/store/tables/quorum.ts';
import { notMember } from './problems.ts';

/** The active member of the quorum that the actor is; undefined for others, and for former members. */
export async function memberOf(ctx: Context, actor: Pick<Actor, 'memberId'>): Promise<QuorumMemberRow | undefined> {
  return await ctx.db
    .selectFrom('quorum_members')
    .selectAll()
    .where('account_id', '=', actor.memberId)
    .where('active', '=', 1)
    .executeTakeFirst();
}

/** @throws Problem forbidden FORBIDDEN */
export async function requireMember(ctx: Context, actor: Actor): Promise<QuorumMemberRow> {
  const own = await memberOf(ctx, actor);
  if (own === undefined) throw notMember();
  return own;
}

/** Whether the actor may see what members of the quorum see: they themselves, administrators and the operator. */
export function isInsider(actor: Actor, own: QuorumMemberRow | undefined): boolean {
  return own !== undefined || meets(actor.type, { any: ['admin'] });
}

/** @throws Problem forbidden FORBIDDEN */
export async function requireInsider(ctx: Context, actor: Actor): Promise<QuorumMemberRow | undefined> {
  const own = await memberOf(ctx, actor);
  if (!isInsider(actor, own)) throw notMember();
  return own;
}
