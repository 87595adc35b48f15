import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { RotationReason } from '../../contract/room-keys/fields.ts';
import { toHex } from '../../crypto/bytes.ts';
import type { Room } from '../../crypto/room-keys.ts';
import type { RoomKeyEpochRow, RoomKeyWrapRow } from '../../platform/store/tables/room-keys.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { currentEpoch } from './keys.ts';
import { wrapMissing } from './on-demand.ts';

export interface OwnKeys {
  readonly epoch: number;
  readonly keys: {
    readonly epoch: number;
    readonly keyId: string;
    readonly wrapped: string;
    readonly reason: RotationReason;
    readonly createdAt: string;
  }[];
  readonly hasMore: boolean;
}

interface KeyPage {
  readonly sinceEpoch: number;
  readonly limit: number;
}

type Row = Pick<RoomKeyEpochRow, 'epoch' | 'key_id' | 'reason' | 'created_at'> & Pick<RoomKeyWrapRow, 'wrapped'>;

const findOwn = writtenQuery<Row>(`
  select e.epoch, e.key_id, e.reason, e.created_at, w.wrapped
  from room_key_members m
  join room_key_epochs e on e.kind = m.kind and e.room_id = m.room_id and e.epoch >= m.since
  join room_key_wraps w
    on w.kind = e.kind and w.room_id = e.room_id and w.epoch = e.epoch and w.member_id = m.member_id
  where m.kind = $1 and m.room_id = $2 and m.member_id = $3 and e.epoch > $4
  order by e.epoch limit $5`);

/**
 * The same of a room whose keys the node has, which encrypts to the caller what they have not asked for before. It is not for use in a transaction.
 * @throws Problem internal STORE_DAMAGED; missing NOT_FOUND when the room has no keys
 */
export async function readOwnKeys(
  ctx: Context,
  actor: Pick<Actor, 'memberId'>,
  room: Room,
  { sinceEpoch, limit }: KeyPage,
): Promise<OwnKeys> {
  // One more than is shown, because it says whether more follow.
  await wrapMissing(ctx, actor.memberId, room, { sinceEpoch, limit: limit + 1 });
  return await listOwnKeys(ctx, actor, room, { sinceEpoch, limit });
}

/**
 * The keys of a room that are encrypted to the caller, for its operation `GET …/:id/keys`. The service has checked that the caller is a
 * member of the room.
 *
 * @throws Problem missing NOT_FOUND when the room has no keys
 */
export async function listOwnKeys(
  ctx: Pick<Context, 'db'>,
  { memberId }: Pick<Actor, 'memberId'>,
  room: Room,
  { sinceEpoch, limit }: KeyPage,
): Promise<OwnKeys> {
  const epoch = await currentEpoch(ctx, room);
  const { rows } = await ctx.db.executeQuery(findOwn(room.kind, room.id, memberId, sinceEpoch, limit + 1));
  return {
    epoch,
    keys: rows.slice(0, limit).map((row) => ({
      epoch: row.epoch,
      keyId: row.key_id,
      wrapped: toHex(row.wrapped),
      reason: row.reason as RotationReason,
      createdAt: new Date(row.created_at).toISOString(),
    })),
    hasMore: rows.length > limit,
  };
}

// The node encrypts a key that it has when somebody asks for it. One that a member made is gone with what is encrypted of it.
const oldest = writtenQuery<{ epoch: number }>(`
  select e.epoch from room_key_members m
  join room_key_epochs e on e.kind = m.kind and e.room_id = m.room_id and e.epoch >= m.since
  where m.kind = $1 and m.room_id = $2 and m.member_id = $3 and (e.author_id is null or exists (
    select 1 from room_key_wraps w
    where w.kind = e.kind and w.room_id = e.room_id and w.epoch = e.epoch and w.member_id = m.member_id))
  order by e.epoch limit 1`);

/** The first epoch of whose key there is something for a member. @returns undefined if there is none */
export async function oldestKeyOf(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  memberId: string,
): Promise<number | undefined> {
  return (await db.executeQuery(oldest(kind, id, memberId))).rows[0]?.epoch;
}
