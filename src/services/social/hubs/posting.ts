import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { banOf } from '../../../rooms/bans.ts';
import { roleIn } from '../../../rooms/membership.ts';
import { mutedUntil } from '../../../rooms/mutes.ts';
import type { HubRow } from '../../../store/tables/hubs.ts';
import { requireHub, roomOf } from './access.ts';
import { banned, forbidden } from './problems.ts';

/**
 * Members of a hub may post in it; in one of the tier `verified`, those whose identity an administrator has verified. Call it in the
 * transaction that stores the post.
 * @throws Problem missing HUB_NOT_FOUND, forbidden FORBIDDEN, BANNED_FROM_HUB
 */
export async function requireMayPost(tx: Context, { memberId }: Pick<Actor, 'memberId'>, hubIds: readonly string[]) {
  for (const hubId of hubIds) {
    const refusal = await postingRefusal(tx, memberId, await requireHub(tx, hubId));
    if (refusal !== undefined) throw refusal;
  }
}

export async function postingRefusal(ctx: Context, memberId: string, hub: HubRow): Promise<Problem | undefined> {
  const room = roomOf(hub.id);
  if ((await roleIn(ctx, room, memberId)) === undefined) {
    const ban = await banOf(ctx, room, memberId);
    return ban === undefined ? forbidden('members') : banned(ban);
  }
  if ((await mutedUntil(ctx, room, memberId)) !== undefined)
    return new Problem('forbidden', 'FORBIDDEN', 'You are muted in this hub.');
  if (hub.trust_tier === 'verified' && !(await isVerified(ctx, memberId)))
    return new Problem('forbidden', 'FORBIDDEN', 'Only members with a verified identity may post in this hub.');
  return undefined;
}

async function isVerified({ db }: Context, memberId: string): Promise<boolean> {
  const row = await db
    .selectFrom('social_profiles')
    .select('verified')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.verified === 1;
}
