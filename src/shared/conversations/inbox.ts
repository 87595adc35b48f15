import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { publishToMany } from '../../platform/realtime/publish.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { Rotation } from '../group-keys/rotate.ts';
import { topicOfInbox } from './conversation.ts';
import { aboutConversation, memberIdsOf, tell } from './events.ts';
import type { Mentioned } from './mentions.ts';
import { partedFrom } from './parted.ts';
import { isSocial } from './types.ts';

/**
 * What members are told wherever they are. A conversation can have thousands of them, so it takes no number in the inbox of each and stores nothing:
 * the members are read in one statement, and each process tells those of them who listen there.
 */

type Told = Pick<ConversationRow, 'id' | 'type'>;

/** Tells all members of a group or channel its new name. */
export async function tellRenamed(tx: Context, conversation: Told, name: string): Promise<void> {
  const inboxes = (await memberIdsOf(tx, conversation.id)).map(topicOfInbox);
  publishToMany(tx, inboxes, chatEvents.renamed, { ...aboutConversation(conversation), name });
}

/** Tells those who hear a conversation, and all members wherever they are, that it has a new key. The social network has no keys of its own. */
export async function tellRotation(tx: Context, conversation: Told, { epoch, reason }: Rotation): Promise<void> {
  if (isSocial(conversation)) return;
  await tell(tx, conversation, 'keyRotated', { epoch, reason });
  const inboxes = (await memberIdsOf(tx, conversation.id)).map(topicOfInbox);
  publishToMany(tx, inboxes, chatEvents.keyChanged, { ...aboutConversation(conversation), epoch, reason });
}

/**
 * Tells members that a message names them.
 * @param mentioned nobody whom a block parts from its sender
 * @param before ids of those whom it named before it was edited, `''` for all. They are not told again
 */
export async function tellMentioned(
  tx: Context,
  conversation: Told,
  { id: messageId, seq, sender_id: senderId, thread_id: threadId }: ConversationMessageRow,
  { everybody, memberIds }: Mentioned,
  before: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (before.has('')) return;
  const named = everybody ? await othersOf(tx, conversation, senderId) : memberIds;
  const inboxes = named.filter((memberId) => !before.has(memberId)).map(topicOfInbox);
  const data = { ...aboutConversation(conversation), seq, messageId, threadId, senderId };
  publishToMany(tx, inboxes, chatEvents.mentioned, data);
}

async function othersOf(tx: Context, { id }: Pick<Told, 'id'>, memberId: string): Promise<readonly string[]> {
  const parted = new Set([memberId, ...(await partedFrom(tx, { id }, memberId))]);
  return (await memberIdsOf(tx, id)).filter((other) => !parted.has(other));
}
