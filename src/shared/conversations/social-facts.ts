import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ConversationFacts } from '../../contract/social/message.ts';
import { socialMessageEvents } from '../../contract/social/messages/events.ts';
import { publish } from '../../platform/realtime/publish.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { membersOfPair, roomOf, topicOfConversation } from './conversation.ts';

interface InRoom {
  readonly room_id: string;
  readonly member_id: string;
  readonly role: string;
}

const inRooms = writtenList<InRoom>(
  1,
  (ids) => `
  select room_id, member_id, role from room_members where kind = $1 and room_id in ${ids} order by joined_at, member_id`,
);

/** Who is in each of some groups, in the order in which they came. */
export async function membersOfGroups(
  { db }: Pick<Context, 'db'>,
  rows: readonly ConversationRow[],
): Promise<ReadonlyMap<string, readonly InRoom[]>> {
  const groups = rows.filter(({ pair }) => pair === null).map(({ id }) => id);
  if (groups.length === 0) return new Map();
  return groupBy((await db.executeQuery(inRooms(groups, roomOf('').kind))).rows, (row) => row.room_id);
}

/** What all who are in a conversation of the social network know of it. */
export function factsOf(row: ConversationRow, members: readonly InRoom[]): ConversationFacts {
  const ownerId = members.find(({ role }) => role === 'owner')?.member_id;
  return {
    _id: row.id,
    type: row.pair === null ? 'group' : 'direct',
    participantIds: row.pair === null ? members.map((one) => one.member_id) : [...membersOfPair(row)],
    ...(row.name !== null && { name: row.name }),
    ...(row.picture_id !== null && { avatarUrl: `/api/social/media/${row.picture_id}` }),
    ...(ownerId !== undefined && { ownerId }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(Math.max(row.active_at, row.changed_at)).toISOString(),
  };
}

const changed = writtenQuery<ConversationRow>('update conversations set changed_at = $1 where id = $2 returning *');

/** Tells those who are in a conversation of the social network what it is now, in the transaction that has changed its members or settings. */
export async function tellUpdated(tx: Context, id: string): Promise<void> {
  const row = onlyRow((await tx.db.executeQuery(changed(tx.clock.now(), id))).rows);
  const members = (await membersOfGroups(tx, [row])).get(id) ?? [];
  const conversation = factsOf(row, members);
  const data = { conversationId: id, seq: row.last_seq, conversation };
  await publish(tx, topicOfConversation(id), socialMessageEvents.conversationUpdated, data);
}
