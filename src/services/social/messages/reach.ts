import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { whomBlocks } from '../../../shared/members/blocks.ts';
import { privacyOf } from '../../../shared/members/privacy.ts';
import { requirePerson, type PersonRow } from '../people/found.ts';

/**
 * A member to whom the actor wants to write.
 * @throws Problem missing MEMBER_NOT_FOUND, the same for who is unknown or suspended and who blocked the actor; forbidden MEMBER_BLOCKED
 */
export async function requireAddressee(ctx: Context, actor: Actor, name: string): Promise<PersonRow> {
  const other = await requirePerson(ctx, actor, name);
  if ((await whomBlocks(ctx, actor.memberId, [other.id])).size === 0) return other;
  throw new Problem('forbidden', 'MEMBER_BLOCKED', 'You blocked this member. End the block before you write to them.');
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
