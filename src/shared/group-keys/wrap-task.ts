import type { RoomKeyName } from '../../crypto/room-keys.ts';
import { task } from '../../service/ports/task.ts';

export interface WrapRoomKeysJob {
  /** 32 bytes each; the copies in the thread are overwritten */
  readonly keys: readonly (RoomKeyName & { readonly key: Uint8Array })[];
  /** a member's wraps one after another; `of` is the position of the key */
  readonly wraps: readonly { readonly of: number; readonly memberId: string; readonly publicKey: Uint8Array }[];
}

/** Encrypts keys of rooms to members, which takes almost a millisecond a member. */
export const wrapRoomKeysTask = task<WrapRoomKeysJob, Uint8Array[]>({
  name: 'wrap-room-keys',
  memory: 64,
  atOnce: 2,
  queued: 256,
});
