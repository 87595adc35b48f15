import type { Context } from '../../../service/context.ts';
import type { FilterContext } from '../../../contract/social/filters.ts';
import type { Post } from '../../../contract/social/post.ts';
import {
  readCursor,
  writeCursor,
  type Listing,
  type Next,
  type PageRequest,
  type Position,
} from '../../../platform/store/page.ts';
import { filtersFor } from '../filters/applying.ts';
import { listedRows, type Listed } from '../posts/listed.ts';
import { shownPosts } from '../posts/shown.ts';
import type { SeenPost } from '../seeing/posts.ts';

/** A post in the order of a feed, before anybody asked who may see it. */
export interface Candidate {
  readonly id: string;
  /** in a feed that is ranked */
  readonly score?: number;
}

export interface Feed extends Listing<Candidate>, Listed {
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
    const ids = looked.map(({ id }) => id);
    const rows = await listedRows(ctx, feed, ids, filters, subjects);
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
