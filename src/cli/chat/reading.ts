import { collectFrom } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import type { OpenedMessage } from '../../client/chat/open-messages.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { ChatThread } from '../../contract/chat/threads.ts';
import type { Shown } from '../kit/list-command.ts';
import { messageNamed, threadNamed } from './find-conversation.ts';
import { operationsOf } from './operations.ts';
import { pagesOf, readPart } from './read-messages.ts';
import type { OwnSide } from './sealed/own-side.ts';

/** A part of a conversation as it is shown. */
export interface ShownPart {
  /** as it is answered */
  readonly page: {
    readonly thread?: Omit<ChatThread, 'root'> & { readonly root: OpenedMessage };
    readonly items: readonly OpenedMessage[];
    readonly hasMore: boolean;
    /** leads to older ones */
    readonly cursor?: string;
  };
  /** in their order */
  readonly messages: readonly OpenedMessage[];
  /** marks it as read */
  readonly mark: () => Promise<void>;
}

/** The part of a conversation that somebody wants to see. */
export async function readConversation(
  side: OwnSide,
  conversation: Conversation,
  { unread, around: named }: { readonly unread: boolean; readonly around?: string | undefined },
  shown: Shown,
): Promise<ShownPart> {
  const { client } = side;
  const { id: conversationId, readSeq, type } = conversation;
  const around = named === undefined ? undefined : await messageNamed(client, conversation, named);
  const found = await readPart(pagesOf(client, conversation), { after: unread ? readSeq : undefined, around }, shown);
  const page = { ...found, items: await side.read(conversation, found.items) };
  return {
    page,
    messages: page.items,
    mark: async () => {
      const seq = page.items.at(-1)?.seq ?? 0;
      if (seq > readSeq) await perform(client, operationsOf[type].read, { conversationId, seq });
    },
  };
}

/**
 * The newest answers of a thread, or those before an earlier page, opened here where only members can read them.
 * @param named its first message, or an answer
 * @throws Problem as `threadNamed` does
 */
export async function readThread(
  side: OwnSide,
  conversation: Conversation,
  named: string,
  shown: Shown,
): Promise<ShownPart> {
  const { client } = side;
  const { id: conversationId, type } = conversation;
  const of = { conversationId, messageId: await threadNamed(client, conversation, named) };
  const newestFirst: (readonly ChatMessage[])[] = [];
  let thread: ChatThread | undefined;
  const { items: _, ...next } = await collectFrom(
    async (page) => await perform(client, operationsOf[type].thread, { ...of, ...page }),
    ({ items }) => items,
    {
      ...shown,
      each: ({ items, thread: now }) => {
        newestFirst.push(items);
        thread ??= now;
      },
    },
  );
  if (thread === undefined) throw new Error('a thread has a page');
  const { threadId, unread } = thread;
  const all = [thread.root, ...newestFirst.toReversed().flat()];
  const [root = thread.root, ...answers] = await side.read(conversation, all);
  const items = (await side.isSealed(conversation)) ? await proven(answers) : answers;
  return {
    page: { thread: { ...thread, root }, items, ...next },
    messages: [root, ...items],
    mark: async () => {
      const seq = items.at(-1)?.seq;
      if (seq !== undefined && unread > 0)
        await perform(client, operationsOf[type].readThread, { conversationId, messageId: threadId, seq });
    },
  };
}

async function proven(answers: readonly OpenedMessage[]): Promise<OpenedMessage[]> {
  return (await import('../../client/chat/open-messages.ts')).provenAnswers(answers);
}
