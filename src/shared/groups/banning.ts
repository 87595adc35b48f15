import type { Context } from '../../service/context.ts';
import { recordId } from '../../platform/store/record-id.ts';
import { membersWith, roleIn, isLastOwner, takeOut } from './membership.ts';
import { isAtLeast, outranks } from './roles.ts';
import { childrenOf, holdRoom, type Room } from './room.ts';

interface NewBan {
  readonly by: string;
  readonly memberId: string;
  readonly reason?: string | undefined;
  /** the first moment at which it is over, in milliseconds since 1970; without it, it lasts until it is lifted */
  readonly endsAt?: number | undefined;
}

export interface Banished {
  /** when the ban that is in force now ends; undefined if it doesn't by itself */
  readonly endsAt: number | undefined;
  /** the rooms that the member was in: this one, and those that have it as their parent */
  readonly left: readonly Room[];
  /** those of them that the member owned, and the owner of this room owns now */
  readonly passed: readonly { readonly room: Room; readonly ownerId: string; readonly joined: boolean }[];
}

/**
 * Ends the membership of somebody and keeps them out, here and in the rooms that have this one as their parent. Whoever is no member can be
 * banned too. A ban replaces an earlier one, unless it ends by itself and that one doesn't.
 * @returns undefined if who bans is no moderator, or the member has an equal or higher role
 */
export async function ban(
  tx: Context,
  room: Room,
  { by, memberId, reason, endsAt }: NewBan,
): Promise<Banished | undefined> {
  await holdRoom(tx, room);
  const own = await roleIn(tx, room, by);
  if (!isAtLeast(own, 'moderator') || !outranks(own, await roleIn(tx, room, memberId))) return undefined;
  const now = tx.clock.now();
  const { kind, id } = room;
  const row = {
    id: recordId(now, tx.random),
    banned_by: by,
    reason: reason ?? null,
    banned_at: now,
    ends_at: endsAt ?? null,
  };
  const placed = await tx.db
    .insertInto('room_bans')
    .values({ kind, room_id: id, member_id: memberId, ...row })
    .onConflict((conflict) => {
      const replaced = conflict.columns(['kind', 'room_id', 'member_id']).doUpdateSet(row);
      return endsAt === undefined ? replaced : replaced.where('room_bans.ends_at', 'is not', null);
    })
    .returning('id')
    .executeTakeFirst();
  const left: Room[] = [];
  const passed: { room: Room; ownerId: string; joined: boolean }[] = [];
  if (await takeOut(tx, room, memberId)) left.push(room);
  for (const child of await childrenOf(tx, room)) {
    await holdRoom(tx, child);
    const role = await roleIn(tx, child, memberId);
    if (role === undefined) continue;
    if (role === 'owner' && (await isLastOwner(tx, child))) passed.push(await pass(tx, room, child));
    await takeOut(tx, child, memberId);
    left.push(child);
  }
  return { endsAt: placed === undefined ? undefined : endsAt, left, passed };
}

/** A room without an owner would be nobody's, so it goes to the owner of its parent, banned or not in the room itself. */
async function pass(tx: Context, parent: Room, room: Room): Promise<{ room: Room; ownerId: string; joined: boolean }> {
  const [owner] = await membersWith(tx, parent.kind, [parent.id], ['owner']);
  if (owner === undefined) throw new Error('a room has no owner');
  const ownerId = owner.member_id;
  const { kind, id } = room;
  const ofOwner = { kind, room_id: id, member_id: ownerId };
  const joined = (await roleIn(tx, room, ownerId)) === undefined;
  await tx.db
    .deleteFrom('room_bans')
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('member_id', '=', ownerId)
    .execute();
  await tx.db
    .insertInto('room_members')
    .values({ ...ofOwner, role: 'owner', joined_at: tx.clock.now(), heard_from: 0 })
    .onConflict((conflict) => conflict.columns(['kind', 'room_id', 'member_id']).doUpdateSet({ role: 'owner' }))
    .execute();
  if (joined)
    await tx.db
      .updateTable('rooms')
      .set((e) => ({ member_count: e('member_count', '+', 1) }))
      .where('kind', '=', kind)
      .where('id', '=', id)
      .execute();
  return { room, ownerId, joined };
}

/** Lifts a ban of this room, not one of its parent. @returns whether there was one in force */
export async function unban(tx: Context, room: Room, memberId: string): Promise<boolean> {
  await holdRoom(tx, room);
  const row = await tx.db
    .deleteFrom('room_bans')
    .where('kind', '=', room.kind)
    .where('room_id', '=', room.id)
    .where('member_id', '=', memberId)
    .returning('ends_at')
    .executeTakeFirst();
  return row !== undefined && (row.ends_at === null || row.ends_at > tx.clock.now());
}
