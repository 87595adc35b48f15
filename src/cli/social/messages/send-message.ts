import { randomUUID } from 'node:crypto';
import { perform, type Caller } from '../../../client/perform.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { sentSafely } from '../../chat/send-message.ts';
import { asListed, type ListedSocial } from './own-conversations.ts';
import { lookUp, socialConversationIfAny } from './find-conversation.ts';
import { asShown, socialMessageIn, socialPagesOf, type ShownSocial } from './messages.ts';

interface Sent {
  readonly shown: ShownSocial;
  /** what became of the request that it is, or that it answers */
  readonly request?: 'sent' | 'accepted';
}

interface Message {
  readonly content: string;
  /** ids of files that were uploaded */
  readonly attachments?: string[] | undefined;
  /** how somebody named the message that is answered */
  readonly reply?: string | undefined;
}

/**
 * Sends a message to somebody, or into a group. With a member there need not be a conversation.
 *
 * @throws Problem as `lookUp`, `socialMessageIn` and `perform` do
 */
export async function sendSocialMessage(caller: Caller, text: string, message: Message): Promise<Sent> {
  const { content, attachments, reply } = message;
  const named = await lookUp(caller, text);
  try {
    if ('conversation' in named) return await sendInto(caller, named.conversation, message);
    if (reply !== undefined)
      throw new Problem(
        'missing',
        'MESSAGE_NOT_FOUND',
        `You have no conversation with ${text}, so there is nothing to answer.`,
      );
    return await begin(caller, named.memberId, { content, attachments });
  } catch (error) {
    // One that the caller declined is in no list. What they send now accepts it.
    const declined = isOf(error, 'CONVERSATION_EXISTS') ? error.details?.['conversationId'] : undefined;
    if (declined !== undefined && text !== declined) return await sendSocialMessage(caller, declined, message);
    throw saidOf(error, text);
  }
}

function isOf(error: unknown, code: string): error is Problem {
  return error instanceof Problem && error.code === code;
}

async function sendInto(
  caller: Caller,
  conversation: ListedSocial,
  { content, attachments, reply }: Message,
): Promise<Sent> {
  const message: InputOf<typeof social.sendMessage> = {
    id: conversation.id,
    content,
    attachments,
    clientId: randomUUID(),
    ...(reply !== undefined && { replyToMessageId: await socialMessageIn(caller, conversation, reply) }),
  };
  const sent = await sentSafely(async () => await perform(caller, social.sendMessage, message));
  const shown = asShown(sent);
  const { request: before = 'accepted' } = conversation.conversation;
  if (before === 'accepted') return { shown };
  const { request } = await perform(caller, social.showConversation, { id: conversation.id });
  return { shown, request: request === 'accepted' ? 'accepted' : 'sent' };
}

/** Begins a conversation with its first message, in one step: nobody gets a request without what it is about. */
async function begin(
  caller: Caller,
  otherUserId: string,
  message: Pick<Message, 'content' | 'attachments'>,
): Promise<Sent> {
  const first = { otherUserId, ...message };
  const { id, waits } = await perform(caller, social.beginConversation, first).then(asBegun, async (error: unknown) => {
    if (!(error instanceof Problem && error.kind === 'network')) throw error;
    // Nobody knows whether it arrived. There was no conversation before, so one that is there has the message.
    const there = await socialConversationIfAny(caller, otherUserId, 'direct');
    return there ?? asBegun(await perform(caller, social.beginConversation, first));
  });
  const { items } = await socialPagesOf(caller, { id })({ limit: 1 });
  const [shown] = items;
  if (shown === undefined)
    throw new Problem('network', 'BAD_REPLY', 'The conversation began, but its first message is not there.');
  return { shown, ...(waits && { request: 'sent' }) };
}

function asBegun(reply: ReplyOf<typeof social.beginConversation>) {
  return 'conversationId' in reply ? { id: reply.conversationId, waits: true } : asListed(reply);
}

/** What a person can do about it. */
function saidOf(error: unknown, text: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { kind, code } = error;
  const said = {
    REQUEST_PENDING: `${text} has not accepted your message request. You can send more when it is accepted.`,
    DMS_CLOSED: `${text} takes messages only from followers. To become one, run: conclave social follow ${text}`,
    MEMBER_BLOCKED: `You blocked ${text}. To end the block, run: conclave social block ${text} --undo`,
  }[code as string];
  return said === undefined ? error : new Problem(kind, code, said, { cause: error });
}
