import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import type { ConversationRow } from '../../../platform/store/tables/conversations.ts';
import { openRoomKeys, type RoomKeys } from '../../group-keys/keys.ts';
import { sealingEpoch } from '../../group-keys/on-demand.ts';
import { roomOf } from '../conversation.ts';
import { tellRotation } from '../inbox.ts';

/** What a member has written and not sent: a draft, or a message that is sent later. It is sealed as JSON. */
export interface Unsent {
  readonly content: string;
  readonly replyToMessageId?: string | undefined;
}

/** What it is sealed for, beside the conversation and the key. With another member or purpose it does not open. */
export interface UnsentPlace {
  readonly purpose: 'draft' | 'scheduled';
  /** ids of the member and, if they can have several, of this one */
  readonly of: readonly string[];
}

/** Seals it under the key that the conversation has now, as a message. The conversation is one that the node can read. */
export async function sealUnsent(
  tx: Context,
  conversation: Pick<ConversationRow, 'id' | 'type'>,
  place: UnsentPlace,
  said: Unsent,
): Promise<{ readonly epoch: number; readonly sealed: Uint8Array }> {
  const room = roomOf(conversation.id);
  const epoch = await sealingEpoch(tx, room, async (rotation) => await tellRotation(tx, conversation, rotation));
  using keys = await openRoomKeys(tx, room, [epoch]);
  return { epoch, sealed: keys.sealSecret({ epoch, ...place }, utf8(JSON.stringify(said))) };
}

/** @returns undefined if its key is gone, as those of a deleted conversation are. @throws Problem internal STORE_DAMAGED */
export function openUnsent(
  keys: RoomKeys,
  place: UnsentPlace,
  { epoch, sealed }: { readonly epoch: number; readonly sealed: Uint8Array },
): Unsent | undefined {
  if (!keys.has(epoch)) return undefined;
  const bytes = keys.openSecret({ epoch, ...place }, sealed);
  try {
    return JSON.parse(fromUtf8(bytes)) as Unsent;
  } finally {
    bytes.fill(0);
  }
}
