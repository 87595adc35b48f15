import type { ChatEpoch } from '../../contract/chat/epochs.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { digestOfMembers, openRoomKey, type Room } from '../../crypto/room-keys.ts';
import { keyIdOf } from '../../crypto/room-signatures.ts';
import type { Caller } from '../perform.ts';
import { readEpochs, readKeys, type Place } from './conversation-reads.ts';
import { doubt, type Called } from './doubts.ts';
import type { KnownConversation } from './known-conversations.ts';
import { checkEpochs, type KnownEpoch } from './member-epochs.ts';

/** The member at this machine. */
export interface Self {
  readonly memberId: string;
  readonly keys: KeyPair;
  readonly name?: string | undefined;
}

export interface Asking {
  readonly caller: Caller;
  readonly place: Place;
  readonly room: Room;
  readonly self: Self;
  readonly called: Called;
  readonly known: KnownConversation | undefined;
}

/** Epochs that are proven, from one on up to the newest one, and the keys that the member at this machine has of them. */
export interface EpochChain {
  /** number of the newest epoch, whether it can be seen here or not */
  readonly newest: number;
  readonly closed: boolean;
  /** the first epoch that this member has a key of; null: none */
  readonly oldest: number | null;
  /** as the node says; the caller compares it */
  readonly mode: 'server' | 'client';
  readonly epochs: ReadonlyMap<number, KnownEpoch>;
  readonly keys: ReadonlyMap<number, Uint8Array>;
  /** why there is no key of an epoch that is for this member, too */
  readonly unopened: ReadonlyMap<number, string>;
}

/**
 * Reads the epochs from the last one that this machine knows on, and proves them.
 *
 * @throws Problem network EPOCH_REPLAYED, EPOCH_REPLACED, EPOCH_GAP, and those of `checkEpochs`
 */
export async function readChain(asking: Asking): Promise<EpochChain> {
  const { caller, place, room, called, known } = asking;
  const anchor = lastOf(known);
  const from = anchor?.epoch ?? 1;
  const { newest, closed, epochs } = await readEpochs(caller, place, from);
  const isAgain = assertContinues(asking, anchor, newest, epochs);
  const fresh = checkEpochs(room, isAgain ? epochs.slice(1) : epochs, isAgain ? anchor : undefined, called);
  const proven = isAgain && anchor !== undefined ? [anchor, ...fresh] : fresh;
  const { mode, oldestEpoch, keys: wraps } = await readKeys(caller, place, from);
  return {
    newest,
    closed,
    oldest: oldestEpoch,
    mode,
    epochs: byNumber(proven),
    ...keysOf(asking, epochs, proven, { wraps, newest, oldest: oldestEpoch }),
  };
}

/** Reads earlier epochs, which this machine has proven before. @throws Problem network EPOCH_REPLACED */
export async function readEarlier(
  asking: Asking,
  from: number,
  before: number,
): Promise<Pick<EpochChain, 'epochs' | 'keys' | 'unopened'>> {
  const { caller, place, called } = asking;
  const epochs = (await readEpochs(caller, place, from)).epochs.filter(({ epoch }) => epoch < before);
  const proven = epochs.map((one) => {
    if (!isKnown(asking.known, one)) throw replaced(one, called, place);
    return { epoch: one.epoch, keyId: one.keyId, memberIds: one.memberIds };
  });
  const { keys: wraps, oldestEpoch, epoch: newest } = await readKeys(caller, place, from);
  return { epochs: byNumber(proven), ...keysOf(asking, epochs, proven, { wraps, newest, oldest: oldestEpoch }) };
}

function lastOf(known: KnownConversation | undefined): KnownEpoch | undefined {
  const last = known?.epochs.at(-1);
  return last === undefined || known === undefined
    ? undefined
    : { epoch: last[0], keyId: last[1], memberIds: known.memberIds };
}

/** @returns whether the first one is the last that is known */
function assertContinues(
  { place, called, known }: Asking,
  anchor: KnownEpoch | undefined,
  newest: number,
  epochs: readonly ChatEpoch[],
): boolean {
  const [first] = epochs;
  const last = epochs.at(-1);
  if (last !== undefined && last.epoch !== newest)
    throw doubt('EPOCH_ORDER_FOREIGN', `The node speaks of key ${newest}, and does not show it.`);
  if (anchor === undefined) return false;
  if (newest < anchor.epoch) {
    const message = `The node shows an earlier state: key ${newest} is the newest one, and this machine has seen key ${anchor.epoch}. ${restored(place)}`;
    throw doubt('EPOCH_REPLAYED', message);
  }
  // Who left and came back waits for a key.
  if (first === undefined) return false;
  if (first.epoch === anchor.epoch) {
    if (isKnown(known, first)) return true;
    throw replaced(first, called, place);
  }
  const message = `You were not in this conversation from key ${anchor.epoch} to key ${first.epoch}, or the node hides what happened. ${toAccept(place)}`;
  throw doubt('EPOCH_GAP', message);
}

