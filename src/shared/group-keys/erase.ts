import { sql } from 'kysely';
import type { Context } from '../../service/context.ts';
import type { Room } from '../../crypto/room-keys.ts';
import type { Database, Db } from '../../platform/store/database.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import { eraseRoomKeysKind } from './erase-kind.ts';

/** About as many wraps as one transaction erases; those of one epoch go together. */
const STEP = 5_000;

/**
 * Destroys the keys of a room, in the transaction that deletes it. From then on neither the node nor the answers of its API open anything
 * of the room. Wraps for members beyond the first few thousand are erased by a job.
 */
export async function destroyRoomKeys(tx: Context, room: Room): Promise<void> {
  for (const table of ['room_key_heads', 'room_key_epochs', 'room_key_members'] as const)
    await tx.db.deleteFrom(table).where('kind', '=', room.kind).where('room_id', '=', room.id).execute();
  if (!(await eraseWraps(tx.db, room))) return;
  const now = tx.clock.now();
  const id = `${eraseRoomKeysKind}/${room.kind}/${room.id}`;
  await planJob(tx.db, { id, kind: eraseRoomKeysKind, payload: { kind: room.kind, id: room.id }, runAt: now, now });
}

export function eraseRoomKeysHandler(store: Pick<Database, 'transaction'>): JobHandler {
  return async (room, { signal }) => {
    while (!signal.aborted) if (!(await store.transaction((db) => eraseWraps(db, room as Room)))) return;
  };
}

/** Epochs that one look for the wraps of a member reads. */
const EPOCHS = 500;

/**
 * Erases what earlier memberships of somebody left: keys of rooms that they were members of. It walks over the epochs of all rooms of a kind.
 * @param after '' at the beginning, and then what the last call returned
 * @returns undefined at the end
 */
export async function eraseWrapsOf(
  { db }: Context,
  kind: Room['kind'],
  memberId: string,
  after: string,
): Promise<string | undefined> {
  const [room = '', epoch = '0'] = after.split('/');
  const number = wholeNumber(epoch) ?? 0;
  const epochs = await db
    .selectFrom('room_key_epochs')
    .select(['room_id', 'epoch'])
    .where('kind', '=', kind)
    .where((e) => e(e.refTuple('room_id', 'epoch'), '>', e.tuple(room, number)))
    .orderBy('room_id')
    .orderBy('epoch')
    .limit(EPOCHS)
    .execute();
  for (const { room_id: roomId, epoch: one } of epochs) await db.executeQuery(eraseWrap(kind, roomId, one, memberId));
  const last = epochs.at(-1);
  return last === undefined || epochs.length < EPOCHS ? undefined : `${last.room_id}/${last.epoch}`;
}

const eraseWrap = writtenQuery(`
  delete from room_key_wraps where kind = $1 and room_id = $2 and epoch = $3 and member_id = $4`);

const eraseWrapsInRoom = writtenQuery('delete from room_key_wraps where kind = $1 and room_id = $2 and member_id = $3');

/** The same for one room. */
export async function eraseWrapsIn({ db }: Context, { kind, id }: Room, memberId: string): Promise<void> {
  await db.executeQuery(eraseWrapsInRoom(kind, id, memberId));
}

const eraseOldEpochs = writtenQuery('delete from room_key_epochs where kind = $1 and room_id = $2 and epoch < $3');
const eraseOldWraps = writtenQuery('delete from room_key_wraps where kind = $1 and room_id = $2 and epoch < $3');

/** Destroys the keys of a room before an epoch. The caller knows that nothing is sealed under them any more. */
export async function eraseEpochsBelow({ db }: Pick<Context, 'db'>, { kind, id }: Room, epoch: number): Promise<void> {
  await db.executeQuery(eraseOldEpochs(kind, id, epoch));
}

/** Erases what of them is encrypted to members. */
export async function eraseWrapsBelow({ db }: Pick<Context, 'db'>, { kind, id }: Room, epoch: number): Promise<void> {
  await db.executeQuery(eraseOldWraps(kind, id, epoch));
}

/** @returns whether some may be left */
async function eraseWraps(db: Db, { kind, id }: Room): Promise<boolean> {
  const { rows } = await sql<{ first: number; last: number | null }>`
    select min(epoch) as first, (
      select epoch from room_key_wraps where kind = ${kind} and room_id = ${id} order by epoch limit 1 offset ${STEP}
    ) as last from room_key_wraps where kind = ${kind} and room_id = ${id}`.execute(db);
  const [found] = rows;
  let erasing = db.deleteFrom('room_key_wraps').where('kind', '=', kind).where('room_id', '=', id);
  // An epoch that is larger than a step is erased whole.
  if (found?.last != null) erasing = erasing.where('epoch', '<', Math.max(found.last, found.first + 1));
  await erasing.execute();
  return found?.last != null;
}
