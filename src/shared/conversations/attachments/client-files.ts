import type { Context } from '../../../service/context.ts';
import type { ConversationMessageRow } from '../../../platform/store/tables/conversations.ts';
import { openJson, sealJson } from '../node-sealed.ts';
import type { SealedAttachment } from './attachment.ts';

const purpose = (messageId: string) => `conclave/chat/message-files/v1\0${messageId}`;

/** What the node has of the files of a message that it cannot read. Their contents are encrypted by the client before they come. */
export function sealFiles(
  ctx: Pick<Context, 'keys' | 'random'>,
  messageId: string,
  files: readonly SealedAttachment[],
): Uint8Array | null {
  return files.length === 0 ? null : sealJson(ctx, purpose(messageId), files);
}

/** @throws Problem internal STORE_DAMAGED */
export function openFiles(
  ctx: Pick<Context, 'keys'>,
  { id, files }: Pick<ConversationMessageRow, 'id' | 'files'>,
): readonly SealedAttachment[] {
  return files === null ? [] : (openJson(ctx, purpose(id), files) as SealedAttachment[]);
}
