import * as v from 'valibot';
import { memberId, recordId, timestamp } from '../text.ts';
import { socialLimits } from './limits.ts';
import { mediaTypes } from './media/limits.ts';

const postTypes = ['original', 'reply', 'repost', 'quote'] as const;
export type PostType = (typeof postTypes)[number];

/** Who may see a post, fixed when it is written. The author always may. */
const audiences = ['public', 'hub', 'followers'] as const;
export type Audience = (typeof audiences)[number];

export const mediaAttachment = v.object({
  _id: recordId,
  url: v.pipe(v.string(), v.description('path on this server; it asks whether the caller may see a post with it')),
  mimeType: v.picklist(mediaTypes),
  size: v.pipe(v.number(), v.description('bytes')),
  width: v.pipe(v.number(), v.description('pixels, as it is shown; 0 for sound')),
  height: v.pipe(v.number(), v.description('pixels, as it is shown; 0 for sound')),
  altText: v.string(),
  sensitive: v.pipe(v.boolean(), v.description('whether it is shown only on request')),
});
export type MediaAttachment = v.InferOutput<typeof mediaAttachment>;

const fields = {
  _id: recordId,
  authorId: memberId,
  authorUsername: v.string(),
  authorDisplayName: v.string(),
  content: v.string(),
  formattedContent: v.pipe(v.string(), v.description('HTML: text with links to hashtags, members and web addresses')),
  contentWarning: v.pipe(
    v.string(),
    v.description('what readers are told before they see the content; empty without one'),
  ),
  isSensitive: v.pipe(v.boolean(), v.description('whether the media are shown only on request')),
  postType: v.picklist(postTypes),
  visibility: v.picklist(audiences),
  parentPostId: v.optional(recordId),
  quotedPostId: v.pipe(v.optional(recordId), v.description('the post that is quoted or reposted')),
  hubIds: v.array(recordId),
  mediaAttachments: v.pipe(v.array(mediaAttachment), v.maxLength(socialLimits.media)),
  mentions: v.pipe(v.array(memberId), v.description('members whom the text names')),
  hashtags: v.array(v.string()),
  likeCount: v.number(),
  repostCount: v.number(),
  replyCount: v.number(),
  quoteCount: v.number(),
  upvoteCount: v.number(),
  downvoteCount: v.number(),
  score: v.pipe(v.number(), v.description('upvotes less downvotes')),
  isEdited: v.boolean(),
  isDeleted: v.boolean(),
  editedAt: v.optional(timestamp),
  createdAt: timestamp,
  updatedAt: timestamp,
  createdBy: memberId,
  updatedBy: memberId,
  liked: v.pipe(v.boolean(), v.description('whether the caller likes it')),
  reposted: v.pipe(v.boolean(), v.description('whether the caller reposted it')),
  bookmarked: v.pipe(v.boolean(), v.description('whether the caller has a bookmark for it')),
  vote: v.pipe(v.picklist([-1, 0, 1]), v.description('of the caller')),
};

/** A post without the post that it quotes or reposts. */
const embeddedPost = v.object(fields);
export type EmbeddedPost = v.InferOutput<typeof embeddedPost>;

export const post = v.object({
  ...fields,
  quotedPost: v.pipe(
    v.optional(v.nullable(embeddedPost)),
    v.description('the post that is quoted or reposted; null if the caller may not see it, or it is deleted'),
  ),
  filtered: v.pipe(
    v.optional(v.array(v.string())),
    v.description('phrases of filters of the caller that warn of it; missing without one'),
  ),
});
export type Post = v.InferOutput<typeof post>;
