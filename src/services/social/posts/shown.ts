import type { Context } from '../../../context.ts';
import type { EmbeddedPost, Post } from '../../../contract/social/post.ts';
import { mediaOfPosts } from '../media/attaching.ts';
import type { AppliedFilters } from '../filters/applying.ts';
import { hubIdsOf } from '../seeing/hubs.ts';
import { postRows, type SeenPost } from '../seeing/posts.ts';
import { entitiesOf } from './entities.ts';
import { formatted } from './formatted.ts';

/** The posts that others quote or repost, by id. They go through the filter too. */
export async function subjectsOf(
  ctx: Pick<Context, 'db'>,
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
  ctx: Pick<Context, 'db'>,
  readerId: string,
  rows: readonly SeenPost[],
  filters?: AppliedFilters,
  known?: ReadonlyMap<string, SeenPost>,
): Promise<Post[]> {
  const subjects = known ?? (await subjectsOf(ctx, readerId, rows));
  const withMedia = [...rows.map(({ id }) => id), ...subjectIds(rows).filter((id) => subjects.has(id))];
  const media = await mediaOfPosts(ctx, [...new Set(withMedia)]);
  const shown = (row: SeenPost): EmbeddedPost => ({ ...shownAlone(row), mediaAttachments: media.get(row.id) ?? [] });
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

export async function shownPost(
  ctx: Pick<Context, 'db'>,
  readerId: string,
  row: SeenPost,
  filters?: AppliedFilters,
): Promise<Post> {
  const [post] = await shownPosts(ctx, readerId, [row], filters);
  return post as Post;
}

function shownAlone(row: SeenPost): Omit<EmbeddedPost, 'mediaAttachments'> {
  const entities = entitiesOf(row.content);
  const members = JSON.parse(row.mentions) as Record<string, string>;
  const known = (username: string): string | undefined => {
    const key = username.toLowerCase();
    return Object.hasOwn(members, key) ? members[key] : undefined;
  };
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
    mentions: [...new Set(Object.values(members))],
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
