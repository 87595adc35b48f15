import { Problem } from '../../base/problem.ts';
import { systemRandom, toHex } from '../../crypto/bytes.ts';
import type { Room } from '../../crypto/room-keys.ts';
import { safetyNumber } from '../../crypto/room-signatures.ts';
import type { Caller } from '../perform.ts';
import { readMemberKey } from './conversation-reads.ts';
import type { Self } from './epoch-chain.ts';
import { makeEpoch, type Holder, type MadeEpoch } from './member-epochs.ts';
import { roomOfConversation, type OpenConversation } from './open-conversation.ts';

/** Who gets the next key, compared with those who have the newest one. */
interface Change {
  /** ids of members */
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * Makes the next key: for those who have the newest one by signature and are still there, and for nobody else but those who are named.
 *
 * @throws Problem conflict KEY_MISSING if the member at this machine has no key; network MEMBER_KEY_FOREIGN; missing MEMBER_NOT_FOUND
 */
export async function nextEpoch(open: OpenConversation, { add = [], remove = [] }: Change = {}): Promise<MadeEpoch> {
  const { self, room, current, holders } = open;
  if (current === undefined) throw withoutKey(open.place.title);
  const ids = new Set([...holders, self.memberId, ...add].filter((id) => !remove.includes(id)));
  const keys = await Promise.all([...ids].map(async (memberId) => await holderOf(open, memberId)));
  return makeEpoch(self.keys, room, current, keys);
}

/** A member with the public key that is proven to be theirs. */
async function holderOf(
  { caller, self, members }: Pick<OpenConversation, 'caller' | 'self' | 'members'>,
  memberId: string,
): Promise<Holder> {
  if (memberId === self.memberId) return { memberId, publicKey: self.keys.publicKey };
  const listed = members.find((one) => one.memberId === memberId)?.publicKey;
  return { memberId, publicKey: listed ?? (await readMemberKey(caller, memberId)) };
}

export function withoutKey(title: string): Problem {
  const message = `You have no key of ${title}. Somebody who may add members gives it to you with: conclave chat admit`;
  return new Problem('conflict', 'KEY_MISSING', message);
}

/** A new conversation: its id, and its first key for exactly these members and the one at this machine. */
export async function firstEpoch(
  caller: Caller,
  self: Self,
  memberIds: readonly string[],
): Promise<{ readonly conversationId: string; readonly room: Room; readonly epoch: MadeEpoch }> {
  const conversationId = drawId(Date.now());
  const ids = [...new Set([self.memberId, ...memberIds])];
  const holders = await Promise.all(ids.map(async (id) => await holderOf({ caller, self, members: [] }, id)));
  const room = roomOfConversation(conversationId);
  return { conversationId, room, epoch: makeEpoch(self.keys, room, undefined, holders) };
}

const TIME_DIGITS = 12;
const RANDOM_BYTES = 10;

/** In the form of the ids of the node, which sort by age. */
function drawId(nowMs: number): string {
  return nowMs.toString(16).padStart(TIME_DIGITS, '0') + toHex(systemRandom(RANDOM_BYTES));
}

/** What members compare by another way: from the public keys of those who have the newest key and are still there. */
export async function safetyNumberFor(open: OpenConversation): Promise<string> {
  const holders = await Promise.all(open.holders.map(async (memberId) => await holderOf(open, memberId)));
  return safetyNumberOf(
    open.place.id,
    holders.map(({ publicKey }) => publicKey),
  );
}

/** The same from public keys, of 33 bytes each. */
export function safetyNumberOf(conversationId: string, publicKeys: readonly Uint8Array[]): string {
  return safetyNumber(roomOfConversation(conversationId), publicKeys);
}
