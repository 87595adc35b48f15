import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, line, paragraph, recordId } from '../text.ts';
import { mostBytes, socialLimits } from './limits.ts';
import { altText } from './media.ts';
import { post } from './post.ts';
import { keepsDirection, visible } from '../shown-text.ts';

const root = '/api/social/posts';
const one = `${root}/:id`;

const byId = v.object({ id: recordId, userId: actorField });

/** The length in grapheme clusters depends on the hubs, so the service counts. */
const content = v.pipe(
  paragraph(mostBytes(socialLimits.hubPost)),
  visible,
  v.description(
    `at most ${socialLimits.post} grapheme clusters, and ${socialLimits.hubPost} in hubs; 16 bytes of UTF-8 for each`,
  ),
);

const warning = v.pipe(
  v.union([v.literal(''), v.pipe(line(socialLimits.warning), visible, keepsDirection)]),
  v.description('what readers are told before they see the content'),
);

const about = {
  contentWarning: v.optional(warning),
  isSensitive: v.optional(v.pipe(v.boolean('must be true or false'), v.description('show the media only on request'))),
};

const attachment = v.pipe(
  v.object({
    _id: v.optional(recordId),
    url: v.optional(
      v.pipe(v.string(), v.regex(/^\/api\/social\/media\/[0-9a-f]{32}$/, 'must be the url of an upload')),
    ),
    altText: v.optional(v.pipe(altText, v.description('instead of that of the upload, unless it is empty'))),
  }),
  v.check(({ _id: id, url }) => id !== undefined || url !== undefined, 'must have an _id or a url'),
);
export type AttachedUpload = v.InferOutput<typeof attachment>;

const mediaAttachments = v.pipe(
  v.optional(v.array(attachment), []),
  v.description(
    'your uploads of `social.upload-media` that wait, in their order, by `_id` or `url`; at most 4. Other fields of them are ignored.',
  ),
);

const hubIds = v.optional(
  v.pipe(
    v.array(recordId, 'must be a list of hubs'),
    v.maxLength(socialLimits.hubs, `must be at most ${socialLimits.hubs} hubs`),
    v.description(
      'the post is for members of these hubs alone; an encrypted hub stands alone; a reply is in the hubs of what it answers, or some of them',
    ),
  ),
);

const text = v.object({
  authorId: actorField,
  content,
  parentPostId: v.optional(recordId),
  hubIds,
  mediaAttachments,
  ...about,
});

const changed = v.object({});

/** Posts, prefix `/api/social/posts`. */
const thread = paged({
  name: 'replies',
  of: post,
  filter: { id: recordId },
  most: socialLimits.thread,
  limit: socialLimits.thread,
  more: {
    rootPost: post,
    replyCount: v.pipe(v.number(), v.description('number of the replies in this answer')),
    participantCount: v.pipe(v.number(), v.description('members who wrote the posts of this answer')),
  },
  errors: ['POST_NOT_FOUND'],
});

