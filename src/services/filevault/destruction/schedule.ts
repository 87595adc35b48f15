import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import { useApproval } from '../../quorum/approvals.ts';
import type { Who } from '../access/places.ts';
import { requireApproval, requirePlannedApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { destructionCancelled, destructionScheduled } from '../notices.ts';
import { dueJobOf, finishDestructions, removeFile, requireDestroyable } from './destroy.ts';

export async function scheduleDestruction(
  ctx: Context,
  actor: Actor,
  { fileId, scheduledAt }: { readonly fileId: string; readonly scheduledAt: string },
): Promise<{ scheduled: true; scheduledAt: string }> {
  return await transaction(ctx, async (tx) => {
    const { container, node } = await requireDestroyable(tx, actor, fileId);
    return await once(tx, async () => {
      const [now, runAt] = [tx.clock.now(), Date.parse(scheduledAt)];
      if (runAt <= now) throw fieldProblem('scheduledAt', 'must be in the future');
      const approvalId = await requireApproval(tx, actor, container, 'destruction', fileId);
      await tx.db.updateTable('file_nodes').set({ destruction_at: runAt }).where('id', '=', fileId).execute();
      const payload = { fileId, memberId: actor.memberId, address: actor.address, approvalId };
      await planJob(tx.db, { id: dueJobOf(fileId), kind: 'file-destruction-due', payload, runAt, now });
      const at = new Date(runAt).toISOString();
      const done = { action: 'DESTRUCTION_SCHEDULED', containerId: container.id, nodeId: fileId } as const;
      await record(tx, actor, { ...done, metadata: { at } });
      await destructionScheduled(tx, actor, { node, container, at });
      return { scheduled: true, scheduledAt: at } as const;
    });
  });
}

export async function cancelDestruction(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<{ cancelled: true }> {
  return await transaction(ctx, async (tx) => {
    const { node, container } = await requireDestroyable(tx, actor, fileId);
    if (node.destruction_at === null)
      throw new Problem('conflict', 'DESTRUCTION_NOT_SCHEDULED', 'No destruction of the file is scheduled.');
    await tx.db.updateTable('file_nodes').set({ destruction_at: null }).where('id', '=', fileId).execute();
    await cancelJob(tx.db, dueJobOf(fileId));
    await record(tx, actor, { action: 'DESTRUCTION_CANCELLED', containerId: container.id, nodeId: fileId });
    await destructionCancelled(tx, fileId);
    return { cancelled: true } as const;
  });
}

/** What was true when it was scheduled is checked again: the right, the member, the time, and the decision of the quorum. */
export async function destroyScheduled(ctx: Context, actor: Who, fileId: string, approvalId?: string): Promise<void> {
  const row = await transaction(ctx, async (tx) => {
    if (!(await isActive(tx, actor.memberId))) return undefined;
    const place = await requireDestroyable(tx, actor, fileId);
    const { node, container } = place;
    if (node.destruction_at === null || node.destruction_at > tx.clock.now()) return undefined;
    await requirePlannedApproval(tx, actor, container, 'destruction', fileId, approvalId);
    if (container.quorum_governed === 1 || node.quorum_governed === 1)
      await useApproval(tx, actor.memberId, 'VAULT_FILE_DESTROY', fileId);
    return await removeFile(tx, actor, place);
  });
  if (row !== undefined) await finishDestructions(ctx, actor, [row]);
}
