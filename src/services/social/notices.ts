import type { NotificationRules } from '../../service/service-parts.ts';
import type { NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { hiddenFrom, whomBlocks, whoBlocked, whoMutes } from '../../shared/members/blocks.ts';
import { notify } from '../../shared/notifications/notify.ts';
import type { NotificationType } from '../../contract/notifications/notification.ts';
import type { SocialPostRow } from '../../platform/store/tables/social.ts';
import { filtersFor, type FilteredText } from './filters/applying.ts';
import { personRows } from './people/found.ts';
import { maySee } from './seeing/posts.ts';
import { opened, sealedColumns } from './seeing/sealed.ts';
import { seenTold, toldTypes } from './seeing/told.ts';

/** As `notify`, unless one of the two blocked the other, or the recipient muted the actor. */
export async function tell(tx: Context, wanted: NewNotification & { readonly actorId: string }): Promise<void> {
  const { recipientId, actorId } = wanted;
  if ((await hiddenFrom(tx, recipientId, [actorId], 'blocks and mutes')).size === 0) await notify(tx, wanted);
}

/** All types of notifications of the social network. */
export const socialTypes: readonly NotificationType[] = [...toldTypes, 'hub_moderation'];

const ofPosts = ['reply', 'mention', 'quote'] as const;

/** Who may see what notifications of the social network are about, at this moment. */
export const socialNotifications: NotificationRules = {
  types: toldTypes,
  seen: seenTold,
  visibleTo: async (ctx, { type, actorId, targetId }, memberIds) => {
    // Who was suspended, or left, is not named any more.
    if (actorId !== undefined && (await personRows(ctx, [actorId])).get(actorId)?.status !== 'active') return new Set();
    const seeing = new Set(memberIds);
    if (actorId !== undefined)
      for (const find of [whoBlocked, whomBlocks, whoMutes])
        for (const id of await find(ctx, actorId, memberIds)) seeing.delete(id);
    // Likes and reposts are about a post of the recipient.
    if (targetId === undefined || !ofPosts.some((one) => one === type)) return seeing;
    const post = await textOf(ctx, targetId);
    for (const id of seeing) if (post === undefined || !(await isFor(ctx, id, type, post))) seeing.delete(id);
    return seeing;
  },
};

type Told = FilteredText & Pick<SocialPostRow, 'id' | 'mentions'>;

async function textOf(ctx: Context, postId: string): Promise<Told | undefined> {
  const rows = await ctx.db
    .selectFrom('social_posts')
    .select(['id', 'author_id', ...sealedColumns])
    .where('id', '=', postId)
    .execute();
  return (await opened(ctx, rows))[0];
}

/** Whether a member may be told of a post, and is still named in it if that is what it is about. */
async function isFor(ctx: Context, memberId: string, type: NotificationType, post: Told): Promise<boolean> {
  if (type === 'mention' && !Object.values(JSON.parse(post.mentions) as Record<string, string>).includes(memberId))
    return false;
  return await mayBeTold(ctx, memberId, post);
}

/** Whether a member may see a post, and no filter of theirs hides it. The text of a repost is empty, so none hides a repost. */
export async function mayBeTold(
  ctx: Context,
  memberId: string,
  post: FilteredText & Pick<SocialPostRow, 'id'>,
): Promise<boolean> {
  if (!(await maySee(ctx, memberId, post.id))) return false;
  return (await filtersFor(ctx, memberId, 'notifications'))?.hides([post]) !== true;
}
