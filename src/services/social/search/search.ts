import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { Post } from '../../../contract/social/post.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { Next } from '../../../platform/store/page.ts';
import { amongWritten } from '../../../platform/store/search/among.ts';
import { searchSifted } from '../../../platform/store/search/sifted.ts';
import type { Among } from '../../../platform/store/search/window.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { requireHub, roomOf } from '../hubs/access.ts';
import { filtersFor } from '../filters/applying.ts';
import { requirePerson } from '../people/found.ts';
import { listedRows } from '../posts/listed.ts';
import { shownPosts } from '../posts/shown.ts';
import { isFor, type SeenPost } from '../seeing/posts.ts';
import { postSpace, postTags } from './index-post.ts';
import { parseSocialQuery, type SocialQuery } from './query.ts';

export async function search(
  ctx: Context,
  actor: Actor,
  { q, limit, cursor }: InputOf<typeof social.search>,
): Promise<{ posts: Post[] } & Next> {
  const { memberId } = actor;
  const query = parseSocialQuery(q);
  const hubIds = await hubsNamed(ctx, actor, query.hubs);
  const tags = [...(await tagsOf(ctx, actor, query)), ...hubIds.map(postTags.hub)];
  const { text, prefix, before, from } = query;
  const filters = await filtersFor(ctx, memberId, 'public');
  // Whoever searches for posts of somebody wants them.
  const listed = { memberId, withoutMuted: from.length === 0 };
  const subjects = new Map<string, SeenPost>();
  const wanted = {
    space: postSpace,
    text,
    tags,
    prefix,
    before,
    among: isForReader(memberId),
    // Text alone must have a word.
    wordless: tags.length > 0 || before !== undefined,
    listing: { list: 'social.search', memberId },
    cursors: ctx,
  };
  const { rows, next } = await searchSifted(
    ctx.db,
    wanted,
    { limit, cursor },
    async (ids) => await listedRows(ctx, listed, await inHubs(ctx, ids, hubIds), filters, subjects),
  ).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'QUERY_TOO_LONG' ? fieldProblem('q', 'has too many words') : error;
  });
  return { posts: await shownPosts(ctx, memberId, rows, filters, subjects), ...next };
}

/** Posts that were written for the reader. Blocks and suspensions are left for the filter, as in feeds. */
function isForReader(memberId: string): Among {
  const text = `(select 1 from social_posts p where p.id = :id and ${isFor('p', ':reader')} limit 1) = 1`;
  return amongWritten(text, { reader: memberId });
}

const isPersonName = /^[A-Za-z0-9_-]{3,30}$/;

/** The search for a member or a hub that the caller may not know of is the same as for one that does not exist: nothing has these tags. */
const NOBODY = 'nobody';

async function tagsOf(ctx: Context, actor: Actor, { from, has, hashtags }: SocialQuery): Promise<string[]> {
  const tags = [...has.map(postTags.has), ...hashtags.map(postTags.hashtag)];
  for (const name of from) tags.push(postTags.from((await authorNamed(ctx, actor, name)) ?? NOBODY));
  return tags;
}

/** Whoever sees a post in one of its hubs does not learn of the others, so only members of a hub search for it. */
async function hubsNamed(ctx: Context, { memberId }: Actor, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const hub = await unlessMissing(requireHub(ctx, name.toLowerCase()));
    const role = hub === undefined ? undefined : await roleIn(ctx, roomOf(hub.id), memberId);
    ids.push(hub === undefined || role === undefined ? NOBODY : hub.id);
  }
  return ids;
}

/** Those of the posts that are in all of the hubs: moderators may have taken them out since they were written. */
async function inHubs(
  { db }: Context,
  postIds: readonly string[],
  hubIds: readonly string[],
): Promise<readonly string[]> {
  let left = postIds;
  for (const hubId of hubIds) {
    if (left.length === 0) return left;
    const rows = await db
      .selectFrom('social_post_hubs')
      .select('post_id')
      .where('hub_id', '=', hubId)
      .where('post_id', 'in', left)
      .execute();
    left = rows.map(({ post_id }) => post_id);
  }
  return left;
}

async function authorNamed(ctx: Context, actor: Actor, name: string): Promise<string | undefined> {
  if (name.toLowerCase() === 'me') return actor.memberId;
  // An e-mail address would name a member too, and the answer would say whose it is.
  if (!isPersonName.test(name)) return undefined;
  return (await unlessMissing(requirePerson(ctx, actor, name)))?.id;
}

async function unlessMissing<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'missing') return undefined;
    throw error;
  }
}
