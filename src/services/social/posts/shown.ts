import type { EmbeddedPost, MediaAttachment, Post } from '../../../contract/social/post.ts';
import { mediaOfPosts } from '../media/attaching.ts';
import type { AppliedFilters } from '../filters/applying.ts';
import { unknownTo } from '../people/found.ts';
import { hubIdsOf } from '../seeing/hubs.ts';
import { postRows, type SeenPost } from '../seeing/posts.ts';
import type { Opening } from '../seeing/sealed.ts';
import { entitiesOf } from './entities.ts';
import { formatted } from './formatted.ts';

/** The posts that others quote or repost, by id. They go through the filter too. */
export async function subjectsOf(
  ctx: Opening,
  readerId: string,
  rows: Iterable<SeenPost>,
): Promise<Map<string, SeenPost>> {
  return await postRows(ctx, readerId, subjectIds(rows));
}

function subjectIds(rows: Iterable<SeenPost>): string[] {
  return [...rows].flatMap((row) => row.subject_id ?? []);
}

/**
 * Posts as answers have them, in the given order.
 * @param known what `subjectsOf` found for them, if it was asked before
 */
export async function shownPosts(
  ctx: Opening,
  readerId: string,
  rows: readonly SeenPost[],
  filters?: AppliedFilters,
  known?: ReadonlyMap<string, SeenPost>,
): Promise<Post[]> {
  const subjects = known ?? (await subjectsOf(ctx, readerId, rows));
  const withMedia = [...rows.map(({ id }) => id), ...subjectIds(rows).filter((id) => subjects.has(id))];
  const media = await mediaOfPosts(ctx, [...new Set(withMedia)]);
  const unknown = await unknownIn(ctx, readerId, [...rows, ...subjects.values()]);
  const shown = (row: SeenPost): EmbeddedPost => ({
    ...shownAlone(row, unknown),
    mediaAttachments: withAltTexts(media.get(row.id) ?? [], row),
  });
  return rows.map((row) => {
    const subject = subjects.get(row.subject_id ?? '');
    const filtered = filters?.warnings(subject === undefined ? [row] : [row, subject]) ?? [];
    return {
      ...shown(row),
      ...(row.subject_id !== null && { quotedPost: subject === undefined ? null : shown(subject) }),
      ...(filtered.length > 0 && { filtered }),
    };
  });
}

/** Members by their names in lower case, as a post has them. */
function mentionsOf({ mentions }: SeenPost): Record<string, string> {
  return JSON.parse(mentions) as Record<string, string>;
}

/**
 * Members whom posts name, and of whom the reader may not know. Such a name is as plain as one that nobody has, or it would tell the reader of
 * a block or a suspension.
 */
async function unknownIn(ctx: Opening, readerId: string, rows: readonly SeenPost[]): Promise<ReadonlySet<string>> {
  return await unknownTo(
    ctx,
    readerId,
    rows.flatMap((row) => Object.values(mentionsOf(row))),
  );
}

function withAltTexts(media: readonly MediaAttachment[], { alt_texts: texts }: SeenPost): MediaAttachment[] {
  return media.map((one, at) => ({ ...one, altText: texts?.[at] ?? one.altText }));
}

export async function shownPost(
  ctx: Opening,
  readerId: string,
  row: SeenPost,
  filters?: AppliedFilters,
): Promise<Post> {
  const [post] = await shownPosts(ctx, readerId, [row], filters);
  return post as Post;
}

function shownAlone(row: SeenPost, unknown: ReadonlySet<string>): Omit<EmbeddedPost, 'mediaAttachments'> {
  const entities = entitiesOf(row.content);
  const members = new Map(Object.entries(mentionsOf(row)).filter(([, memberId]) => !unknown.has(memberId)));
  const known = (username: string): string | undefined => members.get(username.toLowerCase());
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    _id: row.id,
    authorId: row.author_id,
    authorUsername: row.username,
    authorDisplayName: row.display_name,
    content: row.content,
    formattedContent: formatted(row.content, entities, known),
    contentWarning: row.warning,
    isSensitive: row.sensitive === 1,
    postType: row.kind,
    visibility: row.audience,
    ...(row.parent_id !== null && { parentPostId: row.parent_id }),
    ...(row.subject_id !== null && { quotedPostId: row.subject_id }),
    hubIds: hubIdsOf(row.known_hubs),
    mentions: [...new Set(members.values())],
    hashtags: [...new Set(entities.filter(({ kind }) => kind === 'hashtag').map(({ text }) => text))],
    likeCount: row.like_count,
    repostCount: row.repost_count,
    replyCount: row.reply_count,
    quoteCount: row.quote_count,
    upvoteCount: row.upvote_count,
    downvoteCount: row.downvote_count,
    score: row.upvote_count - row.downvote_count,
    isEdited: row.edited_at !== null,
    isDeleted: false,
    ...(row.edited_at !== null && { editedAt: time(row.edited_at) }),
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at),
    createdBy: row.author_id,
    updatedBy: row.author_id,
    liked: row.liked === 1,
    reposted: row.reposted === 1,
    bookmarked: row.bookmarked === 1,
    vote: (row.vote ?? 0) as -1 | 0 | 1,
  };
}
