import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { roomOf } from './conversation.ts';
import { isSocial } from './types.ts';
import { visibleRange } from './visible-range.ts';

const { kind } = roomOf('');

const isMember = `r.kind = '${kind}' and r.room_id = s.room_id and r.role = 'member'`;
/**
 * Members below moderators whom a block parts from senders. It costs as much as those have blocks: SQLite keeps the order of cross joins, and
 * would begin with all members otherwise.
 */
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
const seeingLater = writtenQuery<{
  member_id: string;
  joined_seq: number;
  left_seq: number | null;
  cleared_seq: number;
}>(`
  select member_id, joined_seq, left_seq, cleared_seq from conversation_places
  where conversation_id = $1 and left_seq is null and (joined_seq >= $2 or cleared_seq >= $3)`);

/**
 * Who is in a conversation and does not see some of its messages, by the ids of the messages: whom a block parts from the sender, and whoever
 * came later or has cleared them. New messages are seen by all who are there, so only of those in `changed`, and in the social network, where
 * conversations are small and are cleared, the places of members are looked at.
 */
export async function notHearing(
  { db }: Pick<Context, 'db'>,
  conversation: Pick<ConversationRow, 'id' | 'type' | 'pair'>,
  rows: readonly Pick<ConversationMessageRow, 'id' | 'seq' | 'sender_id'>[],
  changed: ReadonlySet<string | undefined>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { id, pair } = conversation;
  const senders = [...new Set(rows.map((row) => row.sender_id))];
  // Two alone keep what they have said.
  const parted = pair !== null ? [] : (await db.executeQuery(partedFromSenders(senders, id))).rows;
  const earlier = rows.filter((row) => changed.has(row.id) || isSocial(conversation));
  const least = Math.min(...earlier.map((row) => row.seq));
  const later = earlier.length === 0 ? [] : (await db.executeQuery(seeingLater(id, least, least))).rows;
  return new Map(
    rows.map(({ id: messageId, seq, sender_id: senderId }) => [
      messageId,
      [
        ...parted.filter((row) => row.sender_id === senderId).map((row) => row.member_id),
        ...later.filter((place) => visibleRange(place).after >= seq).map((row) => row.member_id),
      ],
    ]),
  );
}
