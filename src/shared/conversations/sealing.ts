import type { Context } from '../../service/context.ts';
import { utf8 } from '../../crypto/bytes.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { SearchSpace } from '../../platform/store/search/document.ts';
import { openRoomKeys, type RoomKeys } from '../group-keys/keys.ts';
import { sealingEpoch } from '../group-keys/on-demand.ts';
import type { Rotation } from '../group-keys/rotate.ts';
import { roomOf } from './conversation.ts';
import { tellRotation } from './inbox.ts';
import { spaceFor, type Searched } from './indexing.ts';
import { mostKeyAge } from './retention.ts';
import { saidIn, type Place, type Said, type SealedText } from './sealed.ts';

type Sealed = Searched & Pick<ConversationRow, 'type' | 'retention_ms'>;

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
  const rotated = async (rotation: Rotation): Promise<void> => await tellRotation(tx, conversation, rotation);
  const epoch = await sealingEpoch(tx, room, rotated, mostKeyAge(tx, conversation));
  using keys = await openRoomKeys(tx, room, [epoch, conversation.search_epoch ?? epoch, ...epochs]);
  const said = saying(keys);
  const sealed = keys.seal({ epoch, senderId, messageId, revision }, utf8(JSON.stringify(said)));
  return { text: { epoch, revision, sealed }, said, space: await spaceFor(tx, conversation, keys, epoch) };
}
