import type { Context } from '../../service/context.ts';
import type { RoomRow } from '../../platform/store/tables/rooms.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { endAllBotsIn } from './bots.ts';

/**
 * A group of members with roles. A service keeps what else its rooms have in tables of its own. All functions that change a room belong
 * into the transaction that checks the right to do so, and lock the room first: whatever else changes it waits.
 */
export interface Room {
  /** what the room is to its service, such as `channel` */
  readonly kind: string;
  readonly id: string;
}

interface NewRoom extends Room {
  readonly ownerId: string;
  /** the room of the same kind whose bans count in this one too */
  readonly parentId?: string | undefined;
}

export async function openRoom(tx: Context, { kind, id, ownerId, parentId }: NewRoom): Promise<void> {
  const now = tx.clock.now();
  const row = { kind, id, parent_id: parentId ?? null, member_count: 1, changes: 0, created_at: now };
  await insertRows(tx.db, 'rooms', [row]);
  await insertRows(tx.db, 'room_members', [
    { kind, room_id: id, member_id: ownerId, role: 'owner' as const, joined_at: now, heard_from: 0 },
  ]);
}

const hold = writtenQuery<RoomRow>('update rooms set changes = changes + 1 where kind = $1 and id = $2 returning *');

/** The room, whose membership nobody else changes before the end of the transaction. @returns undefined if there is none */
export async function holdRoom(tx: Context, { kind, id }: Room): Promise<RoomRow | undefined> {
  return (await tx.db.executeQuery(hold(kind, id))).rows[0];
}

/** Rooms with bans that count in them too hold these first, so that two that change both do not wait for each other. */
export async function childrenOf(tx: Context, { kind, id }: Room): Promise<Room[]> {
  const rows = await tx.db
    .selectFrom('rooms')
    .select(['kind', 'id'])
    .where('kind', '=', kind)
    .where('parent_id', '=', id)
    .orderBy('id')
    .execute();
  return rows;
}

/**
 * Removes a room with all that is in it. The rooms that have it as their parent stay; the service decides about them before.
 * @returns ids of the members that it had
 */
export async function closeRoom(tx: Context, room: Room): Promise<string[]> {
  if ((await holdRoom(tx, room)) === undefined) return [];
  const { kind, id } = room;
  const members = await tx.db
    .deleteFrom('room_members')
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .returning('member_id')
    .execute();
  for (const table of ['room_bans', 'room_mutes', 'room_invites', 'room_hooks'] as const)
    await tx.db.deleteFrom(table).where('kind', '=', kind).where('room_id', '=', id).execute();
  await endAllBotsIn(tx, room);
  await tx.db.deleteFrom('rooms').where('kind', '=', kind).where('id', '=', id).execute();
  return members.map((row) => row.member_id);
}

const counts = writtenList<{ id: string; count: number }>(
  1,
  (ids) => `select id, member_count as count from rooms where kind = $1 and id in ${ids}`,
);

/** How many members each room has. */
export async function memberCounts(
  { db }: Pick<Context, 'db'>,
  kind: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.executeQuery(counts(ids, kind));
  return new Map(rows.map(({ id, count }) => [id, count]));
}
