import type { ChatAttachment, ChatMessage } from '../../contract/chat/message.ts';
import { fit, wrapped } from '../kit/display-width.ts';
import { escapeForTerminal, escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { idColumn } from '../mail/mail-columns.ts';

/** Text is not wider than this, because longer lines are hard to read. */
const WIDEST = 80;
const INDENT = '  ';
/** Characters of a message that is referred to. */
const BEGINNING = 60;
/** Digits of an id: those of its time. */
const SHORT = 12;

/** What is shown of a message, of chat or of the social network. */
export type ShownMessage = Pick<
  ChatMessage,
  | 'id'
  | 'conversationId'
  | 'senderId'
  | 'senderName'
  | 'webhook'
  | 'via'
  | 'content'
  | 'createdAt'
  | 'editedAt'
  | 'deleted'
  | 'hidden'
  | 'pinned'
  | 'replyToMessageId'
  | 'reactionCounts'
  | 'attachments'
  | 'readBy'
> & {
  readonly forwarded?: boolean;
  readonly encryptedContent?: string | null;
  /** why what members sealed is not shown */
  readonly problem?: { readonly message: string };
};

/**
 * Messages below each other, or one line for each without a terminal.
 * @param where names of conversations by their ids, if the messages are of several
 */
export function messagesText(
  screen: Screen,
  messages: readonly ShownMessage[],
  where?: ReadonlyMap<string, string>,
): string {
  const place = ({ conversationId }: ShownMessage) => where?.get(conversationId) ?? conversationId;
  if (Number.isFinite(screen.width)) {
    const ids = idColumn(messages);
    return messages
      .map((one) => {
        const shown = where === undefined ? {} : { place: place(one) };
        return messageText(screen, one, { messages, id: ids.of(one, screen), ...shown });
      })
      .join('\n');
  }
  return table(screen, messages, [
    ...(where === undefined ? [] : [{ title: 'IN', of: place }]),
    { title: 'ID', of: ({ id }) => id },
    { title: 'TIME', of: ({ createdAt }) => createdAt },
    { title: 'FROM', of: senderOf },
    { title: 'MARKS', of: (message) => marksOf(message).join(',') },
    { title: 'REPLY TO', of: ({ replyToMessageId }) => replyToMessageId ?? '' },
    { title: 'REACTIONS', of: reactionsOf },
    { title: 'ATTACHMENTS', of: ({ attachments }) => attachments.map(fileText).join(', ') },
    { title: 'TEXT', of: (message) => contentOf(message), prose: true },
  ]);
}

/** Somebody whom the node does not know any more has no name. */
export function senderOf({ senderId, senderName, webhook, via }: ShownMessage): string {
  const member = senderName || senderId;
  if (via !== undefined) return `${member} (by ${via})`;
  return webhook === undefined ? member : `${webhook} (webhook of ${member})`;
}

interface Around {
  /** those that are shown with it */
  readonly messages: readonly ShownMessage[];
  /** its id, as short as people may write it */
  readonly id: string;
  /** what its conversation is called */
  readonly place?: string;
}

function messageText(screen: Screen, message: ShownMessage, { messages, id, place }: Around): string {
  const { paint, width, measure } = screen;
  const name = escapeForTerminal(senderOf(message));
  const facts = [moment(screen, message.createdAt), id, place ?? '', marksOf(message).join(', ')].filter(
    (text) => text !== '',
  );
  const lines = escapeLinesForTerminal(contentOf(message))
    .split('\n')
    .flatMap((line) => wrapped(line, Math.min(width, WIDEST) - INDENT.length, measure));
  const { replyToMessageId: replyTo } = message;
  const answered = messages.find((one) => one.id === replyTo);
  const reference = answered === undefined ? shortId(replyTo) : `${senderOf(answered)}: ${beginningOf(answered)}`;
  const reactions = reactionsOf(message);
  return [
    `${paint('bold', name)}  ${paint('dim', escapeForTerminal(facts.join('  ')))}`,
    ...(reference === null ? [] : [`${INDENT}${paint('dim', `> ${escapeForTerminal(reference)}`)}`]),
    ...lines.map((line) => `${INDENT}${line}`),
    ...message.attachments.map((one) => `${INDENT}${paint('dim', `+ ${escapeForTerminal(fileText(one))}`)}`),
    ...(reactions === '' ? [] : [`${INDENT}${paint('dim', escapeForTerminal(reactions))}`]),
  ].join('\n');
}

/** Of a message that is not among the shown ones. */
function shortId(id: string | null): string | null {
  return id?.slice(0, SHORT) ?? null;
}

function fileText({ id, filename, size }: ChatAttachment): string {
  return `${filename}  ${bytes(size)}  ${id}`;
}

/** What a terminal can show, if it is what its sender calls it. */
const visible = /^(?:text\/|application\/json$|image\/(?:bmp|gif|jpeg|png|webp)$)/;

/** How the last file of some messages is shown, if there is one. */
export function fileHint(messages: readonly ShownMessage[]): string | undefined {
  const file = messages.flatMap(({ attachments }) => attachments).findLast(({ mimeType }) => visible.test(mimeType));
  return file && `To see ${file.filename}: conclave chat attachment show ${file.id}`;
}

/** What is shown where nothing is opened. */
export const encrypted = '(encrypted by its members)';

/** What a message says, or why it says nothing. */
export function contentOf({ content, hidden, deleted, problem, encryptedContent }: ShownMessage): string {
  if (content !== null) return content;
  if (hidden) return '(hidden: a block parts you)';
  if (deleted) return '(deleted)';
  return problem === undefined ? (encryptedContent ? encrypted : '') : `(${problem.message})`;
}

/** The first words of a message, as one line. */
export function beginningOf(message: ShownMessage): string {
  return fit(contentOf(message).replaceAll(/\s+/g, ' '), BEGINNING, (part) => part.length);
}

function marksOf({ editedAt, deleted, hidden, pinned, readBy = 0, forwarded = false }: ShownMessage): string[] {
  return [
    ...(editedAt !== null && !deleted ? ['edited'] : []),
    ...(deleted ? ['deleted'] : []),
    ...(hidden ? ['hidden'] : []),
    ...(pinned ? ['pinned'] : []),
    ...(forwarded ? ['forwarded'] : []),
    ...(readBy > 0 ? [`read by ${readBy}`] : []),
  ];
}

function reactionsOf({ reactionCounts }: ShownMessage): string {
  return reactionCounts.map(({ emoji, count }) => `${emoji} ${count}`).join('  ');
}
