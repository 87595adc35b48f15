import type { Context } from '../../../context.ts';
import type { Approval } from '../../../contract/filevault/approvals.ts';
import type { FileApprovalRow } from '../../../store/tables/file-workflow.ts';
import { countingVotes } from './guard.ts';
import { neededFor, policyOf } from './policy.ts';

const CONTEXT = 'conclave/filevault/approval/v1';
const iso = (time: number): string => new Date(time).toISOString();

/** What the signature of an approval is over: everything that the approver decides on, on this node. */
export function statementOf({ keys }: Pick<Context, 'keys'>, row: FileApprovalRow): string {
  return [
    CONTEXT,
    keys.nodeId,
    row.id,
    row.operation,
    row.target_type,
    row.target_id,
    row.container_id,
    row.requester_id,
    String(row.required),
    iso(row.expires_at),
  ].join('\n');
}

export function isOpen({ clock }: Pick<Context, 'clock'>, { status, expires_at }: FileApprovalRow): boolean {
  return status === 'pending' && expires_at > clock.now();
}

export async function shownApproval(ctx: Context, row: FileApprovalRow): Promise<Approval> {
  const votes = await ctx.db
    .selectFrom('file_approval_votes')
    .selectAll()
    .where('approval_id', '=', row.id)
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  const counting = new Set((await countingVotes(ctx, row)).map(({ member_id }) => member_id));
  const isContainer = row.target_type === 'container';
  const required = Math.max(row.required, neededFor(await policyOf(ctx, row.container_id), row.operation, isContainer));
  const open = counting.size >= required ? 'approved' : 'pending';
  return {
    id: row.id,
    operationType: row.operation,
    targetType: row.target_type,
    targetId: row.target_id,
    vaultContainerId: row.container_id,
    requesterId: row.requester_id,
    reason: row.reason,
    requiredApprovals: required,
    approvals: votes.map((vote) => ({
      memberId: vote.member_id,
      signature: vote.signature,
      createdAt: iso(vote.created_at),
      counts: counting.has(vote.member_id),
    })),
    status: isOpen(ctx, row) ? open : row.status === 'pending' ? 'expired' : row.status,
    rejectedBy: row.decided_by,
    rejection: row.decision,
    statement: statementOf(ctx, row),
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
  };
}
