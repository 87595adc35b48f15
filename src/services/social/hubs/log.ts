import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { HubAction } from '../../../contract/social/hub.ts';
import type { HubLogEntry } from '../../../contract/social/moderation.ts';
import { memberSummaries, type MemberSummary } from '../../../shared/members/summaries.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { deedsIn, recordDeed } from '../../../shared/groups/log.ts';
import type { RoomLogRow } from '../../../platform/store/tables/rooms.ts';
import { requireModerator, roomOf } from './access.ts';
import { requireSubject } from './subjects.ts';

interface Deed {
  readonly hubId: string;
  readonly action: HubAction;
  readonly subjectId?: string | undefined;
  readonly reason?: string | undefined;
  readonly postId?: string | undefined;
  readonly endsAt?: number | undefined;
}

/** Records what a moderator does, in the transaction of it. */
export async function record(tx: Context, { memberId }: Actor, { hubId, postId, ...deed }: Deed): Promise<RoomLogRow> {
  return await recordDeed(tx, roomOf(hubId), { by: memberId, itemId: postId, ...deed });
}

interface LogFilter extends PageRequest {
  readonly id: string;
  readonly action?: HubAction | undefined;
  readonly userId?: string | undefined;
}

export async function listModerationLog(
  ctx: Context,
  actor: Actor,
  { id, action, userId, limit, cursor }: LogFilter,
): Promise<{ entries: HubLogEntry[] } & Next> {
  await requireModerator(ctx, actor, id);
  const subject = userId === undefined ? undefined : (await requireSubject(ctx, actor, id, userId)).id;
  const query = deedsIn(ctx, roomOf(id), { action, subjectId: subject });
  const listing = {
    list: 'social.moderation-log',
    memberId: actor.memberId,
    filter: { id, action, subject },
    by: [desc<RoomLogRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const names = await memberSummaries(
    ctx,
    rows.flatMap((row) => [row.subject_id ?? '', row.actor_id].filter((one) => one !== '')),
  );
  return { entries: rows.map((row) => shownEntry(row, names)), ...next };
}

export function shownEntry(row: RoomLogRow, names: ReadonlyMap<string, MemberSummary>): HubLogEntry {
  const username = row.subject_id === null ? undefined : names.get(row.subject_id)?.username;
  const moderatorUsername = names.get(row.actor_id)?.username;
  return {
    _id: row.id,
    hubId: row.room_id,
    action: row.action as HubAction,
    ...(row.actor_id !== '' && { moderatorId: row.actor_id }),
    ...(moderatorUsername !== undefined && { moderatorUsername }),
    ...(row.subject_id !== null && { userId: row.subject_id }),
    ...(username !== undefined && { username }),
    ...(row.item_id !== null && { postId: row.item_id }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.ends_at !== null && { expiresAt: new Date(row.ends_at).toISOString() }),
    createdAt: new Date(row.created_at).toISOString(),
  };
}
