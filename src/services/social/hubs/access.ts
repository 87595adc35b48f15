import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { banOf } from '../../../shared/groups/bans.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { isAtLeast } from '../../../shared/groups/roles.ts';
import type { Room } from '../../../shared/groups/room.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import type { RoomRole } from '../../../platform/store/tables/rooms.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { banned, forbidden, hubNotFound } from './problems.ts';

export const hubKind = 'hub';

export function roomOf(hubId: string): Room {
  return { kind: hubKind, id: hubId };
}

const byId = writtenQuery<HubRow>('select * from social_hubs where id = $1 and deleted_at is null');
const bySlug = writtenQuery<HubRow>('select * from social_hubs where slug = $1');

const wholeId = /^[0-9a-f]{32}$/;

export async function hubIfAny({ db }: Pick<Context, 'db'>, idOrSlug: string): Promise<HubRow | undefined> {
  const query = wholeId.test(idOrSlug) ? byId : bySlug;
  return (await db.executeQuery(query(idOrSlug))).rows[0];
}

/** What a hub is about, every member of the node may know. @throws Problem missing HUB_NOT_FOUND */
export async function requireHub(ctx: Pick<Context, 'db'>, idOrSlug: string): Promise<HubRow> {
  const row = await hubIfAny(ctx, idOrSlug);
  if (row === undefined) throw hubNotFound();
  return row;
}

export interface OwnHub {
  readonly row: HubRow;
  readonly role: RoomRole | undefined;
}

/** What is in a hub is for whom no ban keeps out, and of an encrypted hub for its members. */
export async function requireReadable(ctx: Context, { memberId }: Actor, hubId: string): Promise<OwnHub> {
  const row = await requireHub(ctx, hubId);
  const role = await roleIn(ctx, roomOf(row.id), memberId);
  if (role !== undefined) return { row, role };
  const ban = await banOf(ctx, roomOf(row.id), memberId);
  if (ban !== undefined) throw banned(ban);
  if (row.trust_tier === 'encrypted') throw forbidden('members');
  return { row, role };
}

/** @throws Problem missing HUB_NOT_FOUND, forbidden FORBIDDEN */
export async function requireModerator(ctx: Context, actor: Actor, hubId: string): Promise<HubRow> {
  return await requireRoleIn(ctx, actor, hubId, 'moderator', 'the owner and the moderators');
}

/** @throws Problem missing HUB_NOT_FOUND, forbidden FORBIDDEN */
export async function requireOwner(ctx: Context, actor: Actor, hubId: string): Promise<HubRow> {
  return await requireRoleIn(ctx, actor, hubId, 'owner', 'the owner');
}

async function requireRoleIn(
  ctx: Context,
  { memberId }: Actor,
  hubId: string,
  least: RoomRole,
  who: string,
): Promise<HubRow> {
  const row = await requireHub(ctx, hubId);
  if (!isAtLeast(await roleIn(ctx, roomOf(row.id), memberId), least)) throw forbidden(who);
  return row;
}
