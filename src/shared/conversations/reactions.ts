import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationMessageRow, ConversationReactionRow } from '../../platform/store/tables/conversations.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import type { Seat } from './conversation.ts';
import { fullyQualified } from './emoji.ts';
import { tell } from './events.ts';
import { notSeeing } from './parted.ts';
import { rulesOf } from './types.ts';

const same = writtenQuery<ConversationReactionRow>(
  'select * from conversation_reactions where message_id = $1 and emoji = $2 and member_id = $3',
);
const kinds = writtenQuery<{ others: number; known: number }>(`
  select count(distinct emoji) as others, count(case when emoji = $1 then 1 end) as known
  from conversation_reactions where message_id = $2`);

/**
 * Adds a reaction, in the transaction that has checked that the member may speak. The same one twice is one in chat.
 * @throws Problem invalid VALIDATION_ERROR for what is no emoji, TOO_MANY_REACTIONS, ALREADY_REACTED in the social network
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
  const rules = rulesOf(seat);
  if (earlier !== undefined) {
    if (rules.sameReaction === 'nothing') return earlier;
    throw new Problem('invalid', 'ALREADY_REACTED', 'You have reacted to this message with this emoji.');
  }
  const { others, known } = onlyRow((await tx.db.executeQuery(kinds(emoji, messageId))).rows);
  if (known === 0 && others >= rules.emoji)
    throw new Problem(
      'invalid',
      'TOO_MANY_REACTIONS',
      `A message has at most ${rules.emoji} different reactions. Use one that is there.`,
    );
  const row = { message_id: messageId, emoji, member_id: memberId, id: recordId(tx.clock.now(), tx.random) };
  await insertRows(tx.db, 'conversation_reactions', [row]);
  await tell(tx, seat, 'reactionAdded', factsOf(row));
  return row;
}

/**
 * @param which its id, or the emoji
 * @throws Problem forbidden FORBIDDEN for a reaction of somebody else, by its id, to a message that the member sees; missing REACTION_NOT_FOUND
 */
export async function removeReaction(
  tx: Context,
  seat: Seat,
  memberId: string,
  { id: messageId, sender_id: senderId }: Pick<ConversationMessageRow, 'id' | 'sender_id'>,
  which: { readonly id: string } | { readonly emoji: string },
): Promise<void> {
  const row = await tx.db
    .deleteFrom('conversation_reactions')
    .where('id' in which ? 'id' : 'emoji', '=', 'id' in which ? which.id : fullyQualified(which.emoji))
    .where('message_id', '=', messageId)
    .where('member_id', '=', memberId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    const withheldFrom = (await notSeeing(tx, seat, [senderId])).get(senderId) ?? [];
    if ('id' in which && !withheldFrom.includes(memberId) && (await isReaction(tx, messageId, which.id)))
      throw new Problem('forbidden', 'FORBIDDEN', 'Only who reacted can take a reaction back.');
    throw new Problem('missing', 'REACTION_NOT_FOUND', 'You have no such reaction to this message.');
  }
  await tell(tx, seat, 'reactionRemoved', factsOf(row));
}

const reactionBy = writtenQuery('select 1 from conversation_reactions where message_id = $1 and id = $2');

async function isReaction({ db }: Pick<Context, 'db'>, messageId: string, id: string): Promise<boolean> {
  return (await db.executeQuery(reactionBy(messageId, id))).rows.length > 0;
}

function factsOf({ message_id: messageId, emoji, member_id: memberId, id: reactionId }: ConversationReactionRow) {
  return { messageId, memberId, emoji, reactionId };
}
