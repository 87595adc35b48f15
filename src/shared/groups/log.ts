import type { Context } from '../../service/context.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { RoomLogRow } from '../../platform/store/tables/rooms.ts';
import type { Room } from './room.ts';

interface Deed {
  /** the member who does it */
  readonly by: string;
  /** what the service of the room calls it */
  readonly action: string;
  readonly subjectId?: string | undefined;
  readonly reason?: string | undefined;
  /** what of the room it is about, such as a post */
  readonly itemId?: string | undefined;
  /** when it is over, in milliseconds since 1970 */
  readonly endsAt?: number | undefined;
}

/** Records what somebody does as a moderator, in the transaction of it. */
export async function recordDeed(tx: Context, { kind, id: roomId }: Room, deed: Deed): Promise<RoomLogRow> {
  const now = tx.clock.now();
  const row = {
    id: recordId(now, tx.random),
    kind,
    room_id: roomId,
    action: deed.action,
    actor_id: deed.by,
    subject_id: deed.subjectId ?? null,
    reason: deed.reason ?? null,
    item_id: deed.itemId ?? null,
    ends_at: deed.endsAt ?? null,
    created_at: now,
  };
  await tx.db.insertInto('room_log').values(row).execute();
  return row;
}

/** A query for what was done in a room. Ids ascend with time. */
export function deedsIn(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  { action, subjectId }: { readonly action?: string | undefined; readonly subjectId?: string | undefined },
) {
  let query = db.selectFrom('room_log').selectAll().where('room_id', '=', id).where('kind', '=', kind);
  if (action !== undefined) query = query.where('action', '=', action);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  return query;
}
