import type { Context } from '../../context.ts';
import { hiddenFrom, whomBlocks, whoBlocked, whoMutes } from '../../members/blocks.ts';
import type { NewNotification } from '../../notifications/new-notification.ts';
import { notify } from '../../notifications/notify.ts';
import type { NotificationRules } from '../../notifications/rules.ts';
import { filtersFor } from './filters/applying.ts';
import { maySee } from './seeing/posts.ts';

/** As `notify`, unless one of the two blocked the other, or the recipient muted the actor. */
export async function tell(tx: Context, wanted: NewNotification & { readonly actorId: string }): Promise<void> {
  const { recipientId, actorId } = wanted;
  if ((await hiddenFrom(tx, recipientId, [actorId], 'blocks and mutes')).size === 0) await notify(tx, wanted);
}

const ofPosts = ['reply', 'mention', 'quote'] as const;

/** Who may see what notifications of the social network are about, at this moment. */
export const socialNotifications: NotificationRules = {
  types: ['like', 'repost', 'follow', 'follow_request', ...ofPosts],
  visibleTo: async (ctx, { type, actorId, targetId }, memberIds) => {
    const seeing = new Set(memberIds);
    if (actorId !== undefined)
      for (const find of [whoBlocked, whomBlocks, whoMutes])
        for (const id of await find(ctx, actorId, memberIds)) seeing.delete(id);
    // Likes and reposts are about a post of the recipient.
    if (targetId === undefined || !ofPosts.some((one) => one === type)) return seeing;
    const named = type === 'mention' ? await namedIn(ctx, targetId) : undefined;
    for (const id of seeing)
      if (named?.has(id) === false || !(await maySee(ctx, id, targetId)) || (await isFiltered(ctx, id, targetId)))
        seeing.delete(id);
    return seeing;
  },
};

/** The members whom a post names now: an edit may have come before the notification. */
async function namedIn({ db }: Context, postId: string): Promise<Set<string>> {
  const row = await db.selectFrom('social_posts').select('mentions').where('id', '=', postId).executeTakeFirst();
  return new Set(Object.values(JSON.parse(row?.mentions ?? '{}') as Record<string, string>));
}

/** Whether a filter of the recipient hides the post that a notification is about. */
export async function isFiltered(ctx: Context, recipientId: string, postId: string): Promise<boolean> {
  const filters = await filtersFor(ctx, recipientId, 'notifications');
  if (filters === undefined) return false;
  const row = await ctx.db
    .selectFrom('social_posts')
    .select(['author_id', 'content', 'warning'])
    .where('id', '=', postId)
    .executeTakeFirst();
  return row !== undefined && filters.hides([row]);
}
