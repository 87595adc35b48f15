import type { Context } from '../../service/context.ts';
import { positionOf } from '../../platform/store/event-rows.ts';
import type { RoomMemberRow, RoomRole } from '../../platform/store/tables/rooms.ts';
import { insertRows, onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { banOf, bannedAmong } from './bans.ts';
import { endBotsIn } from './bots.ts';
import { permits } from './permissions.ts';
import { mayGive, outranks } from './roles.ts';
import { holdRoom, type Room } from './room.ts';

const roleBy = writtenQuery<{ role: RoomRole }>(
  'select role from room_members where kind = $1 and room_id = $2 and member_id = $3',
);

/** @returns undefined for who is no member */
export async function roleIn(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  memberId: string,
): Promise<RoomRole | undefined> {
  return (await db.executeQuery(roleBy(kind, id, memberId))).rows[0]?.role;
}

/** Those who hold a role, in the order in which they joined. */
export async function membersWith(
  { db }: Pick<Context, 'db'>,
  kind: string,
  ids: readonly string[],
  roles: readonly RoomRole[],
): Promise<RoomMemberRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('room_members')
    .selectAll()
    .where('kind', '=', kind)
    .where('room_id', 'in', ids)
    .where('role', 'in', roles)
    .orderBy('joined_at')
    .orderBy('member_id')
    .execute();
}

interface Joining {
  /** the role of a new member */
  readonly role?: RoomRole;
  /** so many members the room may have */
  readonly most?: number;
}

/** `member`: is one already */
export type Joined = 'joined' | 'member' | 'banned' | 'full' | 'missing';

/** Makes somebody a member, unless a ban of this room or its parent is in force. An expired one is forgotten. */
export async function join(
  tx: Context,
  room: Room,
  memberId: string,
  { role = 'member', most }: Joining = {},
): Promise<Joined> {
  const row = await holdRoom(tx, room);
  if (row === undefined) return 'missing';
  if ((await roleIn(tx, room, memberId)) !== undefined) return 'member';
  if ((await banOf(tx, room, memberId)) !== undefined) return 'banned';
  if (most !== undefined && row.member_count >= most) return 'full';
  await tx.db
    .deleteFrom('room_bans')
    .where('kind', '=', room.kind)
    .where('room_id', '=', room.id)
    .where('member_id', '=', memberId)
    .execute();
  await insertRows(tx.db, 'room_members', [
    { kind: room.kind, room_id: room.id, member_id: memberId, role, joined_at: tx.clock.now(), heard_from: 0 },
  ]);
  await count(tx, room, 1);
  return 'joined';
}

/** Why some of those who should become members cannot; nobody has become one then. */
export interface NotJoined {
  readonly why: 'members' | 'banned' | 'full' | 'missing';
  /** whom it concerns */
  readonly who: readonly string[];
}

const amongMembers = writtenList<{ member_id: string }>(
  2,
  (ids) => `select member_id from room_members where kind = $1 and room_id = $2 and member_id in ${ids}`,
);

/** Makes several members at once, all or none of them: as `join` for each, in as many statements for many as for one. */
export async function joinAll(
  tx: Context,
  room: Room,
  memberIds: readonly string[],
  { role = 'member', most }: Joining = {},
): Promise<NotJoined | undefined> {
  const { kind, id } = room;
  const row = await holdRoom(tx, room);
  if (row === undefined) return { why: 'missing', who: [] };
  if (memberIds.length === 0) return undefined;
  const there = (await tx.db.executeQuery(amongMembers(memberIds, kind, id))).rows.map((found) => found.member_id);
  if (there.length > 0) return { why: 'members', who: there };
  const banned = await bannedAmong(tx, room, memberIds);
  if (banned.length > 0) return { why: 'banned', who: banned };
  if (most !== undefined && row.member_count + memberIds.length > most) return { why: 'full', who: [] };
  const joined = { kind, room_id: id, role, joined_at: tx.clock.now(), heard_from: 0 };
  await insertRows(
    tx.db,
    'room_members',
    memberIds.map((memberId) => ({ ...joined, member_id: memberId })),
  );
  await count(tx, room, memberIds.length);
  return undefined;
}

const hearFrom = writtenList(
  3,
  (ids) => `update room_members set heard_from = $1 where kind = $2 and room_id = $3 and member_id in ${ids}`,
);

/**
 * Has new members hear of a room only what is published from now on. If its keys change with its members, call it after the change, because
 * whatever was sealed under the key before is published by then.
 * @param topic of the room
 */
export async function hearFromNow(
  tx: Context,
  { kind, id }: Room,
  memberIds: readonly string[],
  topic: string,
): Promise<void> {
  if (memberIds.length === 0) return;
  await tx.db.executeQuery(hearFrom(memberIds, await positionOf(tx.db, topic), kind, id));
}

const heardFrom = writtenQuery<{ heard_from: number }>(
  'select heard_from from room_members where kind = $1 and room_id = $2 and member_id = $3',
);

