import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { outranks } from '../../../shared/groups/roles.ts';
import { countInFewerHubs } from '../posts/counts.ts';
import { hubsKnown } from '../seeing/hubs.ts';
import { unknownPost } from '../seeing/posts.ts';
import { requireModerator, roomOf } from './access.ts';
import { tellRemoved } from './hidden.ts';
import { planHiddenPost } from './hidden-notices.ts';
import { leaveHubs } from './hub-posts.ts';
import { record } from './log.ts';
import { noticeRemoval } from './notices.ts';
import { outranked } from './problems.ts';

/** A moderator finds every post of the hub, also of somebody with whom there is a block. */
export async function removePost(
  ctx: Context,
  actor: Actor,
  { id, postId }: { readonly id: string; readonly postId: string },
): Promise<{ postId: string; hubIds: string[] }> {
  return await transaction(ctx, async (tx) => {
    const hub = await requireModerator(tx, actor, id);
    const post = await tx.db
      .selectFrom('social_posts as p')
      .innerJoin('social_post_hubs as h', 'h.post_id', 'p.id')
      .where('p.id', '=', postId)
      .where('h.hub_id', '=', id)
      .where('p.deleted_at', 'is', null)
      .selectAll('p')
      .executeTakeFirst();
    if (post === undefined) throw unknownPost();
    const { author_id: authorId } = post;
    const [own, other] = [await roleIn(tx, roomOf(id), actor.memberId), await roleIn(tx, roomOf(id), authorId)];
    if (authorId !== actor.memberId && !outranks(own, other)) throw outranked();
    await tellRemoved(tx, post, id);
    await leaveHubs(tx, post, id);
    await countInFewerHubs(tx, post);
    await planHiddenPost(tx, post);
    await record(tx, actor, { hubId: id, action: 'remove_post', subjectId: authorId, postId });
    if (authorId !== actor.memberId) await noticeRemoval(tx, hub, authorId);
    return { postId, hubIds: await hubsKnown(tx, actor.memberId, postId) };
  });
}
