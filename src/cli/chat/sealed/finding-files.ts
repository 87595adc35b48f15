import type { SaidFile } from '../../../client/chat/sealed-messages.ts';
import { perform } from '../../../client/perform.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { Problem } from '../../../base/problem.ts';
import { conversationBeside } from '../find-conversation.ts';
import { operationsOf } from '../operations.ts';
import { ownConversations } from '../own-conversations.ts';
import { pagesOf } from '../read-messages.ts';
import { isConversationId } from '../rooms/find-room.ts';
import type { OwnSide } from './own-side.ts';

/** A file waits so long at most to be part of a message. */
const WAITS_MS = chatLimits.attachmentHours * 3_600_000;

/**
 * What a message says of a file that only members can read.
 *
 * @returns undefined for a file of a conversation that the node can read
 * @throws Problem as `perform` does; network of a message that does not fit
 */
export async function sealedFile(side: OwnSide, attachmentId: string): Promise<SaidFile | undefined> {
  const id = attachmentId.toLowerCase();
  if (!isConversationId(id)) return undefined;
  return (await rememberedFile(side, id)) ?? (await fileAmongMessages(side, id));
}

/** This machine knows the message of each such file that it has shown, so the node cannot pass off another one as plain. */
async function rememberedFile(side: OwnSide, id: string): Promise<SaidFile | undefined> {
  const { listKnown } = await import('../../../client/chat/known-conversations.ts');
  for (const { conversationId, files } of await listKnown(await side.memory())) {
    const messageId = files.find(([fileId]) => fileId === id)?.[1];
    if (messageId === undefined) continue;
    const place = await conversationBeside(side.client, conversationId);
    const message = await perform(side.client, operationsOf[place.type].message, { conversationId, messageId });
    return await saidFile(side, place, message, id);
  }
  return undefined;
}

/** Looks for it where another machine has shown it: in messages since it was uploaded, which its id says. */
async function fileAmongMessages(side: OwnSide, id: string): Promise<SaidFile | undefined> {
  const sinceMs = Buffer.from(id, 'hex').readUIntBE(0, 6);
  for (const archived of [false, true])
    for await (const place of ownConversations(side.client, archived)) {
      if (Date.parse(place.lastMessageAt ?? place.createdAt) < sinceMs) break;
      if (!(await side.isSealed(place))) continue;
      const message = await messageWith(side, place, id, sinceMs);
      if (message !== undefined) return await saidFile(side, place, message, id);
    }
  return undefined;
}

async function messageWith(
  { client }: OwnSide,
  place: Conversation,
  id: string,
  sinceMs: number,
): Promise<ChatMessage | undefined> {
  const read = pagesOf(client, place);
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await read({ limit: chatLimits.mostOnPage, ...(cursor !== undefined && { cursor }) });
    const found = page.items.find(
      ({ attachments, createdAt }) =>
        Date.parse(createdAt) <= sinceMs + WAITS_MS && attachments.some((one) => one.id === id),
    );
    if (found !== undefined) return found;
    const [oldest] = page.items;
    if (oldest === undefined || Date.parse(oldest.createdAt) < sinceMs) return undefined;
    ({ cursor } = page);
  }
  return undefined;
}

async function saidFile(side: OwnSide, place: Conversation, message: ChatMessage, id: string): Promise<SaidFile> {
  await side.isSealed(place);
  const file = (await (await side.opener(place)).said(message)).attachments?.find((one) => one.id === id);
  if (file !== undefined) return file;
  throw new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'The message that had this file does not have it any more.');
}
