import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Approval } from '../../../contract/filevault/approvals.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { ApprovalOperation, FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { requireOwnContainer } from '../access/containers.ts';
import { requirePlace } from '../access/places.ts';
import { record } from '../audit.ts';
import { requireDestroyable } from '../destruction/destroy.ts';
import { approvalWanted } from '../notices.ts';
import { rootFolder } from '../problems.ts';
import { approversOf } from './approvers.ts';
import { expiryJobOf } from './guard.ts';
import { neededFor, policyOf } from './policy.ts';
import { shownApproval } from './shown.ts';

const LIFE_MS = 7 * 24 * 3_600_000;

interface Target {
  readonly operationType: ApprovalOperation;
  readonly targetType: 'file' | 'folder' | 'container';
  readonly targetId: string;
  /** to move or restore it there */
  readonly newParentId?: string | undefined;
}

interface Wanted extends Target {
  readonly requiredApprovals?: number | undefined;
  readonly reason?: string | undefined;
}

export async function requestApproval(ctx: Context, actor: Actor, wanted: Wanted): Promise<Approval> {
  return await transaction(ctx, async (tx) => {
    const { container, nodeId, parentId } = await requireTarget(tx, actor, wanted);
    return await once(tx, async () => {
      const { operationType: operation, targetType, targetId } = wanted;
      const needed = neededFor(await policyOf(tx, container.id), operation, targetType === 'container');
      const required = wanted.requiredApprovals ?? Math.max(needed, 1);
      if (required < needed) throw fieldProblem('requiredApprovals', `must be at least ${needed} in this container`);
      await assertRoom(tx, actor, container.id);
      const now = tx.clock.now();
      const approvers = await approversOf(tx, { node_id: nodeId, requester_id: actor.memberId });
      const row: FileApprovalRow = {
        id: recordId(now, tx.random),
        container_id: container.id,
        node_id: nodeId,
        operation,
        target_type: targetType,
        target_id: targetId,
        requester_id: actor.memberId,
        required,
        reason: wanted.reason ?? null,
        status: 'pending',
        decided_by: null,
        decision: null,
        created_at: now,
        expires_at: now + LIFE_MS,
        ended_at: null,
        approvers: JSON.stringify(approvers),
        from_id: parentId ?? null,
        to_id: wanted.newParentId ?? null,
      };
      await tx.db.insertInto('file_approvals').values(row).execute();
      const job = { id: expiryJobOf(row.id), kind: 'file-approval-expiry', payload: { id: row.id }, now };
      await planJob(tx.db, { ...job, runAt: row.expires_at });
      const metadata = { approvalId: row.id, operation };
      await record(tx, actor, { action: 'APPROVAL_REQUESTED', containerId: container.id, nodeId, metadata });
      await approvalWanted(tx, row, approvers);
      return await shownApproval(tx, row);
    });
  });
}

/** @throws Problem conflict APPROVALS_FULL */
async function assertRoom({ db }: Context, { memberId }: Actor, containerId: string): Promise<void> {
  const { count } = await db
    .selectFrom('file_approvals')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('container_id', '=', containerId)
    .where('requester_id', '=', memberId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (count < filevaultLimits.openApprovals) return;
  const words = `You wait for ${count} approvals in this container. Take one back, or wait for a decision.`;
  throw new Problem('conflict', 'APPROVALS_FULL', words);
}

/** Whoever asks has to be able to do the operation but for the approval. @throws Problem as the operation itself does */
async function requireTarget(
  tx: Context,
  actor: Actor,
  { operationType, targetType, targetId, newParentId }: Target,
): Promise<{ readonly container: FileContainerRow; readonly nodeId: string; readonly parentId?: string }> {
  if (newParentId !== undefined)
    return await requireMovable(tx, actor, { operationType, targetType, targetId, newParentId });
  if (targetType === 'container') {
    const container = await requireOwnContainer(tx, actor, targetId);
    if (operationType !== 'destruction' && operationType !== 'acl_change')
      throw fieldProblem('targetType', `must be a file or a folder for ${operationType}`);
    return { container, nodeId: container.root_id };
  }
  const kind = targetType === 'file' ? 1 : 0;
  switch (operationType) {
    case 'destruction': {
      if (kind === 0) {
        await requirePlace(tx, actor, kind, targetId);
        throw fieldProblem('targetType', 'must be a file or a container for destruction');
      }
      const { container } = await requireDestroyable(tx, actor, targetId);
      return { container, nodeId: targetId };
    }
    case 'bulk_delete': {
      const { container, node } = await requirePlace(tx, actor, kind, targetId, { flag: 'delete' });
      if (kind === 1) throw fieldProblem('targetType', 'must be a folder for bulk_delete');
      if (node.parent_id === null) throw rootFolder();
      return { container, nodeId: targetId };
    }
    default: {
      const flag = operationType === 'acl_change' ? 'admin' : 'share';
      const { container } = await requirePlace(tx, actor, kind, targetId, { flag });
      return { container, nodeId: targetId };
    }
  }
}

async function requireMovable(
  tx: Context,
  actor: Actor,
  { operationType, targetType, targetId, newParentId }: Target & { readonly newParentId: string },
): ReturnType<typeof requireTarget> {
  if (targetType === 'container' || (operationType !== 'external_share' && operationType !== 'acl_change'))
    throw fieldProblem('newParentId', 'is for external_share or acl_change of a file or folder');
  const kind = targetType === 'file' ? 1 : 0;
  const { node, container } = await requirePlace(tx, actor, kind, targetId, { flag: 'delete', inTrash: true });
  const to = await requirePlace(tx, actor, 0, newParentId, { flag: 'write' });
  if (node.parent_id === null) throw rootFolder();
  if (to.container.id !== container.id) throw fieldProblem('newParentId', 'is in another container');
  return { container, nodeId: targetId, parentId: node.parent_id };
}
