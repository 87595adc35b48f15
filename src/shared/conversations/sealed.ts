import type { Context } from '../../service/context.ts';
import { fromUtf8, utf8 } from '../../crypto/bytes.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { openRoomKeys, type RoomKeys } from '../group-keys/keys.ts';
import { sealingEpoch } from '../group-keys/on-demand.ts';
import type { SearchSpace } from '../../platform/store/search/document.ts';
import type { SealedAttachment } from './attachments/attachment.ts';
import { roomOf } from './conversation.ts';
import { tell } from './events.ts';
import { spaceFor, type Searched } from './indexing.ts';

/** What is sealed of a message, as JSON. */
export interface Said {
  readonly content: string;
  /** missing if there are none */
  readonly attachments?: readonly SealedAttachment[];
}

type Place = Pick<ConversationMessageRow, 'id' | 'sender_id'>;
type Sealed = Searched & Pick<ConversationRow, 'type'>;

export interface SealedText {
  readonly epoch: number;
  readonly revision: number;
  readonly sealed: Uint8Array;
}

interface Sealing {
  readonly text: SealedText;
  readonly said: Said;
  /** where its words are put */
  readonly space: SearchSpace;
}

/**
 * Seals a text under the key that the conversation has now. It keeps this key until the transaction ends: a change of its members waits, or
 * was before and the text is under the new key.
 */
export async function sealUnderCurrent(tx: Context, conversation: Sealed, place: Place, said: Said): Promise<Sealing> {
  return await sealNow(tx, conversation, place, { revision: 0, epochs: [], said: () => said });
}

/** The same with a new text of a message. All else that it says stays. @param row as it is now */
export async function sealEdited(
  tx: Context,
  conversation: Sealed,
  row: Place & SealedText,
  content: string,
): Promise<Sealing> {
  return await sealNow(tx, conversation, row, {
    revision: row.revision + 1,
    epochs: [row.epoch],
    said: (keys) => ({ ...saidIn(keys, row, row), content }),
  });
}

interface Next {
  readonly revision: number;
  /** of other keys that `said` needs */
  readonly epochs: readonly number[];
  readonly said: (keys: RoomKeys) => Said;
}

async function sealNow(
  tx: Context,
  conversation: Sealed,
  { id: messageId, sender_id: senderId }: Place,
  { revision, epochs, said: saying }: Next,
): Promise<Sealing> {
  const room = roomOf(conversation.id);
  const epoch = await sealingEpoch(tx, room, async (rotation) => await tell(tx, conversation, 'keyRotated', rotation));
  using keys = await openRoomKeys(tx, room, [epoch, conversation.search_epoch ?? epoch, ...epochs]);
  const said = saying(keys);
  const sealed = keys.seal({ epoch, senderId, messageId, revision }, utf8(JSON.stringify(said)));
  return { text: { epoch, revision, sealed }, said, space: await spaceFor(tx, conversation, keys, epoch) };
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
