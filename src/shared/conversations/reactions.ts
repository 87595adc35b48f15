import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationMessageRow, ConversationReactionRow } from '../../platform/store/tables/conversations.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { topicOfConversation, type Seat } from './conversation.ts';
import { fullyQualified } from './emoji.ts';
import { aboutConversation } from './events.ts';

const same = writtenQuery<ConversationReactionRow>(
  'select * from conversation_reactions where message_id = $1 and emoji = $2 and member_id = $3',
);
const kinds = writtenQuery<{ others: number; known: number }>(`
  select count(distinct emoji) as others, count(case when emoji = $1 then 1 end) as known
  from conversation_reactions where message_id = $2`);

/**
 * Adds a reaction, in the transaction that has checked that the member may speak. The same one twice is one.
 * @throws Problem invalid VALIDATION_ERROR for what is no emoji, TOO_MANY_REACTIONS
 */
export async function addReaction(
  tx: Context,
  seat: Seat,
  memberId: string,
  { id: messageId }: Pick<ConversationMessageRow, 'id'>,
  given: string,
): Promise<ConversationReactionRow> {
  const emoji = fullyQualified(given);
  const [earlier] = (await tx.db.executeQuery(same(messageId, emoji, memberId))).rows;
  if (earlier !== undefined) return earlier;
  const { others, known } = onlyRow((await tx.db.executeQuery(kinds(emoji, messageId))).rows);
  if (known === 0 && others >= chatLimits.emoji)
    throw new Problem(
      'invalid',
      'TOO_MANY_REACTIONS',
      `A message has at most ${chatLimits.emoji} different reactions. Use one that is there.`,
    );
  const row = { message_id: messageId, emoji, member_id: memberId, id: recordId(tx.clock.now(), tx.random) };
  await insertRows(tx.db, 'conversation_reactions', [row]);
  await tell(tx, seat, chatEvents.reactionAdded, row);
  return row;
}

/** @throws Problem missing REACTION_NOT_FOUND, also for a reaction of somebody else */
export async function removeReaction(
  tx: Context,
  seat: Seat,
  memberId: string,
  { id: messageId }: Pick<ConversationMessageRow, 'id'>,
  id: string,
): Promise<void> {
  const row = await tx.db
    .deleteFrom('conversation_reactions')
    .where('id', '=', id)
    .where('message_id', '=', messageId)
    .where('member_id', '=', memberId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined)
    throw new Problem('missing', 'REACTION_NOT_FOUND', 'You have no such reaction to this message.');
  await tell(tx, seat, chatEvents.reactionRemoved, row);
}

async function tell(
  tx: Context,
  seat: Seat,
  event: typeof chatEvents.reactionAdded | typeof chatEvents.reactionRemoved,
  { message_id: messageId, emoji, member_id: memberId, id: reactionId }: ConversationReactionRow,
): Promise<void> {
  const data = { ...aboutConversation(seat), messageId, memberId, emoji, reactionId };
  await publish(tx, topicOfConversation(seat.id), event, data);
}
