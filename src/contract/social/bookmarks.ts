import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, recordId } from '../text.ts';
import { socialLimits } from './limits.ts';
import { post } from './post.ts';

const common = { envelope: 'social', auth: 'member' } as const;
const one = '/api/social/posts/:id/bookmark';
const byId = v.object({ id: recordId, userId: actorField });
const changed = v.object({});

/** Bookmarks. Nobody but their owner knows of them, also not the author of the post. */
export const bookmarks = {
  bookmark: operation({
    ...common,
    id: 'social.bookmark',
    method: 'POST',
    path: one,
    summary: 'Keep a bookmark for a post',
    description: 'Only you see your bookmarks. Of a repost, it is for the post itself.',
    input: byId,
    reply: changed,
    status: 200,
    creates: true,
    message: 'Post bookmarked',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND', 'ALREADY_BOOKMARKED', 'TOO_MANY_BOOKMARKS'],
  }),
  removeBookmark: operation({
    ...common,
    id: 'social.remove-bookmark',
    method: 'DELETE',
    path: one,
    summary: 'Remove a bookmark',
    description: 'Also of a post that you may no longer see.',
    input: byId,
    reply: changed,
    status: 200,
    message: 'Bookmark removed',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND', 'NOT_BOOKMARKED'],
  }),
  listBookmarks: operation({
    ...common,
    id: 'social.bookmarks',
    method: 'GET',
    path: '/api/social/bookmarks',
    summary: 'List the posts with a bookmark of yours, the latest bookmark first',
    description: 'Without posts that you may no longer see. They are back when you may see them again.',
    ...paged({
      name: 'posts',
      of: post,
      filter: { userId: actorField },
      limit: socialLimits.page,
    }),
    status: 200,
    message: 'Bookmarks',
  }),
};
