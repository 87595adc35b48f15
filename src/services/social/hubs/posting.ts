import type { Context } from '../../../service/context.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { banOf } from '../../../shared/groups/bans.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { mutedUntil } from '../../../shared/groups/mutes.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import { hubIfAny, requireHub, roomOf } from './access.ts';
import { banned, forbidden } from './problems.ts';

/** Where a post is. */
export interface Place {
  readonly hubIds: readonly string[];
  /** the hub whose keys seal it, which is its only one */
  readonly sealedIn: string | undefined;
}

function placeIn(hubs: readonly HubRow[]): Place {
  const sealedIn = hubs.find((hub) => hub.trust_tier === 'encrypted')?.id;
  // Members of the other hubs would read what is encrypted for those of this one.
  if (sealedIn !== undefined && hubs.length > 1)
    throw fieldProblem('hubIds', 'must be one hub alone if that is encrypted');
  return { hubIds: hubs.map(({ id }) => id), sealedIn };
}

/**
 * The hubs of a new post: those that its author names, in all of which the author must be allowed to post. Call it in the transaction that
 * stores the post.
 * @throws Problem missing HUB_NOT_FOUND, forbidden FORBIDDEN, BANNED_FROM_HUB; invalid for an encrypted hub beside others
 */
export async function hubsOfPost(tx: Context, memberId: string, hubIds: readonly string[]): Promise<Place> {
  const hubs: HubRow[] = [];
  for (const hubId of [...new Set(hubIds)].toSorted()) {
    const hub = await requireHub(tx, hubId);
    const refusal = await postingRefusal(tx, memberId, hub);
    if (refusal !== undefined) throw refusal;
    hubs.push(hub);
  }
  return placeIn(hubs);
}

/**
 * The hubs of what is about a post in hubs, such as a reply: those of its hubs in which the author may post. Somebody who is banned from
 * one of them reaches nobody there.
 * @param wanted fewer of them, if the author names some
 */
export async function hubsOfAnswer(
  tx: Context,
  memberId: string,
  hubIds: readonly string[],
  wanted: readonly string[],
): Promise<Place> {
  const among = wanted.length === 0 ? hubIds : wanted;
  const strange = among.find((id) => !hubIds.includes(id));
  if (strange !== undefined) throw fieldProblem('hubIds', 'must be hubs of the post that it answers');
  const open: HubRow[] = [];
  let first: Problem = forbidden('members');
  for (const hubId of [...new Set(among)].toSorted()) {
    const hub = await hubIfAny(tx, hubId);
    const refusal = hub === undefined ? undefined : await postingRefusal(tx, memberId, hub);
    if (refusal !== undefined) first = refusal;
    else if (hub !== undefined) open.push(hub);
  }
  if (open.length === 0) throw first;
  return placeIn(open);
}

/**
 * For a change of a post that is in hubs: its readers there get the new text as they get a new post. A post that is in no hub any more, or in
 * deleted ones, has no other reader than its author.
 * @throws Problem forbidden FORBIDDEN, BANNED_FROM_HUB
 */
export async function assertMayPost(tx: Context, memberId: string, hubIds: readonly string[]): Promise<void> {
  for (const hubId of hubIds) {
    const hub = await hubIfAny(tx, hubId);
    const refusal = hub === undefined ? undefined : await postingRefusal(tx, memberId, hub);
    if (refusal !== undefined) throw refusal;
  }
}

/** Members of a hub may post in it; in one of the tier `verified`, those whose identity an administrator has verified. */
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
