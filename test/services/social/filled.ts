import { randomBytes } from 'node:crypto';
import { recordId } from '../../../src/platform/store/record-id.ts';
import type { SocialPostRow } from '../../../src/platform/store/tables/social.ts';
import type { House } from '../../support/house.ts';

/** A post as the store has it. What is not given is as of a public post that nobody has seen. */
export function postRow(more: Pick<SocialPostRow, 'author_id' | 'created_at'> & Partial<SocialPostRow>): SocialPostRow {
  return {
    id: recordId(more.created_at, randomBytes),
    kind: 'original',
    audience: 'public',
    parent_id: null,
    root_id: null,
    depth: 0,
    subject_id: null,
    content: 'Stored',
    warning: '',
    sensitive: 0,
    mentions: '{}',
    sealed: null,
    sealed_in: null,
    epoch: null,
    first_epoch: null,
    revision: null,
    counted: 0,
    like_count: 0,
    repost_count: 0,
    reply_count: 0,
    quote_count: 0,
    upvote_count: 0,
    downvote_count: 0,
    engagement: 0,
    controversy: 0,
    updated_at: more.created_at,
    edited_at: null,
    deleted_at: null,
    ...more,
  };
}

/** Stores posts, and their tags. Those for a hub are in this one. */
export async function storePosts(
  { ctx }: House,
  rows: readonly SocialPostRow[],
  tag?: string,
  hubId?: string,
): Promise<void> {
  await ctx.store.transaction(async (db) => {
    for (let from = 0; from < rows.length; from += 50) {
      const part = rows.slice(from, from + 50);
      await db.insertInto('social_posts').values(part).execute();
      if (tag !== undefined)
        await db
          .insertInto('social_post_tags')
          .values(part.map(({ id, engagement }) => ({ tag, post_id: id, engagement })))
          .execute();
      const inHub = part.filter(({ audience }) => audience === 'hub');
      if (hubId !== undefined && inHub.length > 0)
        await db
          .insertInto('social_post_hubs')
          .values(
            inHub.map(({ id, kind, engagement, controversy }) => ({
              hub_id: hubId,
              post_id: id,
              listed: kind === 'reply' ? 0 : 1,
              engagement,
              controversy,
            })),
          )
          .execute();
    }
  });
}
