import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Approval } from '../../../contract/filevault/approvals.ts';
import { fromHex, utf8 } from '../../../crypto/bytes.ts';
import { verify } from '../../../crypto/signature.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { Problem } from '../../../base/problem.ts';
import { scheduled } from '../../../service/scheduled.ts';
import { cancelJob } from '../../../platform/store/jobs/plans.ts';
import type { FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import { record, type AuditAction } from '../audit.ts';
import { approvalDecided, approvalOver } from '../notices.ts';
import { couldApprove, expiryJobOf, mayApprove } from './guard.ts';
import { isOpen, shownApproval, statementOf } from './shown.ts';

export async function approve(
  ctx: Context,
  actor: Actor,
  { id, signature }: { readonly id: string; readonly signature?: string | undefined },
): Promise<Approval> {
  return await transaction(ctx, async (tx) => {
    const row = await requireApprover(tx, actor, id);
    if (!(await couldApprove(tx, actor, row))) throw letInLater();
    if (signature !== undefined) await assertSignature(tx, actor, row, signature);
    const vote = { address: actor.address, signature: signature ?? null, created_at: tx.clock.now() };
    await tx.db
      .insertInto('file_approval_votes')
      .values({ approval_id: id, member_id: actor.memberId, ...vote })
      .onConflict((conflict) => conflict.columns(['approval_id', 'member_id']).doUpdateSet(vote))
      .execute();
    await recordOf(tx, actor, row, 'APPROVAL_GIVEN');
    await approvalOver(tx, id, actor.memberId);
    const shown = await shownApproval(tx, row);
    if (shown.status === 'approved') await approvalDecided(tx, row, actor.memberId, 'approved');
    return shown;
  });
}

export async function reject(
  ctx: Context,
  actor: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<Approval> {
  return await transaction(ctx, async (tx) => {
    const row = await requireApprover(tx, actor, id);
    const change = { status: 'rejected', decided_by: actor.memberId, decision: reason } as const;
    const ended = await end(tx, row, change);
    await recordOf(tx, actor, row, 'APPROVAL_REJECTED');
    await approvalDecided(tx, row, actor.memberId, 'rejected');
    return await shownApproval(tx, ended);
  });
}

export async function cancelApproval(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Approval> {
  return await transaction(ctx, async (tx) => {
    const row = await visibleApproval(tx, actor, id);
    if (row.requester_id !== actor.memberId)
      throw new Problem('forbidden', 'FORBIDDEN', 'Only whoever asked may take the request back.');
    if (!isOpen(tx, row)) throw over();
    const ended = await end(tx, row, { status: 'cancelled' });
    await recordOf(tx, actor, row, 'APPROVAL_CANCELLED');
    return await shownApproval(tx, ended);
  });
}

/** Ends a request whose time is over. By the clock it has ended before. */
export const approvalExpiryHandler = scheduled(async (tx, payload) => {
  const { id } = payload as { readonly id: string };
  const row = await tx.db.selectFrom('file_approvals').selectAll().where('id', '=', id).executeTakeFirst();
  if (row?.status !== 'pending' || row.expires_at > tx.clock.now()) return;
  await end(tx, row, { status: 'expired' });
  await approvalDecided(tx, row, undefined, 'expired');
});

/** @throws Problem missing APPROVAL_NOT_FOUND for whoever neither asked nor may approve */
export async function visibleApproval(ctx: Context, actor: Actor, id: string): Promise<FileApprovalRow> {
  const row = await ctx.db.selectFrom('file_approvals').selectAll().where('id', '=', id).executeTakeFirst();
  const isVisible = row?.requester_id === actor.memberId || (row !== undefined && (await mayApprove(ctx, actor, row)));
  if (row !== undefined && isVisible) return row;
  throw new Problem('missing', 'APPROVAL_NOT_FOUND', 'There is no such request for approval.');
}

async function requireApprover(tx: Context, actor: Actor, id: string): Promise<FileApprovalRow> {
  const row = await visibleApproval(tx, actor, id);
  if (row.requester_id === actor.memberId)
    throw new Problem('forbidden', 'FORBIDDEN', 'You asked for it, so others have to decide.');
  if (!isOpen(tx, row)) throw over();
  return row;
}

async function assertSignature(tx: Context, actor: Actor, row: FileApprovalRow, signature: string): Promise<void> {
  const [holder] = await publicKeysOf(tx, [actor.memberId]);
  if (holder !== undefined && verify(holder.publicKey, utf8(statementOf(tx, row)), fromHex(signature))) return;
  const words = 'The signature is not one of your key over the statement of this request.';
  throw new Problem('invalid', 'INVALID_SIGNATURE', words);
}

async function end(
  tx: Context,
  { id }: FileApprovalRow,
  change: Pick<FileApprovalRow, 'status'> & Partial<FileApprovalRow>,
): Promise<FileApprovalRow> {
  await cancelJob(tx.db, expiryJobOf(id));
  await approvalOver(tx, id);
  return await tx.db
    .updateTable('file_approvals')
    .set({ ...change, ended_at: tx.clock.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function recordOf(tx: Context, actor: Actor, row: FileApprovalRow, action: AuditAction): Promise<void> {
  const metadata = { approvalId: row.id, operation: row.operation };
  await record(tx, actor, { action, containerId: row.container_id, nodeId: row.node_id, metadata });
}

function letInLater(): Problem {
  return new Problem(
    'forbidden',
    'FORBIDDEN',
    'You had no permission to approve when this was asked for, or only by a share of whoever asked, so your approval would not count. Others have to approve.',
  );
}

function over(): Problem {
  return new Problem('conflict', 'APPROVAL_OVER', 'The request was decided, used, taken back, or has expired.');
}
