import { assertInteger, assertLength, concat, toHex, utf8 } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { sha256, sha512 } from './hash.ts';
import { ROOM_KEY_LENGTH, roomParts, type MessagePlace, type Room } from './room-keys.ts';

/**
 * What members of a room sign whose keys the node does not have: the keys, with who shares them, and the messages. These functions are pure;
 * nodes and clients use the same. Keys and messages themselves are sealed as in every room (`room-keys.ts`).
 */

const KEY_ID_LENGTH = 16;
const hex = /^(?:[0-9a-f]{2}){1,32}$/;

/**
 * The id of a key that a member made: the first 16 bytes of SHA-256 over a label and the key, hex. Who signs the id has signed the key, and
 * nobody can put another key in its place.
 * @param key 32 bytes
 */
export function keyIdOf(key: Uint8Array): string {
  assertLength('key', key, ROOM_KEY_LENGTH);
  return toHex(sha256(concat(utf8('conclave/member-room-key/v1\0'), key)).subarray(0, KEY_ID_LENGTH));
}

/** A key as its maker signs it. */
export interface SignedEpoch {
  readonly room: Room;
  readonly epoch: number;
  /** `keyIdOf` the key */
  readonly keyId: string;
  /** of the key of the epoch before; undefined for the first one */
  readonly previousKeyId: string | undefined;
  /** `digestOfMembers` of those who share the key */
  readonly membersDigest: string;
}

/** @throws CryptoError */
export function epochStatement({ room, epoch, keyId, previousKeyId, membersDigest }: SignedEpoch): Uint8Array {
  assertInteger('epoch', epoch, 1, Number.MAX_SAFE_INTEGER);
  const previous = previousKeyId === undefined ? '' : idOf(previousKeyId);
  return statement('conclave/room-epoch/v1', room, `${epoch}`, idOf(keyId), previous, idOf(membersDigest));
}

/**
 * What the sender of a message signs.
 * @param place its `messageId` is what the sender calls the message (`clientId`)
 * @param sealed as `sealMessage` gave it
 * @throws CryptoError
 */
export function messageStatement(room: Room, place: MessagePlace, sealed: Uint8Array): Uint8Array {
  const { epoch, senderId, messageId, revision = 0 } = place;
  assertInteger('epoch', epoch, 1, Number.MAX_SAFE_INTEGER);
  assertInteger('revision', revision, 0, Number.MAX_SAFE_INTEGER);
  const hash = toHex(sha256(sealed));
  return statement(
    'conclave/room-message-signature/v1',
    room,
    `${epoch}`,
    idOf(senderId),
    idOf(messageId),
    `${revision}`,
    hash,
  );
}

const GROUPS = 12;
const BYTES_OF_GROUP = 5;

/**
 * A number that members compare by another way, 12 groups of 5 digits: from SHA-512 over a label, the room and the public keys in order. It
 * changes whenever somebody comes or goes.
 * @param publicKeys compressed, 33 bytes each
 * @throws CryptoError
 */
export function safetyNumber(room: Room, publicKeys: readonly Uint8Array[]): string {
  const keys = publicKeys.map((key) => {
    assertLength('public key', key, 33);
    return toHex(key);
  });
  const hash = sha512(statement('conclave/safety-number/v1', room, ...keys.toSorted()));
  return Array.from({ length: GROUPS }, (_, at) => digitsOf(hash.subarray(at * BYTES_OF_GROUP))).join(' ');
}

/** 40 bits as 5 digits: the rest of a division by 10^5, as Signal has it. */
function digitsOf(bytes: Uint8Array): string {
  const number = bytes.subarray(0, BYTES_OF_GROUP).reduce((sum, byte) => sum * 256 + byte, 0);
  return `${number % 100_000}`.padStart(5, '0');
}

/** No part contains a zero byte, so different parts never give the same bytes. */
function statement(purpose: string, room: Room, ...parts: readonly string[]): Uint8Array {
  return utf8([purpose, ...roomParts(room), ...parts].join('\0'));
}

function idOf(text: string): string {
  if (!hex.test(text)) throw new CryptoError('ids must be lower-case hex');
  return text;
}
