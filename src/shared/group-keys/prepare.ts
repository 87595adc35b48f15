import type { Context } from '../../service/context.ts';
import { roomKeyLimits } from '../../contract/room-keys/limits.ts';
import { toHex } from '../../crypto/bytes.ts';
import {
  digestOfMembers,
  nodeContext,
  ROOM_KEY_LENGTH,
  type EpochFacts,
  type Room,
  type RoomKeyName,
} from '../../crypto/room-keys.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { publicKeysOf } from '../members/public-keys.ts';
import type { RoomKeyEpochRow, RoomKeyWrapRow } from '../../platform/store/tables/room-keys.ts';
import { openForNode } from './keys.ts';
import { wrapRoomKeysTask, type WrapRoomKeysJob } from './wrap-task.ts';

/** The members of a room after a change. */
export interface RoomMembers {
  /** ids, in any order */
  readonly members: readonly string[];
  /** whether the room shows its history to members who are added */
  readonly historyVisible: boolean;
}

/** A key that is ready to become the newest one of a room. It was made for certain members and after a certain epoch. */
export interface PreparedEpoch extends EpochFacts {
  readonly members: ReadonlySet<string>;
  /** the key, sealed for the node */
  readonly forNode: Uint8Array;
  /** those who had the key before and those who get it now */
  readonly departed: readonly string[];
  readonly newcomers: readonly string[];
  /** of this epoch, and of earlier ones for newcomers; by epoch and member */
  readonly wraps: ReadonlyMap<string, Wrap>;
}

type Wrap = Pick<RoomKeyWrapRow, 'epoch' | 'member_id' | 'wrapped'>;

/** A key that is encrypted, with its epoch. */
interface OpenKey extends RoomKeyName {
  readonly epoch: number;
  readonly key: Uint8Array;
}

export const KEY_ID_BYTES = 16;
/** What one statement names, and what a thread does for one room before it turns to the next. */
const TOGETHER = 250;

/**
 * Makes the next key of a room and encrypts it to the members in threads. It is not for use in a transaction.
 *
 * @param earlier what was prepared before the members changed once more; its key was not used, and what is encrypted of it stays good
 */
export async function prepareEpoch(
  ctx: Context,
  room: Room,
  { members: ids, historyVisible }: RoomMembers,
  earlier?: PreparedEpoch,
): Promise<PreparedEpoch> {
  if (ctx.db !== ctx.store.db) throw new Error('keys are not prepared in a transaction');
  const members = new Set(ids.toSorted());
  if (members.size > roomKeyLimits.members)
    throw new RangeError(`a room with keys has at most ${roomKeyLimits.members} members`);
  const before = await stateOf(ctx, room);
  const facts: EpochFacts = {
    room,
    epoch: before.epoch + 1,
    keyId: earlier?.keyId ?? toHex(ctx.random(KEY_ID_BYTES)),
    membersDigest: digestOfMembers([...members]),
    isOpen: historyVisible,
  };
  const newcomers = [...members].filter((id) => !before.members.has(id));
  const keys: OpenKey[] = [];
  try {
    const key = earlier === undefined ? ctx.random(ROOM_KEY_LENGTH) : keyOf(ctx, earlier);
    keys.push({ ...facts, key });
    if (historyVisible && newcomers.length > 0) await openOld(ctx, room, newcomers.length, keys);
    return {
      ...facts,
      members,
      newcomers,
      departed: [...before.members].filter((id) => !members.has(id)),
      forNode: sealWithKey(ctx.keys.wrap, key, nodeContext(facts), ctx.random),
      wraps: await wrapAll(ctx, keys, [...members], new Set(newcomers), earlier),
    };
  } finally {
    for (const { key } of keys) key.fill(0);
  }
}

/** The epoch is read first: if the members change meanwhile, the epoch does too, and what is prepared is not used. */
async function stateOf(
  { db }: Context,
  { kind, id }: Room,
): Promise<{ readonly epoch: number; readonly members: ReadonlySet<string> }> {
  const head = await db
    .selectFrom('room_key_heads')
    .select('epoch')
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .executeTakeFirst();
  const rows = await db
    .selectFrom('room_key_members')
    .select('member_id')
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .execute();
  return { epoch: head?.epoch ?? 0, members: new Set(rows.map(({ member_id }) => member_id)) };
}

function keyOf({ keys }: Context, earlier: PreparedEpoch): Uint8Array {
  return openWithKey(keys.wrap, earlier.forNode, nodeContext(earlier));
}

/** Adds the keys of the newest earlier epochs that members who are added may have. The caller overwrites them, also after a failure. */
async function openOld(ctx: Context, room: Room, newcomers: number, keys: OpenKey[]): Promise<void> {
  const most = Math.min(roomKeyLimits.history, Math.floor(roomKeyLimits.historyAtOnce / newcomers));
  const rows: RoomKeyEpochRow[] = await ctx.db
    .selectFrom('room_key_epochs')
    .selectAll()
    .where('kind', '=', room.kind)
    .where('room_id', '=', room.id)
    .where('is_open', '=', 1)
    .orderBy('epoch', 'desc')
    .limit(most)
    .execute();
  for (const row of rows) keys.push({ room, keyId: row.key_id, epoch: row.epoch, key: openForNode(ctx, row) });
}

/** @param keys the new one first, and earlier ones for newcomers */
async function wrapAll(
  ctx: Context,
  keys: readonly OpenKey[],
  members: readonly string[],
  newcomers: ReadonlySet<string>,
  earlier: PreparedEpoch | undefined,
): Promise<ReadonlyMap<string, Wrap>> {
  const wraps = new Map<string, Wrap>();
  const wanted: (WrapRoomKeysJob['wraps'][number] & Pick<Wrap, 'epoch'>)[] = [];
  for (let start = 0; start < members.length; start += TOGETHER) {
    for (const holder of await publicKeysOf(ctx, members.slice(start, start + TOGETHER)))
      for (const [of, { epoch, keyId }] of keys.entries()) {
        if (of > 0 && !newcomers.has(holder.memberId)) break;
        const name = nameOf(keyId, holder.memberId);
        const known = earlier?.wraps.get(name);
        if (known === undefined) wanted.push({ of, epoch, ...holder });
        // The same key may have another number by now.
        else wraps.set(name, { ...known, epoch });
      }
  }
  const plain = keys.map(({ room, keyId, key }) => ({ room, keyId, key }));
  for (let start = 0; start < wanted.length; start += TOGETHER) {
    const chunk = wanted.slice(start, start + TOGETHER);
    const job = { keys: plain, wraps: chunk.map(({ of, memberId, publicKey }) => ({ of, memberId, publicKey })) };
    for (const [at, wrapped] of (await ctx.offload.run(wrapRoomKeysTask, job)).entries()) {
      const { of, epoch, memberId } = chunk[at] as (typeof chunk)[number];
      wraps.set(nameOf((keys[of] as OpenKey).keyId, memberId), { epoch, member_id: memberId, wrapped });
    }
  }
  return wraps;
}

function nameOf(keyId: string, memberId: string): string {
  return `${keyId}/${memberId}`;
}
