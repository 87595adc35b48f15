import type { Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { roleIn, type Changed } from './membership.ts';
import { outranks } from './roles.ts';
import { holdRoom, type Room } from './room.ts';

const inForce = writtenQuery<{ ends_at: number }>(
  'select ends_at from room_mutes where kind = $1 and room_id = $2 and member_id = $3 and ends_at > $4',
);

/** Until when a member may not speak in a room, in milliseconds since 1970. */
export async function mutedUntil(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { kind, id }: Room,
  memberId: string,
): Promise<number | undefined> {
  return (await db.executeQuery(inForce(kind, id, memberId, clock.now()))).rows[0]?.ends_at;
}

/** Mutes a member, or changes the end of a mute. It lasts even if the member leaves and comes back. */
export async function mute(
  tx: Context,
  room: Room,
  { by, memberId, endsAt }: { readonly by: string; readonly memberId: string; readonly endsAt: number },
): Promise<Exclude<Changed, 'same'>> {
  await holdRoom(tx, room);
  const role = await roleIn(tx, room, memberId);
  if (role === undefined) return 'absent';
  if (!outranks(await roleIn(tx, room, by), role)) return 'outranked';
  const ends = { muted_by: by, muted_at: tx.clock.now(), ends_at: endsAt };
  await tx.db
    .insertInto('room_mutes')
    .values({ kind: room.kind, room_id: room.id, member_id: memberId, ...ends })
    .onConflict((conflict) => conflict.columns(['kind', 'room_id', 'member_id']).doUpdateSet(ends))
    .execute();
  return 'changed';
}

/** @returns whether a mute was in force */
export async function unmute(tx: Context, room: Room, memberId: string): Promise<boolean> {
  await holdRoom(tx, room);
  const row = await tx.db
    .deleteFrom('room_mutes')
    .where('kind', '=', room.kind)
    .where('room_id', '=', room.id)
    .where('member_id', '=', memberId)
    .returning('ends_at')
    .executeTakeFirst();
  return row !== undefined && row.ends_at > tx.clock.now();
}
