import type { Context } from '../../service/context.ts';
import type { RoomBanRow } from '../../platform/store/tables/rooms.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import type { Room } from './room.ts';

// Of the room and of its parent, the one that lasts longer.
const inForce = writtenQuery<RoomBanRow>(`
  select b.* from room_bans b
  where b.kind = $1 and b.member_id = $2
    and (b.room_id = $3 or b.room_id = (select r.parent_id from rooms r where r.kind = $1 and r.id = $3))
    and (b.ends_at is null or b.ends_at > $4)
  order by case when b.ends_at is null then 0 else 1 end, b.ends_at desc limit 1`);

/** The ban of a member that is in force at this moment, in the room or in its parent. */
export async function banOf(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { kind, id }: Room,
  memberId: string,
): Promise<RoomBanRow | undefined> {
  return (await db.executeQuery(inForce(kind, memberId, id, clock.now()))).rows[0];
}

const inForceAmong = writtenList<{ member_id: string }>(
  3,
  (ids) => `
  select distinct b.member_id from room_bans b
  where b.kind = $1 and (b.ends_at is null or b.ends_at > $2)
    and (b.room_id = $3 or b.room_id = (select r.parent_id from rooms r where r.kind = b.kind and r.id = $3))
    and b.member_id in ${ids}`,
);

/** Those of the given members whom a ban of the room or its parent keeps out now. */
export async function bannedAmong(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { kind, id }: Room,
  memberIds: readonly string[],
): Promise<string[]> {
  const { rows } = await db.executeQuery(inForceAmong(memberIds, kind, clock.now(), id));
  return rows.map((row) => row.member_id);
}

/** A query for the ids of all rooms of a kind that a member is banned from, by a ban of their own. */
export function bannedFrom({ db, clock }: Pick<Context, 'db' | 'clock'>, kind: string, memberId: string) {
  return db
    .selectFrom('room_bans')
    .select('room_id')
    .where('member_id', '=', memberId)
    .where('kind', '=', kind)
    .where((e) => e.or([e('ends_at', 'is', null), e('ends_at', '>', clock.now())]));
}
