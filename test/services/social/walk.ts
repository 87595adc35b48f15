import type { HouseMember } from '../../support/prepared-member.ts';
import type { SocialScene } from './scene.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A path below /api/social with more in its query. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const url = new URL(path, 'http://house.test');
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.pathname + url.search;
}

/**
 * The items of all pages of a feed or a list of people, in order.
 * @param between runs after each page but the last one
 */
export async function walk(
  scene: SocialScene,
  who: HouseMember,
  path: string,
  {
    limit = 50,
    between,
  }: { limit?: number | (() => number); between?: (found: readonly string[]) => Promise<void> } = {},
): Promise<Json[]> {
  const found: Json[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 500; pages += 1) {
    const size = typeof limit === 'number' ? limit : limit();
    const page = await scene.ask(who, 'GET', withQuery(path, { limit: size, cursor }));
    found.push(...(page.posts ?? page.people ?? page.requests ?? page.reports ?? page.replies));
    if (page.hasMore !== (page.cursor !== undefined)) throw new Error('a page has a cursor exactly if others follow');
    if (page.cursor === undefined) return found;
    cursor = page.cursor;
    await between?.(found.map(({ _id: id }) => id));
  }
  throw new Error(`${path} has no end`);
}

/** The same, the ids alone. */
export async function idsOf(...asked: Parameters<typeof walk>): Promise<string[]> {
  return (await walk(...asked)).map(({ _id: id }) => id);
}
