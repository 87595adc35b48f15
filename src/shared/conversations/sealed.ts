import { fromUtf8 } from '../../crypto/bytes.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import type { RoomKeys } from '../group-keys/keys.ts';
import type { SealedAttachment } from './attachments/attachment.ts';

/** What is sealed of a message, as JSON. */
export interface Said {
  readonly content: string;
  /** missing if there are none */
  readonly attachments?: readonly SealedAttachment[];
  /** name of the webhook by which a program says it */
  readonly webhook?: string;
  /** name of the bot token with which a program says it */
  readonly via?: string;
}

export type Place = Pick<ConversationMessageRow, 'id' | 'sender_id'>;

export interface SealedText {
  readonly epoch: number;
  readonly revision: number;
  readonly sealed: Uint8Array;
}

type Stored = Omit<SealedText, 'sealed'> & { readonly sealed: Uint8Array | null };

/** @returns null if it is deleted, or the key is. @throws Problem internal STORE_DAMAGED */
export function saidIn(
  keys: RoomKeys,
  { id: messageId, sender_id: senderId }: Place,
  { epoch, revision, sealed }: Stored,
): Said | null {
  if (sealed === null || !keys.has(epoch)) return null;
  return JSON.parse(fromUtf8(keys.open({ epoch, senderId, messageId, revision }, sealed))) as Said;
}

/** The text alone, as `saidIn`. */
export function contentOf(keys: RoomKeys, place: Place, text: Stored): string | null {
  return saidIn(keys, place, text)?.content ?? null;
}
