import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { social } from '../../contract/social.ts';
import type { FeedSort } from '../../contract/social/feeds.ts';
import { socialLimits, type TopWindow } from '../../contract/social/limits.ts';
import type { Post } from '../../contract/social/post.ts';
import { Problem } from '../../base/problem.ts';
import type { Patience } from '../kit/ear.ts';

export const timelineKinds = ['home', 'public', 'hub', 'user', 'tag'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** Only hubs have the order controversial. */
export type TimelineSort = FeedSort | 'controversial';

export interface Timeline {
  readonly kind: TimelineKind;
  /** the hub, the member or the hashtag, for these kinds */
  readonly name?: string | undefined;
  readonly sort?: TimelineSort | undefined;
  readonly topWindow?: TopWindow | undefined;
  /** posts of the members of a list or a category alone, in the home timeline */
  readonly among?: { readonly listId: string } | { readonly categoryId: string };
}

export interface TimelinePage {
  posts: Post[];
  cursor?: string | undefined;
  hasMore: boolean;
}

/** @throws Problem invalid USAGE if the kind needs a name, or takes none */
export function timelineOf(kind: TimelineKind, name: string | undefined): Timeline {
  const needsName = kind === 'user' || kind === 'tag' || kind === 'hub';
  if (needsName && name === undefined) {
    const what = kind === 'user' ? 'member' : kind === 'hub' ? 'hub' : 'hashtag';
    throw new Problem('invalid', 'USAGE', `Name the ${what}: conclave social timeline ${kind} NAME`);
  }
  if (!needsName && name !== undefined)
    throw new Problem('invalid', 'USAGE', `The timeline ${kind} takes no name. Did you mean hub, user or tag?`);
  return { kind, name };
}

type Page = { readonly limit: number; readonly cursor?: string };

export async function readTimeline(
  client: Client,
  timeline: Timeline,
  most: number,
  from?: string,
): Promise<TimelinePage> {
  return await readPages(async (page) => await readPage(client, timeline, page), most, from);
}

export async function searchPosts(client: Client, q: string, most: number, from?: string): Promise<TimelinePage> {
  return await readPages(async (page) => await perform(client, social.search, { q, ...page }), most, from);
}

/** Reads pages until there are so many posts. A page of which the caller may see nothing is no end. */
async function readPages(
  read: (page: Page) => Promise<TimelinePage>,
  most: number,
  from?: string,
): Promise<TimelinePage> {
  const posts: Post[] = [];
  let cursor = from;
  for (;;) {
    const limit = Math.min(most - posts.length, socialLimits.mostOnPage);
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    posts.push(...page.posts);
    cursor = page.cursor;
    if (!page.hasMore || posts.length >= most)
      return { posts, ...(cursor !== undefined && { cursor }), hasMore: page.hasMore };
  }
}

async function readPage(
  client: Client,
  { kind, name = '', sort, topWindow, among }: Timeline,
  page: Page,
): Promise<TimelinePage> {
  const order = { ...page, ...(topWindow !== undefined && { topWindow }) };
  if (kind === 'hub')
    return await perform(client, social.hubFeed, { hubId: name, ...order, ...(sort !== undefined && { sort }) });
  const input = { ...order, ...(sort !== undefined && sort !== 'controversial' && { sort }) };
  if (kind === 'home') return await perform(client, social.homeTimeline, { ...input, ...among });
  if (kind === 'public') return await perform(client, social.publicTimeline, input);
  if (kind === 'user') return await perform(client, social.userFeed, { id: name, ...input });
  return await perform(client, social.hashtagFeed, { tag: name, ...input });
}

/** Posts that are read back to the last look. When more came, the older ones are left out. */
const MOST_NEWS = 1_000;

export interface NewPosts {
  /** the oldest first */
  readonly posts: Post[];
  /** whether there are others between these and the last look */
  readonly missed: boolean;
}

/**
 * Answers the posts that came since the last call.
 * @param from id of the newest post that is known; without it, the first call answers none
 */
export function openNewPosts(client: Client, timeline: Timeline, from?: string): () => Promise<NewPosts> {
  let newest = from;
  return async () => {
    const since = newest;
    const posts: Post[] = [];
    let page: TimelinePage | undefined;
    const isBehind = () => since !== undefined && page?.hasMore === true && (posts.at(-1)?.['_id'] ?? '') > since;
    do {
      page = await readTimeline(client, { ...timeline, sort: 'new' }, socialLimits.mostOnPage, page?.cursor);
      posts.push(...page.posts);
    } while (isBehind() && page.cursor !== undefined && posts.length < MOST_NEWS);
    newest = posts[0]?.['_id'] ?? newest ?? '';
    if (since === undefined) return { posts: [], missed: false };
    return { posts: posts.filter((post) => post['_id'] > since).reverse(), missed: isBehind() };
  };
}

/** No event tells of posts in timelines, so they are looked at as often where others are heard. */
export const TIMELINE_PATIENCE: Patience = { deafMs: 3_000, perReadMs: 200, hearingMs: 3_000 };
