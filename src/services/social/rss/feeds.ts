import { createHash } from 'node:crypto';
import type { Actor, Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { desc, type Position } from '../../../platform/store/page.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { ownUrl } from '../address.ts';
import { feedPage, type Candidate } from '../feeds/feed-page.ts';
import { idBehind, isPublic } from '../feeds/newest.ts';
import { hubIfAny, roomOf } from '../hubs/access.ts';
import { newestOfHub } from '../hubs/feed.ts';
import { requirePerson } from '../people/found.ts';
import { hashtagKey } from '../posts/entities.ts';
import { rssOf } from './rss.ts';

/** A reader who is nobody: no member has this id, follows as it, or is in a hub as it. */
const anonymous = { memberId: '' } as const;
const MAX_AGE_SECONDS = 300;

const publicOf = writtenQuery<Candidate>(`
  select p.id from social_posts p where p.author_id = $1 and ${isPublic('p')} and p.id < $2 order by p.id desc limit $3`);
const publicTagged = writtenQuery<Candidate>(`
  select t.post_id as id from social_post_tags t join social_posts p on p.id = t.post_id
  where t.tag = $1 and ${isPublic('p')} and t.post_id < $2 order by t.post_id desc limit $3`);

export async function userRss(ctx: Context, _guest: Guest, { id }: { readonly id: string }): Promise<Download> {
  requireRss(ctx);
  const person = await requirePerson(ctx, anonymous, id).catch((error: unknown) => {
    throw error instanceof Problem && error.kind === 'missing' ? noFeed() : error;
  });
  if (person.protected === 1) throw noFeed();
  return await feed(ctx, {
    title: `${person.display_name} (@${person.username})`,
    description: `Public posts of @${person.username}`,
    path: `/api/social/users/${person.id}/feed.rss`,
    read: async (after, most) => (await ctx.db.executeQuery(publicOf(person.id, idBehind(after), most))).rows,
  });
}

export async function hashtagRss(ctx: Context, _guest: Guest, { tag }: { readonly tag: string }): Promise<Download> {
  requireRss(ctx);
  const key = hashtagKey(tag.replace(/^[#＃]/u, ''));
  return await feed(ctx, {
    title: `#${key}`,
    description: `Public posts with #${key}`,
    path: `/api/social/hashtag/${encodeURIComponent(key)}/feed.rss`,
    read: async (after, most) => (await ctx.db.executeQuery(publicTagged(key, idBehind(after), most))).rows,
  });
}

/** For members of the hub. What they read is theirs, so the node need not be a public place for it. */
export async function hubRss(
  ctx: Context,
  { memberId }: Actor,
  { hubId }: { readonly hubId: string },
): Promise<Download> {
  const hub = await hubIfAny(ctx, hubId);
  if (hub === undefined || hub.trust_tier === 'encrypted') throw noHubFeed();
  if ((await roleIn(ctx, roomOf(hub.id), memberId)) === undefined) throw noHubFeed();
  return await feed(ctx, {
    memberId,
    title: hub.name,
    description: hub.description === '' ? `Posts in ${hub.name}` : hub.description,
    path: `/api/social/hubs/${hub.id}/feed.rss`,
    read: async (after, most) => (await ctx.db.executeQuery(newestOfHub(hub.id, idBehind(after), most))).rows,
  });
}

function requireRss({ config }: Context): void {
  if (!config.social.rss) throw noFeed();
}

function noFeed(): Problem {
  return new Problem('missing', 'FEED_NOT_FOUND', 'There is no such feed for everybody.');
}

function noHubFeed(): Problem {
  return new Problem('missing', 'FEED_NOT_FOUND', 'There is no such feed for you.');
}

interface Described {
  /** the reader; without one everybody */
  readonly memberId?: string;
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly read: (after: Position, most: number) => Promise<readonly Candidate[]>;
}

async function feed(
  ctx: Context,
  { memberId = anonymous.memberId, title, description, path, read }: Described,
): Promise<Download> {
  const by = [desc<Candidate>('id', (row) => row.id)];
  const page = { limit: socialLimits.rssItems };
  const { posts } = await feedPage(ctx, { list: 'social.rss', memberId, withoutMuted: false, by, read }, page);
  const base = ownUrl(ctx);
  const content = rssOf({ title, description, self: `${base}${path}`, link: `${base}/` }, posts);
  return {
    type: 'application/rss+xml; charset=utf-8',
    content,
    version: createHash('sha256').update(content).digest('base64url'),
    headers: {
      'cache-control': memberId === anonymous.memberId ? `public, max-age=${MAX_AGE_SECONDS}` : 'private, no-cache',
    },
  };
}
