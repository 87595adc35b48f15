import type { Context } from '../../../service/context.ts';
import type { Approval } from '../../../contract/filevault/approvals.ts';
import type { FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import { votesOf } from './guard.ts';
import { neededFor, policiesOf } from './policy.ts';

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
    ...(row.from_id === null || row.to_id === null ? [] : [row.from_id, row.to_id]),
  ].join('\n');
}

export function isOpen({ clock }: Pick<Context, 'clock'>, { status, expires_at }: FileApprovalRow): boolean {
  return status === 'pending' && expires_at > clock.now();
}

export async function shownApproval(ctx: Context, row: FileApprovalRow): Promise<Approval> {
  const [shown] = await shownApprovals(ctx, [row]);
  if (shown === undefined) throw new Error('one row is shown as one');
  return shown;
}

export async function shownApprovals(ctx: Context, rows: readonly FileApprovalRow[]): Promise<Approval[]> {
  const votes = await votesOf(ctx, rows);
  const policies = await policiesOf(
    ctx,
    rows.map(({ container_id }) => container_id),
  );
  return rows.map((row) => {
    const own = votes.filter(({ approval_id: id }) => id === row.id);
    const policy = policies.get(row.container_id);
    const isContainer = row.target_type === 'container';
    const needed = policy === undefined ? 0 : neededFor(policy, row.operation, isContainer);
    return described(ctx, row, own, Math.max(row.required, needed));
  });
}

function described(
  ctx: Context,
  row: FileApprovalRow,
  votes: Awaited<ReturnType<typeof votesOf>>,
  required: number,
): Approval {
  const open = votes.filter(({ counts }) => counts).length >= required ? 'approved' : 'pending';
  return {
    id: row.id,
    operationType: row.operation,
    targetType: row.target_type,
    targetId: row.target_id,
    ...(row.from_id !== null && { parentId: row.from_id }),
    ...(row.to_id !== null && { newParentId: row.to_id }),
    vaultContainerId: row.container_id,
    requesterId: row.requester_id,
    reason: row.reason,
    requiredApprovals: required,
    approvals: votes.map(({ member_id: memberId, signature, created_at, counts }) => ({
      memberId,
      signature,
      createdAt: iso(created_at),
      counts,
    })),
    status: isOpen(ctx, row) ? open : row.status === 'pending' ? 'expired' : row.status,
    rejectedBy: row.decided_by,
    rejection: row.decision,
    statement: statementOf(ctx, row),
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
  };
}
