import { transaction, type Context } from '../../service/context.ts';
import type { RotationReason } from '../../contract/room-keys/fields.ts';
import { digestOfMembers, type EpochFacts, type Room } from '../../crypto/room-keys.ts';
import { Problem } from '../../base/problem.ts';
import { insertRows } from '../../platform/store/written-query.ts';
import { headIfAny } from './keys.ts';
import { prepareEpoch, type PreparedEpoch, type RoomMembers } from './prepare.ts';
import { epochChanged, noKeys } from './problems.ts';

/** What the members are told. */
export interface Rotation {
  readonly epoch: number;
  readonly reason: RotationReason;
}

/** The members of a room as they are in the transaction, after its change. */
export interface ChangedMembers extends RoomMembers {
  readonly reason: RotationReason;
}

/** Each try finds the keys of the last one, so it takes no longer than a few members take. */
const MOST_TRIES = 100;
const ROWS_TOGETHER = 500;

/**
 * Changes the members of a room together with its key. The key is made for the members that are foreseen. If others are changed at the same
 * time, everything begins again with the members that there are then.
 *
 * @param foresee checks the right to the change, and reads what the members will be
 * @param change makes the change in a transaction, and calls its second argument with the members that there are after it
 * @throws Problem conflict EPOCH_CHANGED when others keep changing the members; and what `foresee` and `change` throw
 */
export async function rotating<T>(
  ctx: Context,
  room: Room,
  foresee: (ctx: Context) => Promise<RoomMembers>,
  change: (tx: Context, rotateNow: (now: ChangedMembers) => Promise<Rotation>) => Promise<T>,
): Promise<T> {
  return await rotatingSeveral(
    ctx,
    async (before) => [{ room, ...(await foresee(before)) }],
    async (tx, rotateNow) => await change(tx, async (now) => await rotateNow(room, now)),
  );
}

/** A room whose members are about to change. */
export interface ForeseenRoom extends RoomMembers {
  readonly room: Room;
}

/**
 * The same for any number of rooms whose members change together, in one transaction. If it changes a room that was not foreseen,
 * everything begins again.
 */
export async function rotatingSeveral<T>(
  ctx: Context,
  foresee: (ctx: Context) => Promise<readonly ForeseenRoom[]>,
  change: (tx: Context, rotateNow: (room: Room, now: ChangedMembers) => Promise<Rotation>) => Promise<T>,
): Promise<T> {
  let earlier: ReadonlyMap<string, PreparedEpoch> = new Map();
  for (let tries = 1; ; tries += 1) {
    const prepared = new Map<string, PreparedEpoch>();
    for (const { room, ...members } of await foresee(ctx))
      prepared.set(nameOf(room), await prepareEpoch(ctx, room, members, earlier.get(nameOf(room))));
    const rotateIn = async (tx: Context, room: Room, now: ChangedMembers): Promise<Rotation> => {
      const ready = prepared.get(nameOf(room));
      if (ready === undefined) throw epochChanged(await epochOf(tx, room));
      return await rotate(tx, ready, now);
    };
    try {
      return await transaction(ctx, async (tx) => await change(tx, async (room, now) => await rotateIn(tx, room, now)));
    } catch (error) {
      const isRetried = error instanceof Problem && error.code === 'EPOCH_CHANGED' && tries < MOST_TRIES;
      if (!isRetried) throw error;
      earlier = prepared;
    }
  }
}

function nameOf({ kind, id }: Room): string {
  return `${kind}/${id}`;
}

/**
 * Makes a prepared key the newest one of its room, in the transaction that changes the members. To do so again with the same key changes
 * nothing.
 *
 * @throws Problem conflict EPOCH_CHANGED if the key was not prepared for these members, or not after the epoch that is current; missing
 *   NOT_FOUND if the keys of the room were destroyed
 */