/** Whether this machine has proven an epoch before, as it is shown now. */
function isKnown(known: KnownConversation | undefined, { epoch, keyId, memberIds, membersDigest }: ChatEpoch): boolean {
  const before = known?.epochs.find(([number]) => number === epoch);
  return before?.[1] === keyId && before[2] === membersDigest && digestOfMembers(memberIds) === membersDigest;
}

function replaced({ epoch, authorId }: ChatEpoch, called: Called, place: Place) {
  const message = `Key ${epoch}, of ${called(authorId)}, is not the one that this machine has seen under this number. ${restored(place)}`;
  return doubt('EPOCH_REPLACED', message);
}

function restored(place: Place): string {
  return `A node that was restored from a backup shows that, too: ask whoever operates it. ${toAccept(place)}`;
}

function toAccept({ id }: Place): string {
  return `To see what is there now, run: conclave chat verify ${id}. Compare the safety number with the others, and then accept it with: conclave chat verify ${id} --accept`;
}

/** What the node gives of keys, and says of them. */
interface Given {
  readonly wraps: readonly { readonly epoch: number; readonly keyId: string; readonly wrapped: string }[];
  readonly newest: number;
  /** the first one that it has for this member */
  readonly oldest: number | null;
}

/**
 * Opens the wraps. Each must be of the key that the author of its epoch signed. A member who made one can wrap rubbish for another, which the
 * node cannot see: that epoch is closed to them then, and not those behind it.
 */
function keysOf(
  { self, room, called }: Asking,
  facts: readonly ChatEpoch[],
  proven: readonly KnownEpoch[],
  { wraps, newest, oldest }: Given,
): Pick<EpochChain, 'keys' | 'unopened'> {
  const authors = new Map(facts.map(({ epoch, authorId }) => [epoch, called(authorId)]));
  const own = proven.filter(({ memberIds }) => memberIds.includes(self.memberId));
  const keys = new Map<number, Uint8Array>();
  const unopened = new Map<number, string>();
  for (const { epoch, keyId } of own) {
    const wrap = wraps.find((one) => one.epoch === epoch);
    const key = wrap?.keyId === keyId ? opened(self, room, keyId, wrap.wrapped) : undefined;
    if (key !== undefined) keys.set(epoch, key);
    // Keys are destroyed with the last message under them. The newest one never is.
    else if (wrap !== undefined || epoch === newest || epoch > (oldest ?? newest))
      unopened.set(
        epoch,
        `The key ${epoch} that the node gave you is not the one that ${authors.get(epoch) ?? 'its author'} signed: they encrypted something else to you, or the node changed it.`,
      );
  }
  return { keys, unopened };
}

function opened({ memberId, keys }: Self, room: Room, keyId: string, wrapped: string): Uint8Array | undefined {
  try {
    const key = openRoomKey(keys.privateKey, fromHex(wrapped), { room, keyId }, memberId);
    return keyIdOf(key) === keyId ? key : undefined;
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

function byNumber(epochs: readonly KnownEpoch[]): Map<number, KnownEpoch> {
  return new Map(epochs.map((one) => [one.epoch, one]));
}

/** What this machine remembers after it has proven epochs. */
export function withEpochs(
  known: KnownConversation | undefined,
  conversationId: string,
  epochs: ReadonlyMap<number, KnownEpoch>,
): KnownConversation {
  const before = known ?? { conversationId, epochs: [], memberIds: [], files: [] };
  const last = before.epochs.at(-1)?.[0] ?? 0;
  const fresh = [...epochs.values()].filter(({ epoch }) => epoch > last);
  const newest = fresh.at(-1);
  if (newest === undefined) return before;
  const added = fresh.map(({ epoch, keyId, memberIds }): KnownConversation['epochs'][number] => [
    epoch,
    keyId,
    digestOfMembers(memberIds),
  ]);
  return { ...before, epochs: [...before.epochs, ...added], memberIds: [...newest.memberIds] };
}
