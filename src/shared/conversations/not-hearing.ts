import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { notSeeing } from './parted.ts';
import { isSocial } from './types.ts';
import { visibleRange } from './visible-range.ts';

const seeingLater = writtenQuery<{
  member_id: string;
  joined_seq: number;
  left_seq: number | null;
  cleared_seq: number;
}>(`
  select member_id, joined_seq, left_seq, cleared_seq from conversation_places
  where conversation_id = $1 and left_seq is null and (joined_seq >= $2 or cleared_seq >= $3)`);

/** Members who do not see a message. */
interface NotHearing {
  /** a block parts them from its sender */
  readonly parted: readonly string[];
  /** they came later, or have cleared it */
  readonly outside: readonly string[];
}

/**
 * Who is in a conversation and does not see some of its messages, by the ids of the messages. New messages are seen by all who are there, so only for those in `changed`, and in the social network, where
 * conversations are small and are cleared, the places of members are looked at.
 */
export async function notHearing(
  { db }: Pick<Context, 'db'>,
  conversation: Pick<ConversationRow, 'id' | 'type' | 'pair'>,
  rows: readonly Pick<ConversationMessageRow, 'id' | 'seq' | 'sender_id'>[],
  changed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, NotHearing>> {
  const { id } = conversation;
  const parted = await notSeeing({ db }, conversation, [...new Set(rows.map((row) => row.sender_id))]);
  const earlier = rows.filter((row) => changed.has(row.id) || isSocial(conversation));
  const least = Math.min(...earlier.map((row) => row.seq));
  const later = earlier.length === 0 ? [] : (await db.executeQuery(seeingLater(id, least, least))).rows;
  return new Map(
    rows.map(({ id: messageId, seq, sender_id: senderId }) => [
      messageId,
      {
        parted: parted.get(senderId) ?? [],
        outside: later.filter((place) => visibleRange(place).after >= seq).map((row) => row.member_id),
      },
    ]),
  );
}
