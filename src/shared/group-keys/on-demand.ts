import { transaction, type Context } from '../../service/context.ts';
import type { RotationReason } from '../../contract/room-keys/fields.ts';
import { toHex } from '../../crypto/bytes.ts';
import { digestOfMembers, nodeContext, ROOM_KEY_LENGTH, type Room } from '../../crypto/room-keys.ts';
import { sealWithKey } from '../../crypto/sealing.ts';
import { publicKeysOf } from '../members/public-keys.ts';
import type { RoomKeyEpochRow } from '../../platform/store/tables/room-keys.ts';
import { insertRows, onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { heldEpoch, heldHead, openForNode } from './keys.ts';
import { KEY_ID_BYTES } from './prepare.ts';
import { epochOf, storeEpoch, type Rotation } from './rotate.ts';
import { wrapRoomKeysTask } from './wrap-task.ts';

/**
 * Keys that are not encrypted to all members at once: of rooms that are too large for that, and of all rooms after the store was restored. A new key
 * is one row, for the node. The node encrypts it to a member when they first ask for it.
 */

/** Who shares such a key does not stand in it: that is what the rows of members say. */
const nobody = digestOfMembers([]);

/** Makes the next key of a room, in the transaction that changes its members. @throws Problem conflict EPOCH_CHANGED */
export async function rotateOnDemand(
  tx: Context,
  room: Room,
  { historyVisible, reason }: { readonly historyVisible: boolean; readonly reason: RotationReason },
): Promise<Rotation> {
  const epoch = (await epochOf(tx, room)) + 1;
  const keyId = toHex(tx.random(KEY_ID_BYTES));
  const facts = { room, epoch, keyId, membersDigest: nobody, isOpen: historyVisible };
  const key = tx.random(ROOM_KEY_LENGTH);
  try {
    await storeEpoch(tx, { ...facts, forNode: sealWithKey(tx.keys.wrap, key, nodeContext(facts), tx.random) }, reason);
  } finally {
    key.fill(0);
  }
  return { epoch, reason };
}

const newest = writtenQuery<{ is_open: number; created_at: number }>(
  'select is_open, created_at from room_key_epochs where kind = $1 and room_id = $2 order by epoch desc limit 1',
);

/**
 * The epoch under whose key the node seals what the transaction stores. It stays the current one until the transaction ends. If the newest one is
 * closed, which it is after the store was restored, or too old, a new one is made first; members get its key when they ask.
 * @param mostAge in milliseconds; undefined: it may have any age
 * @param rotated tells the members of the new key
 * @throws Problem missing NOT_FOUND
 */
export async function sealingEpoch(
  tx: Context,
  room: Room,
  rotated: (rotation: Rotation) => Promise<void>,
  mostAge?: number,
): Promise<number> {
  const { epoch, closed } = await heldHead(tx, room);
  if (closed === 0 && mostAge === undefined) return epoch;
  const { is_open: isOpen, created_at: at } = onlyRow((await tx.db.executeQuery(newest(room.kind, room.id))).rows);
  if (closed === 0 && at + (mostAge ?? Infinity) > tx.clock.now()) return epoch;
  const reason = closed === 1 ? 'restored' : 'daily';
  const rotation = await rotateOnDemand(tx, room, { historyVisible: isOpen === 1, reason });
  await rotated(rotation);
  return rotation.epoch;
}

const firstOpen = writtenQuery<{ epoch: number }>(`
  select coalesce(max(epoch), 0) + 1 as epoch from room_key_epochs where kind = $1 and room_id = $2 and is_open = 0`);

/**
 * Gives members the keys of a room from one on: with visible history all of the time since it has been visible, and otherwise the newest one,
 * which must be new.
 */
export async function admit(
  tx: Context,
  room: Room,
  memberIds: readonly string[],
  { historyVisible }: { readonly historyVisible: boolean },
): Promise<void> {
  const { kind, id } = room;
  const since = historyVisible
    ? onlyRow((await tx.db.executeQuery(firstOpen(kind, id))).rows).epoch
    : await epochOf(tx, room);
  const rows = memberIds.map((memberId) => ({ kind, room_id: id, member_id: memberId, since }));
  await insertRows(tx.db, 'room_key_members', rows);
}

const forget = writtenList(
  2,
  (ids) => `delete from room_key_members where kind = $1 and room_id = $2 and member_id in ${ids}`,
);

/** Ends the right of members to keys of a room. What was encrypted to them before is not shown to them if they come back. */
export async function dismiss(tx: Context, { kind, id }: Room, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length > 0) await tx.db.executeQuery(forget(memberIds, kind, id));
}

const missing = writtenQuery<RoomKeyEpochRow>(`
  select e.* from room_key_members m
  join room_key_epochs e on e.kind = m.kind and e.room_id = m.room_id and e.epoch >= m.since
  where m.kind = $1 and m.room_id = $2 and m.member_id = $3 and e.epoch > $4 and not exists (
    select 1 from room_key_wraps w
    where w.kind = e.kind and w.room_id = e.room_id and w.epoch = e.epoch and w.member_id = m.member_id)
  order by e.epoch limit $5`);

/**
 * Encrypts keys of a room to a member, those after an epoch that they have not asked for before. It is not for use in a transaction. The
 * caller has checked that the member is in the room; who is not any more is given nothing.
 * @throws Problem internal STORE_DAMAGED; missing NOT_FOUND if the keys of the room were destroyed
 */
export async function wrapMissing(
  ctx: Context,
  memberId: string,
  room: Room,
  { sinceEpoch, limit }: { readonly sinceEpoch: number; readonly limit: number },
): Promise<void> {
  const { kind, id } = room;
  const { rows } = await ctx.db.executeQuery(missing(kind, id, memberId, sinceEpoch, limit));
  const [holder] = rows.length === 0 ? [] : await publicKeysOf(ctx, [memberId]);
  if (holder === undefined) return;
  const keys: { readonly room: Room; readonly keyId: string; readonly key: Uint8Array }[] = [];
  try {
    for (const row of rows) keys.push({ room, keyId: row.key_id, key: openForNode(ctx, row) });
    const wraps = keys.map((_, of) => ({ of, ...holder }));
    const wrapped = await ctx.offload.run(wrapRoomKeysTask, { keys, wraps });
    const made = rows.map(({ epoch }, at) => ({
      kind,
      room_id: id,
      epoch,
      member_id: memberId,
      wrapped: wrapped[at] as Uint8Array,
    }));
    await transaction(ctx, async (tx) => {
      // The room is there until these are stored, so nothing of a deleted one stays behind.
      await heldEpoch(tx, room);
      await insertRows(tx.db, 'room_key_wraps', made, 'on conflict do nothing');
    });
  } finally {
    for (const { key } of keys) key.fill(0);
  }
}
