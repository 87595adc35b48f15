import type { Context } from '../../service/context.ts';
import { sha256HexOfText } from '../../crypto/hash.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { RoomHookRow } from '../../platform/store/tables/rooms.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import type { Room } from './room.ts';

/** 192 random bits: nobody guesses a token, so a plain hash of it is enough in the store. */
const TOKEN_BYTES = 24;

/** @returns the token, which is shown once: the store keeps its hash alone */
export async function makeHook(
  tx: Context,
  { kind, id: roomId }: Room,
  { by, name }: { readonly by: string; readonly name: string },
): Promise<{ readonly row: RoomHookRow; readonly token: string }> {
  const now = tx.clock.now();
  const token = Buffer.from(tx.random(TOKEN_BYTES)).toString('base64url');
  const row: RoomHookRow = {
    id: recordId(now, tx.random),
    kind,
    room_id: roomId,
    name,
    token_hash: sha256HexOfText(token),
    created_by: by,
    created_at: now,
    busy_until: 0,
  };
  await insertRows(tx.db, 'room_hooks', [row]);
  return { row, token };
}

const hooksIn = writtenQuery<RoomHookRow>('select * from room_hooks where kind = $1 and room_id = $2 order by id');

/** The hooks of a room, the oldest first. */
export async function hooksOf({ db }: Pick<Context, 'db'>, { kind, id }: Room): Promise<RoomHookRow[]> {
  return (await db.executeQuery(hooksIn(kind, id))).rows;
}

const byToken = writtenQuery<RoomHookRow>('select * from room_hooks where token_hash = $1');

export async function hookWith({ db }: Pick<Context, 'db'>, token: string): Promise<RoomHookRow | undefined> {
  return (await db.executeQuery(byToken(sha256HexOfText(token)))).rows[0];
}

const busy = writtenQuery<{ id: string }>('update room_hooks set busy_until = $1 where id = $2 returning id');

/** Counts a use of a hook. @returns whether it is still there */
export async function useHook({ db }: Context, id: string, busyUntil: number): Promise<boolean> {
  return (await db.executeQuery(busy(busyUntil, id))).rows.length > 0;
}

const gone = writtenQuery<{ id: string }>(
  'delete from room_hooks where id = $1 and kind = $2 and room_id = $3 returning id',
);

/** @returns whether the room had such a hook */
export async function endHook({ db }: Context, { kind, id: roomId }: Room, id: string): Promise<boolean> {
  return (await db.executeQuery(gone(id, kind, roomId))).rows.length > 0;
}
