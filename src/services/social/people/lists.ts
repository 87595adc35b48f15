import type { SelectQueryBuilder } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Person } from '../../../contract/social/person.ts';
import { hiddenFrom } from '../../../shared/members/blocks.ts';
import { privacyOf } from '../../../shared/members/privacy.ts';
import { Problem } from '../../../base/problem.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { personRows, requirePerson, shownPerson, type PersonRow } from './found.ts';
import { followOf } from './profiles.ts';

type Listed = { people: Person[] } & Next;
type Of = PageRequest & { readonly id: string };

export async function listFollowers(ctx: Context, actor: Actor, { id, ...page }: Of): Promise<Listed> {
  const whose = await requirePerson(ctx, actor, id);
  await assertShown(ctx, actor, whose, privacyOf(whose).hideFollowersFromNonFollowers);
  const query = ctx.db
    .selectFrom('social_follows')
    .select('follower_id as id')
    .where('followee_id', '=', whose.id)
    .where('requested', '=', 0);
  return await peoplePage(ctx, actor, query, { list: 'social.followers', of: whose.id, column: 'follower_id' }, page);
}

export async function listFollowing(ctx: Context, actor: Actor, { id, ...page }: Of): Promise<Listed> {
  const whose = await requirePerson(ctx, actor, id);
  await assertShown(ctx, actor, whose, privacyOf(whose).hideFollowingFromNonFollowers);
  const query = ctx.db
    .selectFrom('social_follows')
    .select('followee_id as id')
    .where('follower_id', '=', whose.id)
    .where('requested', '=', 0);
  return await peoplePage(ctx, actor, query, { list: 'social.following', of: whose.id, column: 'followee_id' }, page);
}

export async function listBlocks(ctx: Context, actor: Actor, page: PageRequest): Promise<Listed> {
  const query = ctx.db.selectFrom('member_blocks').select('blocked_id as id').where('member_id', '=', actor.memberId);
  return await peoplePage(ctx, actor, query, { list: 'social.blocks', column: 'blocked_id', own: true }, page);
}

export async function listMutes(ctx: Context, actor: Actor, page: PageRequest): Promise<Listed> {
  const query = ctx.db
    .selectFrom('member_mutes')
    .select('muted_id as id')
    .where('member_id', '=', actor.memberId)
    .where((e) => e.or([e('ends_at', 'is', null), e('ends_at', '>', ctx.clock.now())]));
  return await peoplePage(ctx, actor, query, { list: 'social.mutes', column: 'muted_id', own: true }, page);
}

/** Lists of a protected member are for followers. So are lists that a member shows to followers alone. */
async function assertShown(ctx: Context, { memberId }: Actor, whose: PersonRow, hidden: boolean): Promise<void> {
  if (whose.id === memberId || (!hidden && whose.protected === 0)) return;
  if ((await followOf(ctx, memberId, whose.id)) === 'yes') return;
  throw new Problem('forbidden', 'FOLLOWERS_HIDDEN', 'This member shows the list to followers only.');
}

interface PeopleList {
  readonly list: string;
  readonly column: string;
  readonly of?: string;
  /** the caller chose these members, and sees them whoever blocked whom */
  readonly own?: boolean;
}

/** A page of members, whose ids a query has. */
export async function peoplePage<DB, TB extends keyof DB>(
  ctx: Context,
  { memberId }: Actor,
  query: SelectQueryBuilder<DB, TB, { id: string }>,
  { list, column, of, own = false }: PeopleList,
  page: PageRequest,
): Promise<Listed> {
  const by = [asc<{ id: string }>(column, (row) => row.id)];
  const { rows, next } = await readPage(ctx, query, { list, memberId, filter: { of }, by }, page);
  const ids = rows.map((row) => row.id);
  const found = await personRows(ctx, ids);
  const away = own ? new Set<string>() : await hiddenFrom(ctx, memberId, ids, 'blocks');
  const people = ids.flatMap((id) => {
    const row = found.get(id);
    return row?.status !== 'active' || away.has(id) ? [] : [shownPerson(row)];
  });
  return { people, ...next };
}
