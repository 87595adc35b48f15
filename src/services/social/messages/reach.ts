import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { whomBlocks } from '../../../shared/members/blocks.ts';
import { followEachOther } from '../../../shared/members/follows.ts';
import { privacyOf } from '../../../shared/members/privacy.ts';
import { otherOf, pairOf } from '../../../shared/conversations/conversation.ts';
import { unreachable } from '../../../shared/conversations/reach.ts';
import { requirePeople, requirePerson, type PersonRow } from '../people/found.ts';

/**
 * A member to whom the actor wants to write.
 * @throws Problem missing MEMBER_NOT_FOUND, the same for who is unknown or suspended and who blocked the actor; forbidden MEMBER_BLOCKED
 */
export async function requireAddressee(ctx: Context, actor: Actor, name: string): Promise<PersonRow> {
  const other = await requirePerson(ctx, actor, name);
  if ((await whomBlocks(ctx, actor.memberId, [other.id])).size === 0) return other;
  throw new Problem('forbidden', 'MEMBER_BLOCKED', 'You blocked this member. End the block before you write to them.');
}

/** Members whom the actor names, by their ids. @throws Problem missing MEMBER_NOT_FOUND, which does not say who it is */
export async function requireNamed(ctx: Context, actor: Actor, names: readonly string[]): Promise<string[]> {
  try {
    return (await requirePeople(ctx, actor, names)).map(({ id }) => id);
  } catch (error) {
    throw error instanceof Problem && error.code === 'MEMBER_NOT_FOUND' ? unreachable(names) : error;
  }
}

/**
 * Whether the others take messages of a member: those who want none from members who do not follow them, only if the member does.
 * @throws Problem forbidden DMS_CLOSED
 */
export async function requireOpen({ db }: Context, memberId: string, others: readonly string[]): Promise<void> {
  if (others.length === 0) return;
  const rows = await db
    .selectFrom('social_profiles as p')
    .leftJoin('social_follows as f', (on) =>
      on.onRef('f.followee_id', '=', 'p.member_id').on('f.follower_id', '=', memberId).on('f.requested', '=', 0),
    )
    .select(['p.privacy', 'f.follower_id'])
    .where('p.member_id', 'in', others)
    .execute();
  if (rows.every((row) => row.follower_id !== null || privacyOf(row).allowDmsFromNonFollowers)) return;
  const who = others.length === 1 ? 'This member takes' : 'One of them takes';
  throw new Problem('forbidden', 'DMS_CLOSED', `${who} messages only from members who follow them.`);
}

/**
 * The same for a group, which is no way around a request that was not accepted.
 * @throws Problem forbidden DMS_CLOSED
 */
export async function requireOpenToGroups(ctx: Context, memberId: string, others: readonly string[]): Promise<void> {
  if (others.length === 0) return;
  await requireOpen(ctx, memberId, others);
  const pairs = others.map((otherId) => pairOf('social_direct', memberId, otherId));
  const asked = await ctx.db
    .selectFrom('conversations')
    .select('pair')
    .where('pair', 'in', pairs)
    .where('request', 'in', ['pending', 'declined'])
    .where('created_by', '=', memberId)
    .execute();
  for (const row of asked)
    if (!(await followEachOther(ctx, memberId, otherOf(row, memberId))))
      throw new Problem('forbidden', 'DMS_CLOSED', 'One of them has not accepted your message request.');
}
