import { fromHex } from '../crypto/bytes.ts';
import { openRoomKey, type Room } from '../crypto/room-keys.ts';

interface OwnKey {
  readonly epoch: number;
  readonly keyId: string;
  readonly wrapped: string;
}

/**
 * Opens keys of a room that the node answered, without the node.
 *
 * @param privateKey of the member, 32 bytes
 * @returns the keys by epoch, 32 bytes each; the caller overwrites them
 * @throws CryptoError when one of them was not made for this member and this room
 */
export function openOwnKeys(
  privateKey: Uint8Array,
  memberId: string,
  room: Room,
  keys: readonly OwnKey[],
): Map<number, Uint8Array> {
  return new Map(
    keys.map(({ epoch, keyId, wrapped }) => [
      epoch,
      openRoomKey(privateKey, fromHex(wrapped), { room, keyId }, memberId),
    ]),
  );
}
