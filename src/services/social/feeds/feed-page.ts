import type { Context } from '../../../context.ts';
import type { FilterContext } from '../../../contract/social/filters.ts';
import type { Post } from '../../../contract/social/post.ts';
import { whomMutes } from '../../../members/blocks.ts';
import {
  readCursor,
  writeCursor,
  type Listing,
  type Next,
  type PageRequest,
  type Position,
} from '../../../store/page.ts';
import { filtersFor, type AppliedFilters } from '../filters/applying.ts';
import { shownPosts, subjectsOf } from '../posts/shown.ts';
import { postRows, type SeenPost } from '../seeing/posts.ts';

/** A post in the order of a feed, before anybody asked who may see it. */
export interface Candidate {
  readonly id: string;
  /** in a feed that is ranked */
  readonly score?: number;
}

export interface Feed extends Listing<Candidate> {
  /** whether posts of members whom the reader muted are left out */
  readonly withoutMuted: boolean;
  /** where it is, for the filters of the reader; without it they have no effect */
  readonly context?: FilterContext | undefined;
  /** candidates behind a position, or from the first on if it has no values */
  readonly read: (after: Position, most: number) => Promise<readonly Candidate[]>;
}

/** A page that is not full after so many reads of candidates ends early. Its cursor goes on behind the last candidate. */
const READS = 6;

/** Reads one page of a feed: candidates by keys, then those that the reader may see. */
export async function feedPage(
  ctx: Context,
  feed: Feed,
  { limit = 1, cursor }: PageRequest,
): Promise<{ posts: Post[] } & Next> {
  let after: Position = cursor === undefined ? { values: [], asOf: ctx.clock.now() } : readCursor(ctx, feed, cursor);
  const kept: SeenPost[] = [];
  // What the kept posts quote or repost.
  const subjects = new Map<string, SeenPost>();
  let last: Candidate | undefined;
  let more = true;
  const filters = feed.context === undefined ? undefined : await filtersFor(ctx, feed.memberId, feed.context);
  for (let reads = 0; reads < READS && more && kept.length < limit; reads += 1) {
    const candidates = await feed.read(after, limit + 1);
    more = candidates.length > limit;
    const looked = candidates.slice(0, limit);
    const rows = await visibleRows(ctx, feed, looked, filters, subjects);
    for (const [at, candidate] of looked.entries()) {
      last = candidate;
      const row = rows.get(candidate.id);
      if (row !== undefined) kept.push(row);
      if (kept.length === limit) {
        more ||= at < looked.length - 1;
        break;
      }
    }
    if (last !== undefined) after = positionOf(feed, last, after.asOf);
  }
  const posts = await shownPosts(ctx, feed.memberId, kept, filters, subjects);
  if (!more || last === undefined) return { posts, hasMore: false };
  return { posts, cursor: writeCursor(ctx, feed, last, after.asOf), hasMore: true };
}

function positionOf({ by }: Feed, candidate: Candidate, asOf: number): Position {
  return { asOf, values: by.map(({ of }) => of(candidate)) };
}

/** @param subjects takes what the candidates quote or repost */
async function visibleRows(
  ctx: Context,
  { memberId, withoutMuted }: Feed,
  candidates: readonly Candidate[],
  filters: AppliedFilters | undefined,
  subjects: Map<string, SeenPost>,
): Promise<Map<string, SeenPost>> {
  const rows = await postRows(
    ctx,
    memberId,
    candidates.map(({ id }) => id),
  );
  for (const [id, subject] of await subjectsOf(ctx, memberId, rows.values())) subjects.set(id, subject);
  if ((!withoutMuted && filters === undefined) || rows.size === 0) return rows;
  // A repost or a quote shows what it is about too.
  const shownBy = (row: SeenPost): SeenPost[] => {
    const subject = subjects.get(row.subject_id ?? '');
    return subject === undefined ? [row] : [row, subject];
  };
  const authorsOf = (row: SeenPost): string[] => shownBy(row).map((one) => one.author_id);
  const away = withoutMuted ? await whomMutes(ctx, memberId, [...rows.values()].flatMap(authorsOf)) : new Set<string>();
  for (const row of rows.values())
    if (authorsOf(row).some((id) => away.has(id)) || filters?.hides(shownBy(row)) === true) rows.delete(row.id);
  return rows;
}
