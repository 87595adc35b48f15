import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { useApproval } from '../../quorum/approvals.ts';
import { requireOwnContainer } from '../access/containers.ts';
import type { Who } from '../access/places.ts';
import { requireApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { purgeQuarantineOf } from '../scanning/quarantine.ts';
import { purgeUploadsOf } from '../uploads/sessions.ts';
import { finishDestructions, removeFile } from './destroy.ts';

/** Files of one transaction. */
const BATCH = 50;
const RESUME_MS = 60_000;

/**
 * From the first transaction on nobody sees the container any more. Its files follow in batches, as if each was destroyed alone, and a job
 * goes on where a process stopped.
 */
export async function destroyContainer(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ succeeded: number; failed: number }> {
  const container = await transaction(ctx, async (tx) => {
    const row = await requireOwnContainer(tx, actor, id);
    await requireApproval(tx, actor, row, 'destruction', id);
    if (row.quorum_governed === 1) await useApproval(tx, actor.memberId, 'VAULT_CONTAINER_DESTROY', id);
    const now = tx.clock.now();
    await tx.db
      .updateTable('file_containers')
      .set({ state: 'destroyed', name_key: null, description: null, updated_at: now })
      .where('id', '=', id)
      .execute();
    const job = { id: jobOf(id), kind: 'file-container-destruction', payload: { id }, now };
    await planJob(tx.db, { ...job, runAt: now + RESUME_MS });
    await record(tx, actor, { action: 'CONTAINER_DESTROYED', containerId: id });
    return row;
  });
  return { succeeded: await emptyContainer(ctx, actor, container), failed: 0 };
}

/** @returns how many files it destroyed */
export async function emptyContainer(ctx: Context, actor: Who, container: FileContainerRow): Promise<number> {
  await purgeUploadsOf(ctx, container.id);
  await purgeQuarantineOf(ctx, container.id);
  for (let destroyed = 0; ;) {
    const rows = await transaction(ctx, async (tx) => {
      const files = await tx.db
        .selectFrom('file_nodes')
        .selectAll()
        .where('container_id', '=', container.id)
        .where('kind', '=', 1)
        .orderBy('id')
        .limit(BATCH)
        .execute();
      const removed = [];
      for (const node of files) removed.push(await removeFile(tx, actor, { node, container }));
      return removed;
    });
    await finishDestructions(ctx, actor, rows);
    destroyed += rows.length;
    if (rows.length === BATCH) continue;
    await transaction(ctx, async (tx) => {
      await tx.db.deleteFrom('file_acl_entries').where('container_id', '=', container.id).execute();
      await tx.db.deleteFrom('file_container_keys').where('container_id', '=', container.id).execute();
      await tx.db.deleteFrom('file_client_keys').where('container_id', '=', container.id).execute();
      await tx.db.deleteFrom('file_member_keys').where('container_id', '=', container.id).execute();
      await tx.db
        .updateTable('file_nodes')
        .set({ name: 'destroyed', description: null, tags: '[]' })
        .where('container_id', '=', container.id)
        .execute();
      await cancelJob(tx.db, jobOf(container.id));
    });
    return destroyed;
  }
}

function jobOf(id: string): string {
  return `file-container-destruction/${id}`;
}
