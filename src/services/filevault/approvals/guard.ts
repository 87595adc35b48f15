import type { Context } from '../../../service/context.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import { cancelJob } from '../../../platform/store/jobs/plans.ts';
import type {
  ApprovalOperation,
  FileApprovalRow,
  FileApprovalVoteRow,
} from '../../../platform/store/tables/file-workflow.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { placeOf, type Who } from '../access/places.ts';
import { record } from '../audit.ts';
import { approvalOver } from '../notices.ts';
import { neededFor, policyOf } from './policy.ts';

type Container = Pick<FileContainerRow, 'id' | 'root_id'>;

/** Ids of the folders between which something moves. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * Uses up the approval that an operation needs, in the transaction of the operation, after the check of what the actor may do. It has to be
 * of exactly this operation on this target, asked for by the actor, and enough of those who approved it have to hold `admin` there now.
 *
 * @param move the approval has to be for this move; without it, for none. Call it before the move: who may approve depends on the place
 * @returns the approval that was used; undefined if the container needs none
 * @throws Problem forbidden APPROVAL_REQUIRED, also for the owner of the container
 */
export async function requireApproval(
  tx: Context,
  actor: Who,
  container: Container,
  operation: ApprovalOperation,
  targetId: string,
  move?: Move,
): Promise<string | undefined> {
  const needed = neededFor(await policyOf(tx, container.id), operation, targetId === container.id);
  if (needed === 0) return undefined;
  const is = move === undefined ? 'is' : '=';
  const rows = await tx.db
    .selectFrom('file_approvals')
    .selectAll()
    .where('target_id', '=', targetId)
    .where('operation', '=', operation)
    .where('status', '=', 'pending')
    .where('container_id', '=', container.id)
    .where('requester_id', '=', actor.memberId)
    .where('expires_at', '>', tx.clock.now())
    .where('from_id', is, move?.from ?? null)
    .where('to_id', is, move?.to ?? null)
    .orderBy('id')
    .execute();
  for (const row of rows) {
    if ((await countingVotes(tx, row)).length < Math.max(needed, row.required)) continue;
    await useUp(tx, actor, row);
    return row.id;
  }
  throw approvalRequired(container, operation, targetId, needed, move);
}

/**
 * The same for an operation that was approved when it was planned: the approval is used up already, and its votes have to count still.
 * @throws Problem forbidden APPROVAL_REQUIRED
 */
export async function requirePlannedApproval(
  tx: Context,
  actor: Who,
  container: Container,
  operation: ApprovalOperation,
  targetId: string,
  approvalId: string | undefined,
): Promise<void> {
  const needed = neededFor(await policyOf(tx, container.id), operation, targetId === container.id);
  if (needed === 0) return;
  const row =
    approvalId === undefined
      ? undefined
      : await tx.db
          .selectFrom('file_approvals')
          .selectAll()
          .where('id', '=', approvalId)
          .where('target_id', '=', targetId)
          .where('operation', '=', operation)
          .where('requester_id', '=', actor.memberId)
          .where('status', '=', 'used')
          .executeTakeFirst();
  if (row !== undefined && (await countingVotes(tx, row)).length >= Math.max(needed, row.required)) return;
  await requireApproval(tx, actor, container, operation, targetId);
}

/** The approvals that count now: of active members who hold `admin` on the target, and did not ask for it themselves. */
async function countingVotes(ctx: Context, row: FileApprovalRow): Promise<FileApprovalVoteRow[]> {
  return (await votesOf(ctx, [row])).filter(({ counts }) => counts);
}

/** The approvals of requests, in the order in which they were given, and whether they count now. */
export async function votesOf(
  ctx: Context,
  rows: readonly FileApprovalRow[],
): Promise<(FileApprovalVoteRow & { readonly counts: boolean })[]> {
  if (rows.length === 0) return [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const votes = await ctx.db
    .selectFrom('file_approval_votes')
    .selectAll()
    .where('approval_id', 'in', [...byId.keys()])
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  const checked = [];
  for (const vote of votes) {
    const row = byId.get(vote.approval_id);
    const who = { memberId: vote.member_id, address: vote.address };
    const counts = row !== undefined && (await mayApprove(ctx, who, row)) && (await couldApprove(ctx, who, row));
    checked.push({ ...vote, counts });
  }
  return checked;
}

export async function mayApprove(
  ctx: Context,
  actor: Who,
  { node_id: nodeId, requester_id: requester }: Pick<FileApprovalRow, 'node_id' | 'requester_id'>,
): Promise<boolean> {
  if (actor.memberId === requester || !(await isActive(ctx, actor.memberId))) return false;
  const place = await placeOf(ctx, actor, nodeId);
  return place?.rights.flags.has('admin') === true;
}

/** Whether the member could approve when it was asked for. Whoever was let in afterwards may have been let in for it. */
export async function couldApprove(
  ctx: Context,
  actor: Who,
  { node_id: nodeId, approvers }: Pick<FileApprovalRow, 'node_id' | 'approvers'>,
): Promise<boolean> {
  if (approvers !== null) return (JSON.parse(approvers) as string[]).includes(actor.memberId);
  // Who could is not known of requests from before an upgrade. Shares were the way past approvals then.
  return (await placeOf(ctx, actor, nodeId))?.rights.share === undefined;
}

async function useUp(tx: Context, actor: Who, row: FileApprovalRow): Promise<void> {
  await tx.db
    .updateTable('file_approvals')
    .set({ status: 'used', ended_at: tx.clock.now() })
    .where('id', '=', row.id)
    .execute();
  await cancelJob(tx.db, expiryJobOf(row.id));
  await approvalOver(tx, row.id);
  await record(tx, actor, {
    action: 'APPROVAL_USED',
    containerId: row.container_id,
    nodeId: row.node_id,
    metadata: { approvalId: row.id, operation: row.operation },
  });
}

export function expiryJobOf(id: string): string {
  return `file-approval/${id}`;
}

function approvalRequired(
  container: Container,
  operation: ApprovalOperation,
  targetId: string,
  needed: number,
  move: Move | undefined,
): Problem {
  const way = move === undefined ? '' : `, newParentId ${move.to}`;
  const times = needed === 1 ? '1 approval' : `${needed} approvals`;
  const target = targetId === container.id ? 'container' : 'file or folder';
  return new Problem(
    'forbidden',
    'APPROVAL_REQUIRED',
    `This needs ${times}. Ask for it with POST /filevault/approval/request: ${operation} of the ${target} ${targetId}${way}. Then do it again.`,
    {
      fields: [
        { path: 'operationType', message: operation },
        { path: 'targetId', message: targetId },
        { path: 'targetType', message: target },
        { path: 'requiredApprovals', message: String(needed) },
        ...(move === undefined ? [] : [{ path: 'newParentId', message: move.to }]),
      ],
    },
  );
}
