import { assertInteger, assertLength, utf8, type Random } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { eciesDecrypt } from './ecies.ts';
import { sha256HexOfText } from './hash.ts';
import { openWithKey, sealWithKey } from './sealing.ts';

/** 32 bytes */
export const ROOM_KEY_LENGTH = 32;

/** A group of members who share keys. */
export interface Room {
  /** what it is, such as `hub`: lower-case letters and hyphens */
  readonly kind: string;
  /** hex */
  readonly id: string;
}

/** One of the keys of a room. */
export interface RoomKeyName {
  readonly room: Room;
  /** 32 hex digits, drawn with the key */
  readonly keyId: string;
}

/** What a message is sealed for. With another value of any of these it doesn't open. */
export interface MessagePlace {
  /** of the key */
  readonly epoch: number;
  readonly senderId: string;
  readonly messageId: string;
  /** 0, and one more with each edit */
  readonly revision?: number | undefined;
}

const kind = /^[a-z][a-z-]{0,31}$/;
const hex = /^(?:[0-9a-f]{2}){1,32}$/;

/** The context of the wrap of a key for one member: `conclave/room-key/v1`, kind, room, key, member, with a zero byte before each of them. */
export function wrapContext({ room, keyId }: RoomKeyName, memberId: string): Uint8Array {
  return context('conclave/room-key/v1', room, idOf(keyId), idOf(memberId));
}

/**
 * Opens the wrap of a room's key.
 *
 * @param privateKey of the member, 32 bytes
 * @returns 32 bytes
 * @throws CryptoError when it is damaged, or made for another member, room or key
 */
export function openRoomKey(
  privateKey: Uint8Array,
  wrapped: Uint8Array,
  name: RoomKeyName,
  memberId: string,
): Uint8Array {
  const key = eciesDecrypt(privateKey, wrapped, wrapContext(name, memberId));
  if (key.length !== ROOM_KEY_LENGTH) throw new CryptoError('the key of a room must have 32 bytes');
  return key;
}

/** What the store says of an epoch, and the node's own wrap of its key vouches for. */
export interface EpochFacts extends RoomKeyName {
  readonly epoch: number;
  readonly membersDigest: string;
  readonly isOpen: boolean;
}

/** The additional data of the node's own wrap. */
export function nodeContext({ room, keyId, epoch, membersDigest, isOpen }: EpochFacts): Uint8Array {
  assertInteger('epoch', epoch, 1, Number.MAX_SAFE_INTEGER);
  const opened = isOpen ? 'open' : 'closed';
  return context('conclave/room-key-for-node/v1', room, idOf(keyId), `${epoch}`, idOf(membersDigest), opened);
}

/** SHA-256 over the ids of members in order, each followed by a line end; hex. */
export function digestOfMembers(sortedIds: readonly string[]): string {
  return sha256HexOfText(sortedIds.map((id) => `${idOf(id)}\n`).join(''));
}

/**
 * Seals a message of a room with AES-256-GCM, in the form of `sealWithKey`. Room, epoch, sender, message and revision are authenticated.
 *
 * @param key of the epoch, 32 bytes
 * @throws CryptoError
 */
export function sealMessage(
  key: Uint8Array,
  room: Room,
  place: MessagePlace,
  bytes: Uint8Array,
  random?: Random,
): Uint8Array {
  assertLength('key', key, ROOM_KEY_LENGTH);
  return sealWithKey(key, bytes, messageContext(room, place), random);
}

/** @throws CryptoError when it is damaged, or sealed under another key or for another place */
export function openMessage(key: Uint8Array, room: Room, place: MessagePlace, sealed: Uint8Array): Uint8Array {
  assertLength('key', key, ROOM_KEY_LENGTH);
  return openWithKey(key, sealed, messageContext(room, place));
}

/** A secret of the room itself, such as the key of its searches. */
export interface RoomSecret {
  /** of the key that it is sealed under */
  readonly epoch: number;
  /** what it is for: lower-case letters and hyphens */
  readonly purpose: string;
  /** ids of what it belongs to, such as a member, in their order; none for the room itself */
  readonly of?: readonly string[];
}

/** Seals a secret of a room under one of its keys, for this purpose alone. @throws CryptoError */
export function sealRoomSecret(
  key: Uint8Array,
  room: Room,
  secret: RoomSecret,
  bytes: Uint8Array,
  random?: Random,
): Uint8Array {
  assertLength('key', key, ROOM_KEY_LENGTH);
  return sealWithKey(key, bytes, secretContext(room, secret), random);
}

/** @throws CryptoError when it is damaged, or sealed under another key, for another room or for another purpose */
export function openRoomSecret(key: Uint8Array, room: Room, secret: RoomSecret, sealed: Uint8Array): Uint8Array {
  assertLength('key', key, ROOM_KEY_LENGTH);
  return openWithKey(key, sealed, secretContext(room, secret));
}

function secretContext(room: Room, { epoch, purpose, of = [] }: RoomSecret): Uint8Array {
  assertInteger('epoch', epoch, 1, Number.MAX_SAFE_INTEGER);
  if (!kind.test(purpose)) throw new CryptoError('the purpose of a secret must be lower-case letters and hyphens');
  return context('conclave/room-secret/v1', room, `${epoch}`, purpose, ...of.map(idOf));
}

function messageContext(room: Room, { epoch, senderId, messageId, revision = 0 }: MessagePlace): Uint8Array {
  assertInteger('epoch', epoch, 1, Number.MAX_SAFE_INTEGER);
  assertInteger('revision', revision, 0, Number.MAX_SAFE_INTEGER);
  return context('conclave/room-message/v1', room, `${epoch}`, idOf(senderId), idOf(messageId), `${revision}`);
}

/** No part contains a zero byte, so different parts never give the same bytes. */
function context(purpose: string, room: Room, ...parts: readonly string[]): Uint8Array {
  return utf8([purpose, ...roomParts(room), ...parts].join('\0'));
}

/** Kind and id of a room as they stand in what is authenticated or signed. @throws CryptoError */
export function roomParts(room: Room): [kind: string, id: string] {
  if (!kind.test(room.kind)) throw new CryptoError('the kind of a room must be lower-case letters and hyphens');
  return [room.kind, idOf(room.id)];
}

function idOf(text: string): string {
  if (!hex.test(text)) throw new CryptoError('ids must be lower-case hex');
  return text;
}
