import { randomUUID } from 'node:crypto';
import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation, RoomType } from '../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { InputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { conversationBeside, conversationWith, directWith, messageNamed, threadNamed } from './find-conversation.ts';
import { memberIfKnown, unknownMember } from './members.ts';
import { ownId } from './own-id.ts';
import { meansMember } from './rooms/find-room.ts';
import { roomOperations } from './rooms/operations.ts';

/** Where a message goes: to a member, or into a group or channel. */
export type Recipient = { readonly recipientId: string } | { readonly conversationId: string; readonly type: RoomType };

type Message = Pick<InputOf<typeof chat.sendToGroup>, 'content' | 'attachments' | 'replyToMessageId' | 'clientId'>;

/** Who is written to. */
export interface Target {
  readonly recipient: Recipient;
  /** undefined: it begins with the first message */
  readonly conversation: Conversation | undefined;
}

/**
 * Where a message goes that is for somebody, or for a group or channel. With a member there need not be a conversation.
 *
 * @throws Problem as `conversationNamed` does
 */
export async function targetNamed(caller: Caller, text: string): Promise<Target> {
  const memberId = meansMember(text) ? await memberIfKnown(caller, text) : undefined;
  if (memberId !== undefined) {
    const conversation = await directWith(caller, memberId, text);
    return { recipient: { recipientId: memberId }, conversation };
  }
  const conversation = await conversationBeside(caller, text);
  if (conversation.type === 'direct')
    return { recipient: { recipientId: await otherIn(caller, conversation) }, conversation };
  return { recipient: { conversationId: conversation.id, type: conversation.type }, conversation };
}

/**
 * The message that is answered.
 * @param named how somebody named who is written to, and the message, or the thread
 * @throws Problem as `conversationWith` and `messageNamed` do
 */
export async function answeredIn(
  caller: Caller,
  { recipient, conversation }: Target,
  named: { readonly with: string; readonly reply: string | undefined; readonly thread: string | undefined },
): Promise<Pick<Message, 'replyToMessageId'>> {
  if (named.reply === undefined && named.thread === undefined) return {};
  const place =
    conversation ??
    (await conversationWith(caller, 'recipientId' in recipient ? recipient.recipientId : '', named.with));
  if (named.thread !== undefined) return { replyToMessageId: await threadNamed(caller, place, named.thread) };
  return { replyToMessageId: await messageNamed(caller, place, named.reply ?? '') };
}

async function otherIn(caller: Caller, { participants = [] }: Conversation): Promise<string> {
  const me = await ownId(caller);
  return participants.find((id) => id !== me) ?? me;
}

/** If the connection broke, nobody knows whether the message arrived: it is sent once more, and is one message by its `clientId`. */
export async function sentSafely<T>(send: () => Promise<T>): Promise<T> {
  return await send().catch(async (error: unknown) => {
    if (error instanceof Problem && error.kind === 'network') return await send();
    throw error;
  });
}

/**
 * Sends a message, safely.
 *
 * @param named how somebody named the recipient
 * @throws Problem as `perform` does
 */
export async function sendMessage(caller: Caller, message: Recipient & Message, named: string): Promise<ChatMessage> {
  const sent = { ...message, clientId: message.clientId ?? randomUUID() };
  const send = async () => {
    if ('recipientId' in sent) return await perform(caller, chat.sendDirect, sent);
    const { type, ...said } = sent;
    return await perform(caller, roomOperations[type].send, said);
  };
  try {
    return await sentSafely(send);
  } catch (error) {
    if (error instanceof Problem && error.code === 'MEMBER_NOT_FOUND') throw unknownMember(named);
    throw error;
  }
}
