import { randomUUID } from 'node:crypto';
import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation, RoomType } from '../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { InputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { myName } from '../social/my-name.ts';
import { conversationBeside, conversationWith, messageNamed } from './find-conversation.ts';
import { memberIfKnown, unknownMember } from './members.ts';
import { meansMember } from './rooms/find-room.ts';
import { roomOperations } from './rooms/operations.ts';

/** Where a message goes: to a member, or into a group or channel. */
type Recipient = { readonly recipientId: string } | { readonly conversationId: string; readonly type: RoomType };

type Message = Pick<InputOf<typeof chat.sendToGroup>, 'content' | 'attachments' | 'replyToMessageId' | 'clientId'>;

/**
 * Where a message goes that is for somebody, or for a group or channel, and what it answers. With a member there need not be a conversation.
 *
 * @param reply how somebody named the message that is answered
 * @throws Problem as `conversationNamed` and `messageNamed` do
 */
export async function recipientNamed(
  caller: Caller,
  text: string,
  reply?: string,
): Promise<Recipient & Pick<Message, 'replyToMessageId'>> {
  const memberId = meansMember(text) ? await memberIfKnown(caller, text) : undefined;
  const answered = async (conversation: () => Promise<Conversation>) =>
    reply === undefined ? {} : { replyToMessageId: await messageNamed(caller, await conversation(), reply) };
  if (memberId !== undefined)
    return {
      recipientId: memberId,
      ...(await answered(async () => await conversationWith(caller, memberId, text))),
    };
  const conversation = await conversationBeside(caller, text);
  return {
    ...(conversation.type === 'direct'
      ? { recipientId: await otherIn(caller, conversation) }
      : { conversationId: conversation.id, type: conversation.type }),
    ...(await answered(async () => conversation)),
  };
}

async function otherIn(caller: Caller, { participants = [] }: Conversation): Promise<string> {
  const me = await myName(caller);
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
