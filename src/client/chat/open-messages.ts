import type { ChatMessage } from '../../contract/chat/message.ts';
import { recoverMemberKey, verifierOf } from '../../crypto/signature.ts';
import { Problem } from '../../base/problem.ts';
import type { OpenConversation } from './open-conversation.ts';
import { openSaid, unfit, type IsSignedBy, type Said, type SaidFile } from './sealed-messages.ts';

/** Why a message is not shown, for people and for programs. */
export interface Unfit {
  readonly code: string;
  readonly message: string;
}

/** A message as it was opened here. */
export type OpenedMessage = ChatMessage & {
  /** what does not fit; the content is null then */
  readonly problem?: Unfit;
};

/** Opens messages of one conversation, one list after another, and notices what was shown before. */
export interface MessageOpener {
  /** @returns the messages in the same order */
  open(messages: readonly ChatMessage[]): Promise<OpenedMessage[]>;
  /** what a message says, with the keys of its files. @throws Problem network, of one that does not fit */
  said(message: ChatMessage): Promise<Said>;
}

const clientIdForm = /^[0-9a-f]{32}$/;

/**
 * @param open a conversation; if a message names a newer key than it has, `again` opens it anew
 */
export function messageOpener(open: OpenConversation, again: () => Promise<OpenConversation>): MessageOpener {
  let now = open;
  const isSignedBy = signatures();
  /** ids of messages by sender and what these call them */
  const known = new Map<string, string>();
  /** by epoch, the first and the last number of messages that nobody edited */
  const order = new Map<number, { readonly first: number; readonly last: number }>();

  /** Who a message is said to be of: the node's word for their name could be another member's, and nobody signs it. */
  function senderOf(senderId: string): string {
    return now.names.get(senderId) || senderId;
  }

  function saidIn(message: Pick<ChatMessage, 'senderId' | 'clientId'>, sealed: Sealed): Said {
    const { senderId, clientId } = message;
    const sender = senderOf(senderId);
    const { encryptedContent, signature, epoch, revision = 0 } = sealed;
    if (!encryptedContent || !signature || epoch === undefined || clientId === null || !clientIdForm.test(clientId))
      throw unfit('MESSAGE_NOT_SEALED', `The node shows this message without what ${sender} sealed.`);
    if (now.oldest === null || epoch < now.oldest)
      throw unfit(
        'MESSAGE_UNREADABLE',
        'This was said under a key that you do not have, or that was destroyed with the messages under it.',
      );
    const members = now.epochs.get(epoch)?.memberIds;
    if (members !== undefined && !members.includes(senderId))
      throw unfit('MESSAGE_SENDER_FOREIGN', `This message is not of a member: ${sender} never had key ${epoch}.`);
    const key = now.keys.get(epoch);
    if (key === undefined) {
      const why = now.unopened.get(epoch) ?? `There is no key ${epoch} that a member signed for you.`;
      throw unfit('MESSAGE_UNREADABLE', why);
    }
    const place = { epoch, senderId, messageId: clientId, revision };
    return openSaid(key, now.room, { place, encryptedContent, signature }, isSignedBy, sender);
  }

  /** Two messages with one name are one that is shown twice. */
  function assertFirst({ id, senderId, clientId }: ChatMessage): void {
    const name = `${senderId} ${clientId}`;
    const first = known.get(name) ?? id;
    known.set(name, first);
    if (first !== id)
      throw unfit('MESSAGE_REPLAYED', `The node shows a message of ${senderOf(senderId)} once more: ${first}.`);
  }

  /** Keys only get newer, so a message under an older one than that of a message before it was moved. */
  function assertOrder({ seq, epoch, revision, senderId }: ChatMessage): void {
    if (revision > 0) return;
    for (const [other, { first, last }] of order)
      if (other > epoch ? first < seq : other < epoch && last > seq)
        throw unfit('MESSAGE_REORDERED', `The node shows this message of ${senderOf(senderId)} in another place.`);
    const { first = seq, last = seq } = order.get(epoch) ?? {};
    order.set(epoch, { first: Math.min(first, seq), last: Math.max(last, seq) });
  }

  function openOne(message: ChatMessage): OpenedMessage {
    const bare = { ...unproven(message), senderName: now.names.get(message.senderId) ?? '' };
    if (message.deleted || message.hidden) return bare;
    try {
      const said = saidIn(message, message);
      assertFirst(message);
      assertOrder(message);
      return { ...bare, ...shownOf(said, message), ...historyOf(message) };
    } catch (error) {
      return { ...bare, problem: unfitOf(error) };
    }
  }

  function historyOf(message: ChatMessage): Pick<ChatMessage, 'editHistory'> {
    const { editHistory } = message;
    if (editHistory === undefined) return {};
    return { editHistory: editHistory.map((earlier) => earlierText(message, earlier)) };
  }

  function earlierText(message: ChatMessage, earlier: EarlierText): EarlierText & Pick<OpenedMessage, 'problem'> {
    try {
      return { ...earlier, content: saidIn(message, earlier).content };
    } catch (error) {
      return { ...earlier, content: null, problem: unfitOf(error) };
    }
  }

  async function prepare(messages: readonly ChatMessage[]): Promise<void> {
    const epochs = messages.flatMap(({ epoch, editHistory = [] }) => [
      epoch,
      ...editHistory.flatMap((earlier) => earlier.epoch ?? []),
    ]);
    if (epochs.length === 0) return;
    if (Math.max(...epochs) > (now.current?.epoch ?? 0)) now = await again();
    await now.load(Math.min(...epochs));
  }

  return {
    async open(messages) {
      await prepare(messages);
      const inOrder = messages.toSorted((one, other) => one.seq - other.seq);
      const opened = new Map(inOrder.map((message) => [message, openOne(message)]));
      return messages.map((message) => opened.get(message) ?? openOne(message));
    },
    async said(message) {
      await prepare([message]);
      return saidIn(message, message);
    },
  };
}

