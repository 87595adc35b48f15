import type { Context } from '../../service/context.ts';
import { fromUtf8, utf8 } from '../../crypto/bytes.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { heldEpoch, openRoomKeys, type RoomKeys } from '../group-keys/keys.ts';
import type { SearchSpace } from '../../platform/store/search/document.ts';
import { roomOf } from './conversation.ts';
import { spaceFor, type Searched } from './indexing.ts';

/** What is sealed of a message, as JSON. */
export interface Said {
  readonly content: string;
}

type Place = Pick<ConversationMessageRow, 'id' | 'sender_id'>;

export interface SealedText {
  readonly epoch: number;
  readonly revision: number;
  readonly sealed: Uint8Array;
}

/**
 * Seals a text under the key that the conversation has now. It keeps this key until the transaction ends: a change of its members waits, or
 * was before and the text is under the new key.
 * @returns also where its words are put
 */
export async function sealUnderCurrent(
  tx: Context,
  conversation: Searched,
  { id: messageId, sender_id: senderId }: Place,
  revision: number,
  said: Said,
): Promise<{ readonly text: SealedText; readonly space: SearchSpace }> {
  const room = roomOf(conversation.id);
  const epoch = await heldEpoch(tx, room);
  using keys = await openRoomKeys(tx, room, [epoch, conversation.search_epoch ?? epoch]);
  const sealed = keys.seal({ epoch, senderId, messageId, revision }, utf8(JSON.stringify(said)));
  return { text: { epoch, revision, sealed }, space: await spaceFor(tx, conversation, keys, epoch) };
}

/** @returns null if it is deleted, or the key is. @throws Problem internal STORE_DAMAGED */
export function contentOf(
  keys: RoomKeys,
  { id: messageId, sender_id: senderId }: Place,
  { epoch, revision, sealed }: Omit<SealedText, 'sealed'> & { readonly sealed: Uint8Array | null },
): string | null {
  if (sealed === null || !keys.has(epoch)) return null;
  return (JSON.parse(fromUtf8(keys.open({ epoch, senderId, messageId, revision }, sealed))) as Said).content;
}
