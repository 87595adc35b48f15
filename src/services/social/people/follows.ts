import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { social } from '../../../contract/social.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import { whomBlocks } from '../../../shared/members/blocks.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { takeOffLists } from '../lists/list-members.ts';
import { tell } from '../notices.ts';
import { planHidden } from '../../../shared/notifications/hidden.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import type { EngineStatements } from '../../../platform/store/per-engine.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { requirePerson, requireSelf, type PersonRow } from './found.ts';
import { followOf } from './profiles.ts';

export async function follow(
  ctx: Context,
  actor: Actor,
  { id, message = '' }: InputOf<typeof social.follow>,
): Promise<{ following: 'yes' | 'requested' }> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const other = await requirePerson(tx, actor, id);
    return await once(tx, async () => {
      return { following: await followPerson(tx, self, other, message) };
    });
  });
}

/**
 * Follows a member, or asks to. It writes nothing if it is not possible.
 * @throws Problem invalid VALIDATION_ERROR, ALREADY_BLOCKED, ALREADY_FOLLOWING, ALREADY_REQUESTED, TOO_MANY_FOLLOWS
 */
export async function followPerson(
  tx: Context,
  self: PersonRow,
  other: PersonRow,
  message = '',
): Promise<'yes' | 'requested'> {
  if (other.id === self.id) throw fieldProblem('id', 'must not be yourself');
  await assertPossible(tx, self, other);
  const requested = await needsApproval(tx, self, other);
  await tx.db
    .insertInto('social_follows')
    .values({
      follower_id: self.id,
      followee_id: other.id,
      requested: requested ? 1 : 0,
      message: requested ? message : '',
      created_at: tx.clock.now(),
    })
    .execute();
  if (!requested) await countFollow(tx, self.id, other.id, 1);
  await tell(tx, {
    recipientId: other.id,
    type: requested ? 'follow_request' : 'follow',
    actorId: self.id,
    targetId: self.id,
    content: requested ? `${self.username} asks to follow you.` : `${self.username} follows you.`,
    once: true,
  });
  return requested ? 'requested' : 'yes';
}

async function assertPossible(tx: Context, self: PersonRow, other: PersonRow): Promise<void> {
  if ((await whomBlocks(tx, self.id, [other.id])).size > 0)
    throw new Problem('invalid', 'ALREADY_BLOCKED', 'You blocked this member. End the block first.');
  const now = await followOf(tx, self.id, other.id);
  if (now === 'yes') throw new Problem('invalid', 'ALREADY_FOLLOWING', 'You follow this member already.');
  if (now === 'requested')
    throw new Problem('invalid', 'ALREADY_REQUESTED', 'You have asked to follow this member already.');
  const { count } = await tx.db
    .selectFrom('social_follows')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('follower_id', '=', self.id)
    .executeTakeFirstOrThrow();
  if (count >= socialLimits.follows) {
    const words = `You follow ${socialLimits.follows} members, and more are not possible. Stop following one first.`;
    throw new Problem('invalid', 'TOO_MANY_FOLLOWS', words);
  }
}

/** A protected member approves everybody, whatever the mode is. */
async function needsApproval(tx: Context, self: PersonRow, other: PersonRow): Promise<boolean> {
  if (other.protected === 1 || other.approve_mode === 'approve_all') return true;
  return other.approve_mode === 'approve_non_mutuals' && (await followOf(tx, other.id, self.id)) !== 'yes';
}

/** Counts a follow that is in force from now on, or no more. */
export async function countFollow(tx: Context, followerId: string, followeeId: string, by: 1 | -1): Promise<void> {
  const counts = [
    { memberId: followerId, counter: 'following_count' },
    { memberId: followeeId, counter: 'follower_count' },
  ] as const;
  // In the order of the ids, so that two who follow each other at once do not wait for each other.
  for (const { memberId, counter } of followerId < followeeId ? counts : counts.toReversed())
    await tx.db
      .updateTable('social_profiles')
      .set((e) => ({ [counter]: e(counter, '+', by) }))
      .where('member_id', '=', memberId)
      .execute();
}

const lock = writtenList(
  0,
  (ids) => `select member_id from social_profiles where member_id in ${ids} order by member_id for no key update`,
);
export const engineStatements: EngineStatements = { sqljs: () => [], postgres: () => [lock([''])] };

/** Takes the profiles of members whom a transaction counts anew after it has written what follows that: see `lockMembers`. */
export async function lockProfiles(
  tx: Context,
  memberIds: readonly string[] | (() => Promise<readonly string[]>),
): Promise<void> {
  if (tx.store.engine !== 'postgres') return;
  const ids = typeof memberIds === 'function' ? await memberIds() : memberIds;
  if (ids.length > 0) await tx.db.executeQuery(lock(ids));
}

/** Ends a follow or a request. @returns whether there was one */
export async function endFollow(tx: Context, followerId: string, followeeId: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('social_follows')
    .where('follower_id', '=', followerId)
    .where('followee_id', '=', followeeId)
    .returning('requested')
    .executeTakeFirst();
  if (gone === undefined) return false;
  if (gone.requested === 0) {
    await countFollow(tx, followerId, followeeId, -1);
    await planHidden(tx, followerId, followeeId);
  }
  await takeOffLists(tx, followerId, followeeId, 'category');
  for (const type of ['follow', 'follow_request'] as const)
    await withdraw(tx, { type, targetId: followerId, actorId: followerId, recipientId: followeeId });
  // That the request to follow was accepted. Of who follows back the same notification tells that, and it stays.
  if ((await followOf(tx, followeeId, followerId)) !== 'yes')
    await withdraw(tx, { type: 'follow', targetId: followeeId, actorId: followeeId, recipientId: followerId });
  return true;
}

export async function unfollow(ctx: Context, actor: Actor, { id }: InputOf<typeof social.unfollow>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    // Whom the caller follows, or has asked, they know: a suspended one can be named here too.
    const [other] = await membersNamed(tx, [id]);
    // Also for an unknown name, so that the number of statements tells nothing.
    if (await endFollow(tx, actor.memberId, other?.id ?? '')) return {};
    await requirePerson(tx, actor, id);
    throw notFollowing('You do not follow this member.');
  });
}

export async function removeFollower(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<typeof social.removeFollower>,
): Promise<object> {
  return await transaction(ctx, async (tx) => {
    // A suspended follower is one again when the suspension ends.
    const [other] = await membersNamed(tx, [id]);
    const followerId = other?.id ?? '';
    if ((await followOf(tx, followerId, actor.memberId)) !== 'yes') {
      await requirePerson(tx, actor, id);
      throw notFollowing('This member does not follow you.');
    }
    await endFollow(tx, followerId, actor.memberId);
    return {};
  });
}

function notFollowing(words: string): Problem {
  return new Problem('invalid', 'NOT_FOLLOWING', words);
}
