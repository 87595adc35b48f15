import { groupBy } from '../../base/group-by.ts';
import type { Context } from '../../service/context.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { roomOf, type Seat } from './conversation.ts';

const parted = writtenQuery<{ id: string }>(`
  select r.member_id as id from member_blocks b
  join room_members r on r.kind = $1 and r.room_id = $2 and r.member_id = b.blocked_id where b.member_id = $3
  union
  select r.member_id as id from member_blocks b
  join room_members r on r.kind = $1 and r.room_id = $2 and r.member_id = b.member_id where b.blocked_id = $3`);

/** Members of a conversation whom a block parts from one of them. It costs as much as that one has blocks. */
export async function partedFrom(
  { db }: Pick<Context, 'db'>,
  seat: Pick<Seat, 'id'>,
  memberId: string,
): Promise<string[]> {
  const { kind, id } = roomOf(seat.id);
  return (await db.executeQuery(parted(kind, id, memberId))).rows.map((row) => row.id);
}

const isMember = `r.kind = '${roomOf('').kind}' and r.room_id = s.room_id and r.role = 'member'`;
// SQLite keeps the order of cross joins, and would begin with all members otherwise.
const partedFromSenders = writtenList<{ sender_id: string; member_id: string }>(
  1,
  (ids) => `
  with s as (select c.id as room_id, m.id from conversations c cross join members m where c.id = $1 and m.id in ${ids})
  select s.id as sender_id, r.member_id from s cross join member_blocks b cross join room_members r
  where b.member_id = s.id and ${isMember} and r.member_id = b.blocked_id
  union all
  select s.id as sender_id, r.member_id from s cross join member_blocks b cross join room_members r
  where b.blocked_id = s.id and ${isMember} and r.member_id = b.member_id`,
);

/**
 * Members of a conversation who do not see what some of them say, because a block parts them, by the ids of those who say it. Moderators and
 * those above them see everything. It costs as much as those who say it have blocks.
 */
export async function notSeeing(
  { db }: Pick<Context, 'db'>,
  { id, pair }: Pick<Seat, 'id' | 'pair'>,
  senderIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  // Between two alone nothing new is said while a block parts them, and what was said stays.
  if (pair !== null) return new Map();
  const { rows } = await db.executeQuery(partedFromSenders(senderIds, id));
  const bySender = groupBy(rows, (row) => row.sender_id);
  return new Map([...bySender].map(([senderId, found]) => [senderId, found.map((row) => row.member_id)]));
}
