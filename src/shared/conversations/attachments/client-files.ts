import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { ConversationMessageRow } from '../../../platform/store/tables/conversations.ts';
import { keysDamaged } from '../../group-keys/problems.ts';
import type { SealedAttachment } from './attachment.ts';

const purpose = (messageId: string) => utf8(`conclave/chat/message-files/v1\0${messageId}`);

/** What the node has of the files of a message that it cannot read. Their contents are encrypted by the client before they come. */
export function sealFiles(
  { keys, random }: Pick<Context, 'keys' | 'random'>,
  messageId: string,
  files: readonly SealedAttachment[],
): Uint8Array | null {
  return files.length === 0 ? null : sealWithKey(keys.wrap, utf8(JSON.stringify(files)), purpose(messageId), random);
}

/** @throws Problem internal STORE_DAMAGED */
export function openFiles(
  { keys }: Pick<Context, 'keys'>,
  { id, files }: Pick<ConversationMessageRow, 'id' | 'files'>,
): readonly SealedAttachment[] {
  if (files === null) return [];
  try {
    return JSON.parse(fromUtf8(openWithKey(keys.wrap, files, purpose(id)))) as SealedAttachment[];
  } catch (error) {
    throw error instanceof CryptoError ? keysDamaged(error) : error;
  }
}