export const posts = {
  createPost: operation({
    id: 'social.create-post',
    method: 'POST',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'Write a post, or a reply to one',
    description:
      'A post is public, unless your account is protected: then your followers see it. A reply to a post in hubs is in the same hubs.',
    input: text,
    reply: post,
    status: 201,
    message: 'Post created',
    limit: { name: 'socialPost' },
    errors: [
      'HUB_NOT_FOUND',
      'BANNED_FROM_HUB',
      'FORBIDDEN',
      'POST_NOT_FOUND',
      'POST_TOO_LONG',
      'TOO_MANY_MENTIONS',
      'TOO_MANY_HASHTAGS',
      'THREAD_TOO_DEEP',
      'INVALID_MEDIA',
      'TOO_MANY_ATTACHMENTS',
    ],
  }),
  showPost: operation({
    id: 'social.post',
    method: 'GET',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Show a post',
    description: 'A post that you may not see does not exist for you.',
    input: v.object({ id: recordId }),
    reply: post,
    status: 200,
    message: 'Post',
    errors: ['POST_NOT_FOUND'],
  }),
  showThread: operation({
    id: 'social.thread',
    method: 'GET',
    path: `${one}/thread`,
    envelope: 'social',
    auth: 'member',
    summary: 'Show the conversation that a post is part of',
    description:
      'It begins with the first post above it that you may see, and has the replies in the order of their time. Posts that you may not see are ' +
      `missing, with all replies below them. If more than ${socialLimits.thread} replies came before the post, it begins with the post itself.`,
    ...thread,
    status: 200,
    message: 'Thread',
  }),
  editPost: operation({
    id: 'social.edit-post',
    method: 'PUT',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Change the text of your post',
    description:
      'Within 15 minutes after it was written. The members whom the new text names for the first time are notified. A post in hubs can be changed by ' +
      'who may post in each of them.',
    input: v.object({ id: recordId, userId: actorField, content, ...about }),
    reply: post,
    status: 200,
    message: 'Post updated',
    limit: { name: 'socialPost' },
    errors: [
      'BANNED_FROM_HUB',
      'FORBIDDEN',
      'POST_NOT_FOUND',
      'NOT_AUTHOR',
      'EDIT_WINDOW_OVER',
      'REPOST_HAS_NO_TEXT',
      'POST_TOO_LONG',
      'TOO_MANY_MENTIONS',
      'TOO_MANY_HASHTAGS',
    ],
  }),
  deletePost: operation({
    id: 'social.delete-post',
    method: 'DELETE',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Delete your post',
    description: 'With its likes, votes, reposts and notifications. Replies stay.',
    input: byId,
    reply: v.null(),
    status: 204,
    message: 'Post deleted',
    errors: ['POST_NOT_FOUND', 'NOT_AUTHOR', 'POST_ALREADY_DELETED'],
  }),
  like: operation({
    id: 'social.like',
    method: 'POST',
    path: `${one}/like`,
    envelope: 'social',
    auth: 'member',
    summary: 'Like a post',
    description:
      'Its author is notified once, however often you like it. A like of a repost is one of the post itself.',
    input: byId,
    reply: changed,
    status: 200,
    creates: true,
    message: 'Post liked',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND', 'ALREADY_LIKED'],
  }),
  unlike: operation({
    id: 'social.unlike',
    method: 'DELETE',
    path: `${one}/like`,
    envelope: 'social',
    auth: 'member',
    summary: 'Take back a like',
    description:
      'Also of a post that you may no longer see. The notification of its author is taken back, unless others like the post too.',
    input: byId,
    reply: changed,
    status: 200,
    message: 'Like removed',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND', 'NOT_LIKED'],
  }),
  repost: operation({
    id: 'social.repost',
    method: 'POST',
    path: `${one}/repost`,
    envelope: 'social',
    auth: 'member',
    summary: 'Show a post to your followers',
    description:
      'Only members who may see the post see the repost. Deleting the repost takes it back, also when you may no longer see the post.',
    input: byId,
    reply: post,
    status: 201,
    message: 'Post reposted',
    limit: { name: 'socialPost' },
    errors: ['BANNED_FROM_HUB', 'FORBIDDEN', 'POST_NOT_FOUND', 'ALREADY_REPOSTED'],
  }),
  quote: operation({
    id: 'social.quote',
    method: 'POST',
    path: `${one}/quote`,
    envelope: 'social',
    auth: 'member',
    summary: 'Quote a post with a commentary',
    description: 'Members who may not see the post see the commentary alone.',
    input: v.object({ id: recordId, userId: actorField, commentary: content, mediaAttachments, ...about }),
    reply: post,
    status: 201,
    message: 'Post quoted',
    limit: { name: 'socialPost' },
    errors: [
      'BANNED_FROM_HUB',
      'FORBIDDEN',
      'POST_NOT_FOUND',
      'POST_TOO_LONG',
      'TOO_MANY_MENTIONS',
      'TOO_MANY_HASHTAGS',
      'INVALID_MEDIA',
      'TOO_MANY_ATTACHMENTS',
    ],
  }),
  upvote: operation({
    id: 'social.upvote',
    method: 'POST',
    path: `${one}/upvote`,
    envelope: 'social',
    auth: 'member',
    summary: 'Vote for a post',
    description:
      'A member has one vote on a post. Voting again the same way changes nothing, and the other way changes the vote.',
    input: byId,
    reply: v.object({ upvoteCount: v.number(), downvoteCount: v.number(), score: v.number() }),
    status: 200,
    message: 'Upvoted',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND'],
  }),
  downvote: operation({
    id: 'social.downvote',
    method: 'POST',
    path: `${one}/downvote`,
    envelope: 'social',
    auth: 'member',
    summary: 'Vote against a post',
    description: 'The same as `upvote`, in the other direction.',
    input: byId,
    reply: v.object({ upvoteCount: v.number(), downvoteCount: v.number(), score: v.number() }),
    status: 200,
    message: 'Downvoted',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND'],
  }),
  unvote: operation({
    id: 'social.unvote',
    method: 'DELETE',
    path: `${one}/vote`,
    envelope: 'social',
    auth: 'member',
    summary: 'Take back your vote on a post',
    description: 'Without a vote it changes nothing.',
    input: byId,
    reply: v.object({ upvoteCount: v.number(), downvoteCount: v.number(), score: v.number() }),
    status: 200,
    message: 'Vote removed',
    limit: { name: 'socialReaction' },
    errors: ['POST_NOT_FOUND'],
  }),
};