export async function rotate(
  tx: Context,
  prepared: PreparedEpoch,
  { members, historyVisible, reason }: ChangedMembers,
): Promise<Rotation> {
  const { room, epoch, keyId } = prepared;
  const head = await headIfAny(tx, room);
  const current = head?.epoch ?? 0;
  if (head?.key_id === keyId) return { epoch: current, reason };
  if (current === 0 && epoch > 1) throw noKeys();
  const isForThese = prepared.membersDigest === digestOfMembers([...new Set(members)].toSorted());
  if (current !== epoch - 1 || !isForThese || prepared.isOpen !== historyVisible) throw epochChanged(current);
  await storeEpoch(tx, prepared, reason);
  await replaceMembers(tx, prepared);
  const wraps = [...prepared.wraps.values()].map(({ epoch: of, member_id, wrapped }) => ({
    kind: room.kind,
    room_id: room.id,
    epoch: of,
    member_id,
    wrapped,
  }));
  // Who was a member before may have wraps of that time.
  for (const some of inParts(wraps)) await insertRows(tx.db, 'room_key_wraps', some, 'on conflict do nothing');
  return { epoch, reason };
}

/** 0 before the first one */
export async function epochOf(ctx: Pick<Context, 'db'>, room: Room): Promise<number> {
  return (await headIfAny(ctx, room))?.epoch ?? 0;
}

/** A key that is sealed for the node, and what is known of it. */
export interface NewEpoch extends EpochFacts {
  /** empty if the node does not have the key */
  readonly forNode: Uint8Array;
  /** the member who made it */
  readonly signed?: {
    readonly authorId: string;
    readonly memberIds: readonly string[];
    readonly signature: Uint8Array;
  };
}

/** Makes a key the newest one of its room. @throws Problem conflict EPOCH_CHANGED if it does not follow on the newest one */
export async function storeEpoch(tx: Context, next: NewEpoch, reason: RotationReason): Promise<void> {
  const { room, epoch, keyId, membersDigest, isOpen, forNode, signed } = next;
  if (!(await takeHead(tx, next))) throw epochChanged(await epochOf(tx, room));
  const row = {
    kind: room.kind,
    room_id: room.id,
    epoch,
    key_id: keyId,
    reason,
    members_digest: membersDigest,
    is_open: isOpen ? 1 : 0,
    for_node: forNode,
    created_at: tx.clock.now(),
    author_id: signed?.authorId ?? null,
    member_ids: signed?.memberIds.join(',') ?? null,
    signature: signed?.signature ?? null,
  };
  await tx.db.insertInto('room_key_epochs').values(row).execute();
}

/** @returns whether the epoch before was still the current one */
async function takeHead({ db }: Context, { room: { kind, id }, epoch, keyId }: EpochFacts): Promise<boolean> {
  if (epoch === 1) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('room_key_heads')
      .values({ kind, room_id: id, epoch, key_id: keyId, closed: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable('room_key_heads')
    .set({ epoch, key_id: keyId, closed: 0 })
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('epoch', '=', epoch - 1)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** What members had before they left is not shown to them when they come back, unless the history is. */
export async function replaceMembers(
  { db }: Context,
  prepared: Pick<PreparedEpoch, 'room' | 'epoch' | 'departed' | 'newcomers' | 'wraps'>,
): Promise<void> {
  const { room, epoch, departed, newcomers, wraps } = prepared;
  for (const some of inParts(departed))
    await db
      .deleteFrom('room_key_members')
      .where('kind', '=', room.kind)
      .where('room_id', '=', room.id)
      .where('member_id', 'in', some)
      .execute();
  const first = new Map<string, number>();
  for (const { epoch: of, member_id } of wraps.values())
    first.set(member_id, Math.min(of, first.get(member_id) ?? epoch));
  const rows = newcomers.map((member_id) => ({
    kind: room.kind,
    room_id: room.id,
    member_id,
    since: first.get(member_id) ?? epoch,
  }));
  for (const some of inParts(rows)) await insertRows(db, 'room_key_members', some);
}

function inParts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / ROWS_TOGETHER) }, (_, index) =>
    all.slice(index * ROWS_TOGETHER, (index + 1) * ROWS_TOGETHER),
  );
}
