import type { Context } from '../../service/context.ts';
import type { RoomMemberRow, RoomRole } from '../../platform/store/tables/rooms.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { banOf } from './bans.ts';
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
    { kind: room.kind, room_id: room.id, member_id: memberId, role, joined_at: tx.clock.now() },
  ]);
  await count(tx, room, 1);
  return 'joined';
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

async function setRole(tx: Context, { kind, id }: Room, memberId: string, role: RoomRole): Promise<void> {
  await tx.db
    .updateTable('room_members')
    .set({ role })
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('member_id', '=', memberId)
    .execute();
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
  await count(tx, room, -1);
  return true;
}

const add = writtenQuery('update rooms set member_count = member_count + $1 where kind = $2 and id = $3');

async function count(tx: Context, { kind, id }: Room, change: 1 | -1): Promise<void> {
  await tx.db.executeQuery(add(change, kind, id));
}
