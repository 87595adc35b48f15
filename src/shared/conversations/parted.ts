import type { Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { roomOf, type Seat } from './conversation.ts';

const parted = writtenQuery<{ id: string; role: string }>(`
  select r.member_id as id, r.role from member_blocks b
  join room_members r on r.kind = $1 and r.room_id = $2 and r.member_id = b.blocked_id where b.member_id = $3
  union
  select r.member_id as id, r.role from member_blocks b
  join room_members r on r.kind = $1 and r.room_id = $2 and r.member_id = b.member_id where b.blocked_id = $3`);

/** Members of a conversation whom a block parts from one of them. It costs as much as that one has blocks. */
export async function partedFrom(
  ctx: Pick<Context, 'db'>,
  seat: Pick<Seat, 'id'>,
  memberId: string,
): Promise<string[]> {
  return (await partedWithRoles(ctx, seat, memberId)).map((row) => row.id);
}

/** Those of them who do not see what the member says: moderators and those above them see everything. */
export async function notSeeing(
  ctx: Pick<Context, 'db'>,
  seat: Pick<Seat, 'id' | 'pair'>,
  memberId: string,
): Promise<string[]> {
  // Between two alone nothing new is said while a block parts them, and what was said stays.
  if (seat.pair !== null) return [];
  return (await partedWithRoles(ctx, seat, memberId)).filter(({ role }) => role === 'member').map((row) => row.id);
}

async function partedWithRoles({ db }: Pick<Context, 'db'>, seat: Pick<Seat, 'id'>, memberId: string) {
  const { kind, id } = roomOf(seat.id);
  return (await db.executeQuery(parted(kind, id, memberId))).rows;
}
