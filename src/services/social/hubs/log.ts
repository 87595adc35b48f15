import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { HubAction } from '../../../contract/social/hub.ts';
import type { HubLogEntry } from '../../../contract/social/moderation.ts';
import { memberSummaries, type MemberSummary } from '../../../shared/members/summaries.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { HubLogRow } from '../../../platform/store/tables/hubs.ts';
import { requireModerator } from './access.ts';
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
export async function record(tx: Context, { memberId }: Actor, deed: Deed): Promise<HubLogRow> {
  const now = tx.clock.now();
  const row = {
    id: recordId(now, tx.random),
    hub_id: deed.hubId,
    action: deed.action,
    moderator_id: memberId,
    subject_id: deed.subjectId ?? null,
    reason: deed.reason ?? null,
    post_id: deed.postId ?? null,
    ends_at: deed.endsAt ?? null,
    created_at: now,
  };
  await tx.db.insertInto('social_hub_log').values(row).execute();
  return row;
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
  let query = ctx.db.selectFrom('social_hub_log').selectAll().where('hub_id', '=', id);
  if (action !== undefined) query = query.where('action', '=', action);
  if (subject !== undefined) query = query.where('subject_id', '=', subject);
  const listing = {
    list: 'social.moderation-log',
    memberId: actor.memberId,
    filter: { id, action, subject },
    by: [desc<HubLogRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const names = await memberSummaries(
    ctx,
    rows.flatMap((row) => [row.subject_id ?? '', row.moderator_id].filter((one) => one !== '')),
  );
  return { entries: rows.map((row) => shownEntry(row, names)), ...next };
}

export function shownEntry(row: HubLogRow, names: ReadonlyMap<string, MemberSummary>): HubLogEntry {
  const username = row.subject_id === null ? undefined : names.get(row.subject_id)?.username;
  const moderatorUsername = names.get(row.moderator_id)?.username;
  return {
    _id: row.id,
    hubId: row.hub_id,
    action: row.action,
    ...(row.moderator_id !== '' && { moderatorId: row.moderator_id }),
    ...(moderatorUsername !== undefined && { moderatorUsername }),
    ...(row.subject_id !== null && { userId: row.subject_id }),
    ...(username !== undefined && { username }),
    ...(row.post_id !== null && { postId: row.post_id }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.ends_at !== null && { expiresAt: new Date(row.ends_at).toISOString() }),
    createdAt: new Date(row.created_at).toISOString(),
  };
}
