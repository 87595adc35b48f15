import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { notifications } from '../../../contract/notifications.ts';
import { BlockList } from '../../kit/block-list.ts';
import { threadOf } from '../post-view.ts';
import { readThread } from '../read-thread.ts';
import { readTimeline, searchPosts, type Timeline } from '../timelines.ts';
import { idOf, type Row } from './rows.ts';

/** What a list shows. */
export type Place =
  | { readonly kind: 'timeline'; readonly timeline: Timeline; readonly title: string }
  | { readonly kind: 'thread'; readonly postId: string; readonly title: string }
  | { readonly kind: 'search'; readonly words: string; readonly title: string }
  | { readonly kind: 'notifications'; readonly title: string };

/** A list on the way to where the person is. */
export interface Level {
  readonly place: Place;
  rows: Row[];
  cursor: string | undefined;
  hasMore: boolean;
  readonly list: BlockList;
}

export const home: Place = { kind: 'timeline', timeline: { kind: 'home' }, title: 'home' };
export const everybody: Place = { kind: 'timeline', timeline: { kind: 'public' }, title: 'public' };
export const notices: Place = { kind: 'notifications', title: 'notifications' };

export function hubPlace(slug: string): Place {
  return { kind: 'timeline', timeline: { kind: 'hub', name: slug }, title: `hub ${slug}` };
}

export function memberPlace(id: string, name: string): Place {
  return { kind: 'timeline', timeline: { kind: 'user', name: id }, title: `posts of ${name}` };
}

export function threadPlace(postId: string): Place {
  return { kind: 'thread', postId, title: 'thread' };
}

export function searchPlace(words: string): Place {
  return { kind: 'search', words, title: `search: ${words}` };
}

type Part = Pick<Level, 'rows' | 'cursor' | 'hasMore'>;

const PAGE = 20;

/** The first rows of a place, at least as many as asked for if there are so many. */
export async function opened(client: Client, place: Place, most = PAGE): Promise<Level> {
  return { place, ...(await read(client, place, most, undefined)), list: new BlockList() };
}

/** Reads a place again. The cursor stays on its row. */
export async function readAgain(client: Client, level: Level): Promise<void> {
  const at = level.list.at;
  const [before] = level.rows.slice(at).map(idOf);
  const part = await read(client, level.place, Math.max(PAGE, Math.min(MOST_AGAIN, level.rows.length)), undefined);
  Object.assign(level, part);
  const now = level.rows.findIndex((row) => idOf(row) === before);
  level.list.choose(now === -1 ? at : now, true);
}

/** Whoever wants others opens one of the replies that are there. */
const MOST_REPLIES = 500;
/** Reading again does not read all pages of somebody who has gone far. */
const MOST_AGAIN = 100;

/** Adds the next page. */
export async function readMore(client: Client, level: Level): Promise<void> {
  if (!level.hasMore) return;
  const part = await read(client, level.place, PAGE, level.cursor);
  const known = new Set(level.rows.map(idOf));
  const fresh = part.rows.filter((row) => !known.has(idOf(row)));
  Object.assign(level, { ...part, rows: [...level.rows, ...fresh] });
}

async function read(client: Client, place: Place, most: number, cursor: string | undefined): Promise<Part> {
  if (place.kind === 'thread') {
    // In their order replies stand below what they answer, so they can't be added page by page.
    const { rootPost, replies } = await readThread(client, place.postId, { most: MOST_REPLIES });
    return { rows: threadOf(rootPost, replies), cursor: undefined, hasMore: false };
  }
  if (place.kind === 'notifications') {
    const from = cursor === undefined ? {} : { cursor };
    const page = await perform(client, notifications.list, { limit: Math.min(100, most), ...from });
    return { rows: page.notifications.map((notice) => ({ notice })), cursor: page.cursor, hasMore: page.hasMore };
  }
  const page =
    place.kind === 'search'
      ? await searchPosts(client, place.words, most, cursor)
      : await readTimeline(client, place.timeline, most, cursor);
  return { rows: page.posts.map((post) => ({ post })), cursor: page.cursor, hasMore: page.hasMore };
}
