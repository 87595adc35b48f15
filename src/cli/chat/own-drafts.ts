import { perform } from '../../client/perform.ts';
import type { DraftText } from '../../client/chat/sealed-drafts.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { Problem } from '../../base/problem.ts';
import { escapeForTerminal, escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { nameOf } from './conversation-table.ts';
import { operationsOf } from './operations.ts';
import type { OwnSide } from './sealed/own-side.ts';
import { wordOf } from './sealed/notes.ts';
import { sendSomewhere } from './sealed/send-somewhere.ts';

/** A draft of the member at this machine, opened if they sealed it. */
export interface OwnDraft extends DraftText {
  readonly conversationId: string;
  readonly updatedAt: string;
}

/** @throws Problem network CONVERSATION_MODE_CHANGED, MESSAGE_DAMAGED */
export async function readOwnDraft(side: OwnSide, place: Conversation): Promise<OwnDraft | undefined> {
  const isSealed = await side.isSealed(place);
  const { draft } = await perform(side.client, operationsOf[place.type].draft, { conversationId: place.id });
  if (draft === null) return undefined;
  const { conversationId, content, sealed = '', replyToMessageId, updatedAt } = draft;
  const of = { conversationId, updatedAt };
  if (!isSealed) return { ...of, content: content ?? '', ...(replyToMessageId !== null && { replyToMessageId }) };
  const { openDraft } = await import('../../client/chat/sealed-drafts.ts');
  const { keys, memberId } = await side.self();
  return { ...of, ...openDraft(keys, { conversationId: place.id, memberId }, sealed) };
}

/** Keeps a draft, sealed here where only members can read the conversation. */
export async function keepOwnDraft(side: OwnSide, place: Conversation, text: DraftText): Promise<OwnDraft> {
  const { id: conversationId, type } = place;
  const given = (await side.isSealed(place)) ? { sealed: await sealedHere(side, conversationId, text) } : text;
  const { updatedAt } = await perform(side.client, operationsOf[type].saveDraft, { conversationId, ...given });
  return { conversationId, ...text, updatedAt };
}

async function sealedHere(side: OwnSide, conversationId: string, text: DraftText): Promise<string> {
  const { sealDraft } = await import('../../client/chat/sealed-drafts.ts');
  const { keys, memberId } = await side.self();
  return sealDraft(keys, { conversationId, memberId }, text);
}

/**
 * Sends the draft and deletes it, unless it was changed meanwhile. If something breaks between the two, the draft that is sent again is the same
 * message.
 * @param named how somebody named the conversation
 * @throws Problem missing NOT_FOUND if there is none
 */
export async function sendOwnDraft(side: OwnSide, place: Conversation, named: string): Promise<ChatMessage> {
  const draft = await readOwnDraft(side, place);
  if (draft === undefined) throw new Problem('missing', 'NOT_FOUND', noDraft(place));
  const { content, replyToMessageId: reply, updatedAt } = draft;
  const clientId = `draft.${Date.parse(updatedAt)}`;
  const sent = await sendSomewhere(side, { to: named, content, reply, clientId, files: undefined, mode: undefined });
  const { draft: now } = await perform(side.client, operationsOf[place.type].draft, { conversationId: place.id });
  if (now?.updatedAt === updatedAt) await deleteOwnDraft(side, place);
  return sent;
}

export async function deleteOwnDraft(side: Pick<OwnSide, 'client'>, { id, type }: Conversation): Promise<void> {
  await perform(side.client, operationsOf[type].deleteDraft, { conversationId: id });
}

export function noDraft(place: Conversation): string {
  return `You have no draft in ${nameOf(place)}. To keep one, run: conclave chat draft set ${wordOf(place)} TEXT`;
}

export function draftText({ content, replyToMessageId }: OwnDraft): string {
  const answered = replyToMessageId === undefined ? '' : `${escapeForTerminal(`> ${replyToMessageId}`)}\n`;
  return answered + escapeLinesForTerminal(content);
}
