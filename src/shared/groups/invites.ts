import type { Context } from '../../service/context.ts';
import { sha256HexOfText } from '../../crypto/hash.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { RoomInviteRow } from '../../platform/store/tables/rooms.ts';
import { join, type Joined } from './membership.ts';
import { holdRoom, type Room } from './room.ts';

/** 192 random bits: nobody guesses a token, so a plain hash of it is enough in the store. */
const TOKEN_BYTES = 24;

interface NewInvite {
  readonly by: string;
  readonly maxUses?: number | undefined;
  /** the first moment at which it is over, in milliseconds since 1970 */
  readonly expiresAt?: number | undefined;
}

/** @returns the token, which is shown once: the store keeps its hash alone */
export async function invite(
  tx: Context,
  { kind, id: roomId }: Room,
  { by, maxUses, expiresAt }: NewInvite,
): Promise<{ readonly row: RoomInviteRow; readonly token: string }> {
  const now = tx.clock.now();
  const token = Buffer.from(tx.random(TOKEN_BYTES)).toString('base64url');
  const row = {
    id: recordId(now, tx.random),
    kind,
    room_id: roomId,
    token_hash: sha256HexOfText(token),
    created_by: by,
    created_at: now,
    max_uses: maxUses ?? null,
    uses: 0,
    expires_at: expiresAt ?? null,
  };
  await tx.db.insertInto('room_invites').values(row).execute();
  return { row, token };
}

/** `missing`: no invite of this room has the token; `over`: it has expired, or all its uses are taken */
export type Redeemed = Joined | 'over';

/** The invite of a room that has a token, over or not. */
export async function inviteWith(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  token: string,
): Promise<RoomInviteRow | undefined> {
  return await db
    .selectFrom('room_invites')
    .selectAll()
    .where('token_hash', '=', sha256HexOfText(token))
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .executeTakeFirst();
}

/** Whether nobody can come by an invite any more. @param now in milliseconds since 1970 */
export function isOver({ expires_at: expiresAt, max_uses: maxUses, uses }: RoomInviteRow, now: number): boolean {
  return (expiresAt !== null && expiresAt <= now) || (maxUses !== null && uses >= maxUses);
}

/** Makes somebody a member by an invite. Whoever is a member already, or may not become one, uses nothing up. */
export async function redeem(
  tx: Context,
  room: Room,
  token: string,
  memberId: string,
  limits: { readonly most?: number } = {},
): Promise<Redeemed> {
  await holdRoom(tx, room);
  const found = await inviteWith(tx, room, token);
  if (found === undefined) return 'missing';
  if (isOver(found, tx.clock.now())) return 'over';
  const { id } = found;
  const joined = await join(tx, room, memberId, limits);
  if (joined === 'joined')
    await tx.db
      .updateTable('room_invites')
      .set((e) => ({ uses: e('uses', '+', 1) }))
      .where('id', '=', id)
      .execute();
  return joined;
}

/** @returns whether the room had such an invite */
export async function revokeInvite(tx: Context, { kind, id: roomId }: Room, id: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('room_invites')
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/** The invites of a room, the oldest first. */
export async function invitesOf({ db }: Pick<Context, 'db'>, { kind, id }: Room): Promise<RoomInviteRow[]> {
  return await db
    .selectFrom('room_invites')
    .selectAll()
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .orderBy('id')
    .execute();
}
