import { download, type Sink } from '../../../client/bodies.ts';
import { collectPages } from '../../../client/pages.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import type { OpenedMessage } from '../../../client/chat/open-messages.ts';
import { chat } from '../../../contract/chat.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { nameOf } from '../conversation-table.ts';
import { operationsOf } from '../operations.ts';
import { pagesOf } from '../read-messages.ts';
import type { OwnSide } from '../sealed/own-side.ts';
import { sealedBytes } from '../sealed/save-sealed.ts';
import { socialPagesOf, type ShownSocial } from '../../social/messages/messages.ts';
import type { ListedSocial } from '../../social/messages/own-conversations.ts';

/** A file of a message. */
export interface SourceFile {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  write(sink: Sink, signal?: AbortSignal): Promise<unknown>;
}

/** A message as a line has it, with its files, which become paths there. */
export interface SourceMessage {
  readonly seq: number;
  readonly line: Readonly<Record<string, unknown>>;
  readonly files: readonly SourceFile[];
}

/** A conversation that is exported, of chat or of the social network. */
export interface Source {
  readonly id: string;
  readonly title: string;
  /** for people */
  readonly name: string;
  readonly lastSeq: number;
  /** whether the key of the member opens it */
  readonly needsKey: boolean;
  /** what `conversation.json` says of it */
  facts(): Promise<Readonly<Record<string, unknown>>>;
  /** messages after a number that the member may read, in their order */
  page(after: number): Promise<{ readonly messages: readonly SourceMessage[]; readonly hasMore: boolean }>;
}

/** A conversation of chat. What only members can read is opened here. */
export function chatSource(side: OwnSide, conversation: Conversation): Source {
  const { client } = side;
  const { id, title, type } = conversation;
  const read = pagesOf(client, conversation);

  /** Pages leave out the earlier texts of some messages. */
  async function withEdits(message: ChatMessage): Promise<ChatMessage> {
    if (message.editedAt === null || message.deleted || message.hidden || message.editHistory !== undefined)
      return message;
    return await perform(client, operationsOf[type].message, { conversationId: id, messageId: message.id });
  }

  async function filesOf(raw: ChatMessage, opened: OpenedMessage, isSealed: boolean): Promise<SourceFile[]> {
    if (opened.attachments.length === 0) return [];
    if (!isSealed) return opened.attachments.map((file) => plainFile(client, file));
    const { attachments = [] } = await (await side.opener(conversation)).said(raw);
    return attachments.map((file) =>
      sourceFile(file, async (sink, signal) => await sink.write(await sealedBytes(client, file, signal))),
    );
  }

  return {
    id,
    title,
    name: nameOf(conversation),
    lastSeq: conversation.lastSeq,
    needsKey: conversation.mode === 'client',
    facts: async () => chatFacts(conversation, await membersOf(side, conversation)),
    async page(after) {
      const { items, hasMore } = await read({ after, limit: chatLimits.mostOnPage });
      const raw: ChatMessage[] = [];
      for (const item of items) raw.push(await withEdits(item));
      const isSealed = await side.isSealed(conversation);
      const opened = await side.read(conversation, raw);
      const messages: SourceMessage[] = [];
      for (const [at, message] of opened.entries()) {
        const sent = raw[at] ?? message;
        messages.push({
          seq: message.seq,
          line: chatLine(message, sent, isSealed),
          files: await filesOf(sent, message, isSealed),
        });
      }
      return { messages, hasMore };
    },
  };
}

type Described = Omit<SourceFile, 'write'>;

function plainFile(client: Caller, file: Described): SourceFile {
  return sourceFile(file, async (sink, signal) => {
    const { body } = await download(client, chat.showAttachment, { attachmentId: file.id }, { signal });
    for await (const piece of body) await sink.write(piece);
  });
}

/** Of a file nothing else is kept: that of a message which only members can read has its key beside it. */
function sourceFile({ id, filename, mimeType, size }: Described, write: SourceFile['write']): SourceFile {
  return { id, filename, mimeType, size, write };
}

async function membersOf({ client }: OwnSide, { id: conversationId, type, ...rest }: Conversation) {
  // Of two, the node says no names but the title.
  if (type === 'direct') return (rest.participants ?? []).map((memberId) => ({ memberId }));
  const list = type === 'group' ? chat.groupMembers : chat.channelMembers;
  const { items } = await collectPages(client, list, { conversationId }, 'items');
  return items.map(({ memberId, username, role, joinedAt }) => ({ memberId, username, role, joinedAt }));
}

function chatFacts(conversation: Conversation, members: readonly object[]) {
  const { id, type, mode, title, topic, visibility, creatorId, role, retentionMs, createdAt } = conversation;
  return { id, kind: type, mode, title, topic, visibility, creatorId, role, retentionMs, createdAt, members };
}

function chatLine(message: OpenedMessage, raw: ChatMessage, isSealed: boolean): Readonly<Record<string, unknown>> {
  const { id, seq, senderId, senderName, webhook, via, content, replyToMessageId, createdAt } = message;
  const {
    editedAt,
    deleted,
    deletedAt,
    hidden,
    pinned,
    reactions,
    reactionCounts,
    editHistory = [],
    problem,
  } = message;
  const mustOpen = isSealed && content === null && !deleted && !hidden;
  return {
    seq,
    id,
    senderId,
    senderName,
    webhook,
    via,
    createdAt,
    editedAt,
    content,
    replyToMessageId,
    pinned,
    reactions,
    reactionCounts,
    edits: editHistory.map(({ content: text, editedAt: until, ...earlier }) =>
      'problem' in earlier
        ? { content: text, editedAt: until, problem: earlier.problem }
        : { content: text, editedAt: until },
    ),
    ...(deleted && { deleted, deletedAt }),
    ...(hidden && { hidden }),
    ...(problem !== undefined && { problem }),
    // Whoever gets the key later can open it then.
    ...(mustOpen && { sealed: sealedText(raw) }),
  };
}

function sealedText({ encryptedContent, signature, epoch, revision, clientId }: ChatMessage) {
  return { encryptedContent, signature, epoch, revision, clientId };
}

/** A conversation of the social network. */
export function socialSource(client: Caller, listed: ListedSocial): Source {
  const { id, title, type, conversation, createdAt, lastSeq } = listed;
  const read = socialPagesOf(client, listed);
  return {
    id,
    title,
    name: nameOf(listed),
    lastSeq,
    needsKey: false,
    facts: async () => ({
      id,
      kind: `social_${type}`,
      title,
      ownerId: conversation.ownerId,
      createdAt,
      members: conversation.participantIds.map((memberId) => ({ memberId })),
    }),
    async page(after) {
      const { items, hasMore } = await read({ after, limit: chatLimits.mostOnPage });
      const messages = items.map((one) => ({
        seq: one.seq,
        line: socialLine(one),
        files: one.attachments.map((file) => plainFile(client, file)),
      }));
      return { messages, hasMore };
    },
  };
}

function socialLine({ message, deleted, hidden }: ShownSocial): Readonly<Record<string, unknown>> {
  return {
    seq: message.seq,
    id: message['_id'],
    senderId: message.senderId,
    senderName: message.senderUsername,
    createdAt: message.createdAt,
    editedAt: message.editedAt,
    content: message.content,
    replyToMessageId: message.replyToMessageId,
    forwardedFromId: message.forwardedFromId,
    reactions: message.reactions.map(({ userId: memberId, emoji }) => ({ memberId, emoji })),
    reactionCounts: message.reactionCounts,
    edits: [],
    ...(deleted && { deleted, deletedAt: message.deletedAt }),
    ...(hidden && { hidden }),
  };
}
