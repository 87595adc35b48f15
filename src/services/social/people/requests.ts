import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { FollowRequest } from '../../../contract/social/person.ts';
import { tell } from '../notices.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { SocialFollowRow } from '../../../platform/store/tables/social.ts';
import { personIfKnown, personRows, requireSelf, shownPerson, type PersonRow } from './found.ts';
import { countFollow, endFollow } from './follows.ts';
import { followOf } from './profiles.ts';

interface One {
  readonly id: string;
}

export async function listFollowRequests(
  ctx: Context,
  { memberId }: Actor,
  page: PageRequest,
): Promise<{ requests: FollowRequest[] } & Next> {
  const by = [
    desc<SocialFollowRow>('f.created_at', (row) => row.created_at),
    desc<SocialFollowRow>('f.follower_id', (row) => row.follower_id),
  ];
  const query = ctx.db
    .selectFrom('social_follows as f')
    .innerJoin('members as m', 'm.id', 'f.follower_id')
    .selectAll('f')
    .where('f.followee_id', '=', memberId)
    .where('f.requested', '=', 1)
    .where('m.status', '=', 'active');
  const { rows, next } = await readPage(ctx, query, { list: 'social.follow-requests', memberId, by }, page);
  const people = await personRows(
    ctx,
    rows.map((row) => row.follower_id),
  );
  const requests = rows.flatMap((row) => {
    const found = people.get(row.follower_id);
    if (found === undefined) return [];
    const createdAt = new Date(row.created_at).toISOString();
    return [{ _id: found.id, person: shownPerson(found), message: row.message, createdAt }];
  });
  return { requests, ...next };
}

export async function approveFollowRequest(ctx: Context, actor: Actor, { id }: One): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const other = await requesterOf(tx, actor, id);
    await tx.db
      .updateTable('social_follows')
      .set({ requested: 0, message: '', created_at: tx.clock.now() })
      .where('follower_id', '=', other.id)
      .where('followee_id', '=', self.id)
      .execute();
    await countFollow(tx, other.id, self.id, 1);
    await withdraw(tx, { type: 'follow_request', targetId: other.id, actorId: other.id, recipientId: self.id });
    const content = `${self.username} lets you follow them.`;
    await tell(tx, { recipientId: other.id, type: 'follow', actorId: self.id, targetId: self.id, content });
    return {};
  });
}

export async function rejectFollowRequest(ctx: Context, actor: Actor, { id }: One): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const other = await requesterOf(tx, actor, id);
    await endFollow(tx, other.id, actor.memberId);
    return {};
  });
}

/** @throws Problem missing FOLLOW_REQUEST_NOT_FOUND, also for a member who does not exist */
async function requesterOf(tx: Context, actor: Actor, name: string): Promise<PersonRow> {
  const other = await personIfKnown(tx, actor, name);
  if (other !== undefined && (await followOf(tx, other.id, actor.memberId)) === 'requested') return other;
  throw new Problem('missing', 'FOLLOW_REQUEST_NOT_FOUND', 'Nobody of this name asks to follow you.');
}
