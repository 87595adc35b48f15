import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { MessageReport, messageReports } from '../../../contract/social/message-reports.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { roomOf } from '../../../shared/conversations/conversation.ts';
import { isReadable } from '../../../shared/conversations/readable.ts';
import { contentOf } from '../../../shared/conversations/sealed.ts';
import { noMessage, requireMessageOf } from '../../../shared/conversations/send.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import { openKeysOfRooms } from '../../../shared/group-keys/keys.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { asc, readPage } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { ConversationReportRow } from '../../../platform/store/tables/conversations.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';

type Contract = typeof messageReports;

const administrators = { any: ['admin'] } as const;

const open = writtenQuery(
  `select 1 from conversation_reports where message_id = $1 and reporter_id = $2 and status = 'pending'`,
);

export async function reportMessage(
  ctx: Context,
  actor: Actor,
  { messageId, reason }: InputOf<Contract['reportMessage']>,
): Promise<object> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const { seat, row } = await requireMessageOf(tx, actor, socialTypes, messageId);
    if (row.sealed === null || !(await isReadable(tx, seat, row, memberId))) throw noMessage();
    const { id: message_id, conversation_id, sender_id, epoch, revision, sealed } = row;
    return await once(tx, async () => {
      if ((await tx.db.executeQuery(open(messageId, memberId))).rows.length > 0)
        throw new Problem(
          'invalid',
          'MESSAGE_ALREADY_REPORTED',
          'You reported this message already. Somebody will look at it.',
        );
      const now = tx.clock.now();
      const report: ConversationReportRow = {
        id: recordId(now, tx.random),
        message_id,
        conversation_id,
        sender_id,
        epoch,
        revision,
        sealed,
        reporter_id: memberId,
        reason,
        status: 'pending',
        created_at: now,
        reviewed_by: null,
        reviewed_at: null,
      };
      await insertRows(tx.db, 'conversation_reports', [report]);
      return {};
    });
  });
}

export async function listMessageReports(
  ctx: Context,
  { memberId }: Actor,
  { status, ...page }: InputOf<Contract['listMessageReports']>,
): Promise<ReplyOf<Contract['listMessageReports']>> {
  const query = ctx.db.selectFrom('conversation_reports').selectAll().where('status', '=', status);
  const by = [asc<ConversationReportRow>('id', (row) => row.id)];
  const listing = { list: 'social.message-reports', memberId, filter: { status }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  return { reports: await toReports(ctx, rows), cursor: next.cursor ?? null, hasMore: next.hasMore };
}

export async function reviewMessageReport(
  ctx: Context,
  actor: Actor,
  { reportId, action }: InputOf<Contract['reviewMessageReport']>,
): Promise<{ report: MessageReport }> {
  return await transaction(ctx, async (tx) => {
    await assertStillAllowed(tx, actor, administrators);
    const row = await tx.db
      .selectFrom('conversation_reports')
      .selectAll()
      .where('id', '=', reportId)
      .executeTakeFirst();
    if (row === undefined) throw new Problem('missing', 'REPORT_NOT_FOUND', 'There is no such report.');
    if (row.status !== 'pending') throw new Problem('invalid', 'REPORT_CLOSED', 'This report was reviewed before.');
    const changed = {
      status: action === 'dismiss' ? ('dismissed' as const) : ('actioned' as const),
      reviewed_by: actor.memberId,
      reviewed_at: tx.clock.now(),
    };
    await tx.db.updateTable('conversation_reports').set(changed).where('id', '=', row.id).execute();
    const [report] = await toReports(tx, [{ ...row, ...changed }]);
    return { report: report as MessageReport };
  });
}

/** Administrators read what was reported, and nothing else of the conversation. */
async function toReports(ctx: Context, rows: readonly ConversationReportRow[]): Promise<MessageReport[]> {
  const contents = await contentsOf(ctx, rows);
  return rows.map((row, at) => ({
    _id: row.id,
    messageId: row.message_id,
    conversationId: row.conversation_id,
    senderId: row.sender_id,
    reporterId: row.reporter_id,
    reason: row.reason,
    content: contents[at] ?? null,
    status: row.status,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.reviewed_by !== null && { reviewedBy: row.reviewed_by }),
    ...(row.reviewed_at !== null && { reviewedAt: new Date(row.reviewed_at).toISOString() }),
  }));
}

/** What was reported, in the order of the rows; null for what is gone or damaged. One that is damaged hides no other: then each is opened alone. */
async function contentsOf(ctx: Context, rows: readonly ConversationReportRow[]): Promise<(string | null)[]> {
  try {
    const opened = rows.map(({ conversation_id: id, epoch }) => ({ id, epoch }));
    using keys = await openKeysOfRooms(ctx, roomOf('').kind, opened);
    return rows.map((row) =>
      contentOf(keys.of(row.conversation_id), { id: row.message_id, sender_id: row.sender_id }, row),
    );
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'STORE_DAMAGED')) throw error;
    const [only, ...others] = rows;
    if (only !== undefined && others.length === 0) {
      ctx.log.error('a reported message is damaged', { reportId: only.id, error });
      return [null];
    }
    const contents: (string | null)[] = [];
    for (const row of rows) contents.push(...(await contentsOf(ctx, [row])));
    return contents;
  }
}