type EarlierText = NonNullable<ChatMessage['editHistory']>[number];

/** A text of a message, or one before an edit. */
interface Sealed {
  readonly encryptedContent?: string | null | undefined;
  readonly signature?: string | undefined;
  readonly epoch?: number | undefined;
  readonly revision?: number | undefined;
}

/** A message without anything that only its sender can say, where that is not proven. No program of another kind writes among members. */
export function unproven(message: ChatMessage): ChatMessage {
  const { editHistory: _, webhook: __, threadId: ___, via: ____, ...rest } = message;
  return { ...rest, content: null, attachments: [], replyToMessageId: null };
}

/** What members sealed counts, and not what the node says beside it: only an answer is in a thread. */
function shownOf(
  { content, replyToMessageId, attachments = [] }: Said,
  { threadId }: Pick<ChatMessage, 'threadId'>,
): Pick<ChatMessage, 'content' | 'replyToMessageId' | 'threadId' | 'attachments'> {
  const isInThread = replyToMessageId !== undefined && threadId !== undefined;
  return {
    content,
    replyToMessageId: replyToMessageId ?? null,
    ...(isInThread && { threadId }),
    attachments: attachments.map(shown),
  };
}

/** The answers of a thread, without the words of those whose senders answered nothing. */
export function provenAnswers(messages: readonly OpenedMessage[]): OpenedMessage[] {
  return messages.map((message) => {
    if (message.content === null || message.threadId !== undefined) return message;
    const reason = `The node shows this message of ${message.senderName || message.senderId} as an answer, which it is not.`;
    return Object.assign(unproven(message), { problem: unfitOf(unfit('MESSAGE_REORDERED', reason)) });
  });
}

function shown({ id, filename, mimeType, size }: SaidFile): ChatMessage['attachments'][number] {
  return { id, filename, mimeType, size, url: `/api/chat/attachments/${id}` };
}

function unfitOf(error: unknown): Unfit {
  if (error instanceof Problem) return { code: error.code, message: error.message };
  throw error;
}

/** Finds the public key of each member in their first good signature: verifying by it takes a tenth of the time. */
function signatures(): IsSignedBy {
  const verifiers = new Map<string, ReturnType<typeof verifierOf>>();
  return (memberId, statement, signature) => {
    const known = verifiers.get(memberId);
    if (known !== undefined) return known(statement, signature);
    const publicKey = recoverMemberKey(signature, statement, memberId);
    if (publicKey !== undefined) verifiers.set(memberId, verifierOf(publicKey));
    return publicKey !== undefined;
  };
}