/** The number of a room's topic after which a member is told events again. */
export async function hearsFrom({ db }: Pick<Context, 'db'>, { kind, id }: Room, memberId: string): Promise<number> {
  return (await db.executeQuery(heardFrom(kind, id, memberId))).rows[0]?.heard_from ?? 0;
}

export type Left = 'left' | 'absent' | 'last-owner';

/** The last owner cannot leave. */
export async function leave(tx: Context, room: Room, memberId: string): Promise<Left> {
  await holdRoom(tx, room);
  const role = await roleIn(tx, room, memberId);
  if (role === undefined) return 'absent';
  if (role === 'owner' && (await isLastOwner(tx, room))) return 'last-owner';
  await takeOut(tx, room, memberId);
  return 'left';
}

/** `outranked`: the member has an equal or higher role than who wants the change, or would get a higher one */
export type Changed = 'changed' | 'same' | 'absent' | 'outranked';

/** @param by the member who removes, who must be one at that moment */
export async function remove(tx: Context, room: Room, by: string, memberId: string): Promise<Exclude<Changed, 'same'>> {
  await holdRoom(tx, room);
  const role = await roleIn(tx, room, memberId);
  if (role === undefined) return 'absent';
  if (!outranks(await roleIn(tx, room, by), role)) return 'outranked';
  await takeOut(tx, room, memberId);
  return 'changed';
}

/** @param by the member who gives the role, and gives none above their own */
export async function giveRole(
  tx: Context,
  room: Room,
  by: string,
  memberId: string,
  role: RoomRole,
): Promise<Changed> {
  await holdRoom(tx, room);
  const before = await roleIn(tx, room, memberId);
  if (before === undefined) return 'absent';
  const own = await roleIn(tx, room, by);
  if (!outranks(own, before) || !mayGive(own, role)) return 'outranked';
  if (before === role) return 'same';
  await setRole(tx, room, memberId, role);
  return 'changed';
}

/** An owner makes a member the owner instead. @param left what the former owner is from then on */
export async function handOver(
  tx: Context,
  room: Room,
  ownerId: string,
  memberId: string,
  left: RoomRole,
): Promise<Changed> {
  await holdRoom(tx, room);
  if ((await roleIn(tx, room, ownerId)) !== 'owner') return 'outranked';
  if (ownerId === memberId) return 'same';
  if ((await roleIn(tx, room, memberId)) === undefined) return 'absent';
  await setRole(tx, room, memberId, 'owner');
  await setRole(tx, room, ownerId, left);
  return 'changed';
}

export async function isLastOwner({ db }: Pick<Context, 'db'>, { kind, id }: Room): Promise<boolean> {
  const { rows } = await db.executeQuery(owners(kind, id));
  return onlyRow(rows).count <= 1;
}

const owners = writtenQuery<{ count: number }>(
  `select count(*) as count from room_members where kind = $1 and room_id = $2 and role = 'owner'`,
);

/** The caller holds the room, and has checked everything. */
export async function setRole(tx: Context, { kind, id }: Room, memberId: string, role: RoomRole): Promise<void> {
  await tx.db
    .updateTable('room_members')
    .set({ role })
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('member_id', '=', memberId)
    .execute();
  if (!permits(role, 'CREATE_INVITES')) await endInvitesOf(tx, { kind, id }, memberId);
  if (!permits(role, 'MANAGE_CHANNEL')) await endHooksOf(tx, { kind, id }, memberId);
}

/** Ends a membership, whatever its role. The caller holds the room. @returns whether there was one */
export async function takeOut(tx: Context, room: Room, memberId: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('room_members')
    .where('kind', '=', room.kind)
    .where('room_id', '=', room.id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (gone.numDeletedRows === 0n) return false;
  await endInvitesOf(tx, room, memberId);
  await endHooksOf(tx, room, memberId);
  await endBotsIn(tx, room, memberId);
  await count(tx, room, -1);
  return true;
}

const endInvites = writtenQuery('delete from room_invites where kind = $1 and room_id = $2 and created_by = $3');

/** Whoever may not invite any more has invited nobody who has not come. */
async function endInvitesOf({ db }: Context, { kind, id }: Room, memberId: string): Promise<void> {
  await db.executeQuery(endInvites(kind, id, memberId));
}

const endHooks = writtenQuery('delete from room_hooks where kind = $1 and room_id = $2 and created_by = $3');

/** A program writes no longer in the name of somebody who may not let it. */
async function endHooksOf({ db }: Context, { kind, id }: Room, memberId: string): Promise<void> {
  await db.executeQuery(endHooks(kind, id, memberId));
}

const add = writtenQuery('update rooms set member_count = member_count + $1 where kind = $2 and id = $3');

async function count(tx: Context, { kind, id }: Room, change: number): Promise<void> {
  await tx.db.executeQuery(add(change, kind, id));
}
