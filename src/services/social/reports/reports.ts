import { meets, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { Report } from '../../../contract/social/reports.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { asc, readPage, type Next } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SocialReportRow } from '../../../platform/store/tables/social.ts';
import { moderatedBy, moderates } from '../hubs/moderated.ts';
import { requireSelf } from '../people/found.ts';
import { hubIdsOf } from '../seeing/hubs.ts';
import { requireOriginal, unknownPost, type SeenPost } from '../seeing/posts.ts';

const administrators = { any: ['admin'] } as const;

export async function reportPost(
  ctx: Context,
  actor: Actor,
  { id, reason, ...wanted }: InputOf<typeof social.reportPost>,
): Promise<{ report: Report }> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const post = await requireOriginal(tx, actor, id);
    return await once(tx, async () => {
      const hubId = hubOfReport(post, wanted.hubId);
      const open = await tx.db
        .selectFrom('social_reports')
        .select('id')
        .where('post_id', '=', post.id)
        .where('reporter_id', '=', self.id)
        .where('status', '=', 'pending')
        .executeTakeFirst();
      if (open !== undefined)
        throw new Problem('invalid', 'ALREADY_REPORTED', 'You reported this post already. Somebody will look at it.');
      const now = tx.clock.now();
      const row: SocialReportRow = {
        id: recordId(now, tx.random),
        post_id: post.id,
        reporter_id: self.id,
        hub_id: hubId,
        reason,
        status: 'pending',
        reviewed_by: null,
        reviewed_at: null,
        created_at: now,
      };
      await tx.db.insertInto('social_reports').values(row).execute();
      return { report: shown(row) };
    });
  });
}

/**
 * The hub whose moderators review a report; null for a post that is in none.
 * @throws Problem missing POST_NOT_FOUND, invalid VALIDATION_ERROR
 */
function hubOfReport({ known_hubs: known }: SeenPost, wanted: string | undefined): string | null {
  const hubIds = hubIdsOf(known);
  if (wanted !== undefined && !hubIds.includes(wanted)) throw unknownPost();
  if (wanted === undefined && hubIds.length > 1)
    throw fieldProblem('hubId', 'must be there: the post is in several hubs that you know of');
  return wanted ?? hubIds[0] ?? null;
}

export async function listReports(
  ctx: Context,
  actor: Actor,
  { status, hubId, ...page }: InputOf<typeof social.listReports>,
): Promise<{ reports: Report[] } & Next> {
  let query = ctx.db.selectFrom('social_reports').selectAll().where('status', '=', status);
  if (hubId !== undefined) query = query.where('hub_id', '=', hubId);
  if (!meets(actor.type, administrators))
    query = query.where((e) =>
      e.or([e('reporter_id', '=', actor.memberId), e('hub_id', 'in', moderatedBy(ctx, actor.memberId))]),
    );
  const by = [asc<SocialReportRow>('id', (row) => row.id)];
  const listing = { list: 'social.reports', memberId: actor.memberId, filter: { status, hubId }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  return { reports: rows.map(shown), ...next };
}

export async function reviewReport(
  ctx: Context,
  actor: Actor,
  { reportId, action }: InputOf<typeof social.reviewReport>,
): Promise<{ report: Report }> {
  return await transaction(ctx, async (tx) => {
    const row = await tx.db.selectFrom('social_reports').selectAll().where('id', '=', reportId).executeTakeFirst();
    if (row === undefined || !(await mayReview(tx, actor, row)))
      throw new Problem('missing', 'REPORT_NOT_FOUND', 'There is no such report.');
    if (row.status !== 'pending') throw new Problem('invalid', 'REPORT_CLOSED', 'This report was reviewed before.');
    const changed = {
      status: action === 'dismiss' ? ('dismissed' as const) : ('actioned' as const),
      reviewed_by: actor.memberId,
      reviewed_at: tx.clock.now(),
    };
    await tx.db.updateTable('social_reports').set(changed).where('id', '=', row.id).execute();
    return { report: shown({ ...row, ...changed }) };
  });
}

/** Administrators review all, and moderators what concerns their hub. */
async function mayReview(tx: Context, actor: Actor, { hub_id: hubId }: SocialReportRow): Promise<boolean> {
  if (hubId !== null && (await moderates(tx, actor.memberId, hubId))) return true;
  if (!meets(actor.type, administrators)) return false;
  await assertStillAllowed(tx, actor, administrators);
  return true;
}

function shown(row: SocialReportRow): Report {
  return {
    _id: row.id,
    postId: row.post_id,
    reporterId: row.reporter_id,
    reason: row.reason,
    ...(row.hub_id !== null && { hubId: row.hub_id }),
    status: row.status,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.reviewed_by !== null && { reviewedBy: row.reviewed_by }),
    ...(row.reviewed_at !== null && { reviewedAt: new Date(row.reviewed_at).toISOString() }),
  };
}
