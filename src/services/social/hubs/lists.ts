import { sql, type SelectQueryBuilder } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { hubs } from '../../../contract/social/hubs.ts';
import type { Hub } from '../../../contract/social/hub.ts';
import { bannedFrom } from '../../../shared/groups/bans.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { contains } from '../../../platform/store/contains.ts';
import { asc, desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import type { Tables } from '../../../platform/store/tables/tables.ts';
import { hubKind, requireHub, roomOf } from './access.ts';
import { shownHub, shownHubs } from './shown.ts';

/** A page, or all of them as an array. */
export async function listHubs(
  ctx: Context,
  { memberId }: Actor,
  { limit, cursor }: PageRequest,
): Promise<Hub[] | ({ hubs: Hub[] } & Next)> {
  const query = live(ctx).where('id', 'in', ofMember(ctx, memberId));
  const listing = { list: 'social.hubs', memberId, by: [asc<HubRow>('id', (row) => row.id)] };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const shown = await shownHubs(ctx, rows);
  return limit === undefined && cursor === undefined ? shown : { hubs: shown, ...next };
}

const trending = [desc<HubRow>('trend', (row) => row.trend), desc<HubRow>('id', (row) => row.id)];
const orders = {
  trending,
  new: [desc<HubRow>('id', (row) => row.id)],
  suggested: [desc<HubRow>('is_default', (row) => row.is_default, { nullable: true }), ...trending],
};

export async function exploreHubs(
  ctx: Context,
  { memberId }: Actor,
  { sort, q, limit, cursor }: InputOf<typeof hubs.exploreHubs>,
): Promise<{ hubs: Hub[] } & Next> {
  const away = bannedFrom(ctx, hubKind, memberId);
  let query = live(ctx)
    .where('id', 'not in', away)
    .where((e) => e.or([e('parent_id', 'is', null), e('parent_id', 'not in', away)]));
  if (sort === 'suggested') query = query.where('id', 'not in', ofMember(ctx, memberId));
  const text = q?.normalize('NFC').toLowerCase();
  if (text !== undefined) query = query.where(contains(sql.ref('search_text'), text));
  const listing = { list: 'social.explore-hubs', memberId, filter: { sort, text }, by: orders[sort] };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  return { hubs: await shownHubs(ctx, rows), ...next };
}

export async function showHub(
  ctx: Context,
  { memberId }: Actor,
  { id, sort }: InputOf<typeof hubs.showHub>,
): Promise<{ hub: Hub; isMember: boolean; subHubs: Hub[] }> {
  const row = await requireHub(ctx, id);
  const isMember = (await roleIn(ctx, roomOf(row.id), memberId)) !== undefined;
  return { hub: await shownHub(ctx, row), isMember, subHubs: await below(ctx, row.id, sort) };
}

export async function listSubHubs(ctx: Context, _: Actor, { id }: { readonly id: string }): Promise<{ hubs: Hub[] }> {
  await requireHub(ctx, id);
  return { hubs: await shownHubs(ctx, await belowRows(ctx, id)) };
}

async function below(ctx: Context, id: string, sort: 'hot' | 'new' | 'top'): Promise<Hub[]> {
  const rows = (await belowRows(ctx, id)).toReversed();
  if (sort === 'hot') rows.sort((one, other) => other.trend - one.trend);
  const shown = await shownHubs(ctx, rows);
  return sort === 'top' ? shown.toSorted((one, other) => other.memberCount - one.memberCount) : shown;
}

/** At most as many as a hub may have. */
async function belowRows(ctx: Context, id: string): Promise<HubRow[]> {
  return await live(ctx).where('parent_id', '=', id).orderBy('id').execute();
}

function live({ db }: Context): SelectQueryBuilder<Tables, 'social_hubs', HubRow> {
  return db.selectFrom('social_hubs').selectAll().where('deleted_at', 'is', null);
}

function ofMember({ db }: Context, memberId: string) {
  return db.selectFrom('room_members').select('room_id').where('member_id', '=', memberId).where('kind', '=', hubKind);
}
