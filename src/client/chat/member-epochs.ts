import type { ChatEpoch } from '../../contract/chat/epochs.ts';
import type { SentEpoch } from '../../contract/chat/client-mode.ts';
import { fromHex, systemRandom, toHex, type Random } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { eciesEncrypter } from '../../crypto/ecies.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { digestOfMembers, ROOM_KEY_LENGTH, wrapContext, type Room } from '../../crypto/room-keys.ts';
import { epochStatement, keyIdOf } from '../../crypto/room-signatures.ts';
import { recoverMemberKey, sign } from '../../crypto/signature.ts';
import { doubt, type Called } from './doubts.ts';

/** A key of a conversation whose author and members are proven by a signature. */
export interface KnownEpoch {
  readonly epoch: number;
  readonly keyId: string;
  readonly memberIds: readonly string[];
}

/** What an answer of the node says of an epoch. */
export type EpochFacts = Pick<
  ChatEpoch,
  'epoch' | 'keyId' | 'previousKeyId' | 'authorId' | 'memberIds' | 'membersDigest' | 'signature'
>;

/** Somebody who gets a key. */
export interface Holder {
  readonly memberId: string;
  /** 33 bytes, proven to be theirs */
  readonly publicKey: Uint8Array;
}

/**
 * Checks epochs that follow each other: each is signed by its author, is for exactly its members, continues the one before, and was made by
 * somebody who had that one.
 *
 * @param before the last one that is known; undefined: the first of these is believed to be what its author says
 * @throws Problem network EPOCH_MEMBERS_FOREIGN, EPOCH_SIGNATURE_FOREIGN, EPOCH_ORDER_FOREIGN, EPOCH_AUTHOR_FOREIGN
 */
export function checkEpochs(
  room: Room,
  epochs: readonly EpochFacts[],
  before: KnownEpoch | undefined,
  called: Called,
): KnownEpoch[] {
  let last = before;
  return epochs.map((facts) => {
    last = checkEpoch(room, facts, last, called);
    return last;
  });
}

function checkEpoch(room: Room, facts: EpochFacts, before: KnownEpoch | undefined, called: Called): KnownEpoch {
  const { epoch, keyId, previousKeyId, authorId, membersDigest } = facts;
  const author = called(authorId);
  const memberIds = facts.memberIds.toSorted();
  if (new Set(memberIds).size !== memberIds.length || digest(memberIds) !== membersDigest)
    throw doubt('EPOCH_MEMBERS_FOREIGN', `The list of who has key ${epoch} is not the one that ${author} signed.`);
  if (!isSigned(room, facts)) {
    const message = `The signature of key ${epoch} is not one of ${author}, who is said to have made it.`;
    throw doubt('EPOCH_SIGNATURE_FOREIGN', message);
  }
  const follows =
    before === undefined
      ? (epoch === 1) === (previousKeyId === null)
      : epoch === before.epoch + 1 && previousKeyId === before.keyId;
  if (!follows) throw doubt('EPOCH_ORDER_FOREIGN', `Key ${epoch}, of ${author}, does not continue the key before it.`);
  if (before !== undefined && !before.memberIds.includes(authorId)) {
    const message = `${author} made key ${epoch} without having had key ${before.epoch}: somebody let them in who is no member.`;
    throw doubt('EPOCH_AUTHOR_FOREIGN', message);
  }
  if (!memberIds.includes(authorId))
    throw doubt('EPOCH_AUTHOR_FOREIGN', `${author} made key ${epoch} for others, and not for themselves.`);
  return { epoch, keyId, memberIds };
}

function digest(memberIds: readonly string[]): string | undefined {
  try {
    return digestOfMembers(memberIds);
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

function isSigned(
  room: Room,
  { epoch, keyId, previousKeyId, authorId, membersDigest, signature }: EpochFacts,
): boolean {
  try {
    const statement = epochStatement({ room, epoch, keyId, previousKeyId: previousKeyId ?? undefined, membersDigest });
    return recoverMemberKey(fromHex(signature), statement, authorId) !== undefined;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

/** A key that was made here, with what the node gets of it. */
export interface MadeEpoch {
  readonly sent: SentEpoch;
  /** 32 bytes */
  readonly key: Uint8Array;
  readonly known: KnownEpoch;
}

/**
 * Makes the next key of a conversation.
 *
 * @param before the newest one; undefined for a new conversation
 * @param holders who gets it, with the one who makes it
 */
export function makeEpoch(
  own: KeyPair,
  room: Room,
  before: Pick<KnownEpoch, 'epoch' | 'keyId'> | undefined,
  holders: readonly Holder[],
  random: Random = systemRandom,
): MadeEpoch {
  const memberIds = holders.map(({ memberId }) => memberId).toSorted();
  if (!memberIds.includes(memberIdOf(own.publicKey)))
    throw new CryptoError('who makes a key must be among its holders');
  const key = random(ROOM_KEY_LENGTH);
  const [epoch, keyId, membersDigest] = [(before?.epoch ?? 0) + 1, keyIdOf(key), digestOfMembers(memberIds)];
  const statement = epochStatement({ room, epoch, keyId, previousKeyId: before?.keyId, membersDigest });
  const encrypt = eciesEncrypter(random);
  const wraps = holders.map(({ memberId, publicKey }) => ({
    memberId,
    wrapped: toHex(encrypt(publicKey, key, wrapContext({ room, keyId }, memberId))),
  }));
  const signature = toHex(sign(own.privateKey, statement));
  return { sent: { epoch, keyId, membersDigest, signature, wraps }, key, known: { epoch, keyId, memberIds } };
}
