import type { Actor } from '../../../service/actor.ts';
import { dropBlocks, finishDrops } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import type { FileDestructionRow } from '../../../platform/store/tables/filevault.ts';
import { useApproval } from '../../quorum/approvals.ts';
import { destroyedBefore, requirePlace, type Place, type Who } from '../access/places.ts';
import { requireApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { freeSpace } from '../containers/space.ts';
import { destructionBegun, destructionDone } from '../notices.ts';
import { flagMissing, nodeNotFound } from '../problems.ts';
import { dropSharesOf } from '../sharing/revoking.ts';
import { dropUploadsOf } from '../uploads/sessions.ts';
import { adoptQuarantined } from '../scanning/adopting.ts';
import { proofOf, proofsOf, type Proof } from './certificate.ts';
import { blocksOf, inventoryRoot, takeInventory } from './inventory.ts';

/**
 * A destruction has three steps. The first transaction removes the file with all wraps of its keys, and notes what has to follow. Then the
 * erasure keys go, so that no backup of the database opens the file any more, and its blocks. The second transaction records in the ledger that it is
 * done. A job goes on where a process stopped.
 */
const RESUME_MS = 60_000;

interface Destroyed extends Proof {
  readonly fileId: string;
  readonly destroyed: true;
}

export async function destroyFile(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<Destroyed> {
  const row = await beginDestruction(ctx, actor, fileId);
  await finishDestructions(ctx, actor, [row]);
  return { fileId, destroyed: true, ...(await proofOf(ctx, fileId)) };
}

type Result = Destroyed | { readonly fileId: string; readonly destroyed: false; readonly error: string };

export async function destroyFiles(
  ctx: Context,
  actor: Actor,
  { fileIds }: { readonly fileIds: readonly string[] },
): Promise<{ results: Result[] }> {
  const begun = new Map<string, FileDestructionRow | string>();
  for (const fileId of new Set(fileIds))
    begun.set(
      fileId,
      await beginDestruction(ctx, actor, fileId).catch((error: unknown) => {
        if (error instanceof Problem) return error.code;
        throw error;
      }),
    );
  // The erasure keys of all of them go at once.
  await finishDestructions(
    ctx,
    actor,
    [...begun.values()].filter((row) => typeof row !== 'string'),
  );
  const proofs = await proofsOf(
    ctx,
    [...begun].flatMap(([fileId, row]) => (typeof row === 'string' ? [] : [fileId])),
  );
  const results: Result[] = [];
  for (const [fileId, row] of begun) {
    const proof = proofs.get(fileId);
    if (typeof row === 'string') results.push({ fileId, destroyed: false, error: row });
    else if (proof !== undefined) results.push({ fileId, destroyed: true, ...proof });
  }
  return { results };
}

/** For those who could see the folder of the file. */
export async function showDestruction(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<Destroyed> {
  const row = await destroyedBefore(ctx, actor, fileId);
  if (row === undefined) throw nodeNotFound(1);
  return { fileId, destroyed: true, ...(await proofOf(ctx, fileId)) };
}

/** Whether the actor may destroy the file now. @throws Problem as `requirePlace` does; gone FILE_DESTROYED */
export async function requireDestroyable(ctx: Context, actor: Who, fileId: string): Promise<Place> {
  const place = await requirePlace(ctx, actor, 1, fileId, { flag: 'delete', inTrash: true, alsoGone: true });
  if (!place.rights.flags.has('admin')) throw flagMissing('admin');
  return place;
}

/** The first step. A repeat finds the file gone already. */
export async function beginDestruction(ctx: Context, actor: Who, fileId: string): Promise<FileDestructionRow> {
  return await transaction(ctx, async (tx) => {
    const before = await destroyedBefore(tx, actor, fileId);
    if (before !== undefined && before.requested_by === actor.memberId) return before;
    const place = await requireDestroyable(tx, actor, fileId);
    await requireApproval(tx, actor, place.container, 'destruction', fileId);
    if (place.container.quorum_governed === 1 || place.node.quorum_governed === 1)
      await useApproval(tx, actor.memberId, 'VAULT_FILE_DESTROY', fileId);
    return await removeFile(tx, actor, place);
  });
}

/** Removes a file and everything that opens it, and notes what has to follow. It must run in a transaction, after the checks. */
export async function removeFile(
  tx: Context,
  actor: Who,
  { node, container }: Pick<Place, 'node' | 'container'>,
): Promise<FileDestructionRow> {
  const fileId = node.id;
  const uploaded = await dropUploadsOf(tx, fileId);
  await adoptQuarantined(tx, container.id, fileId);
  const { inventory, slots, files, size } = await takeInventory(tx, fileId);
  const now = tx.clock.now();
  const row = {
    file_id: fileId,
    container_id: container.id,
    folder_id: node.parent_id ?? container.root_id,
    inventory: JSON.stringify(inventory),
    root: inventoryRoot(fileId, inventory),
    slots: JSON.stringify([...slots, ...uploaded]),
    size,
    requested_by: actor.memberId,
    requested_at: now,
    ledger_entry: null,
    destroyed_at: null,
  };
  await tx.db.insertInto('file_destructions').values(row).execute();
  await record(tx, actor, { action: 'DESTRUCTION_BEGUN', containerId: container.id, nodeId: fileId });
  await dropSharesOf(tx, fileId);
  await tx.db.deleteFrom('file_versions').where('file_id', '=', fileId).execute();
  await tx.db.deleteFrom('file_contents').where('file_id', '=', fileId).execute();
  await tx.db.deleteFrom('file_nodes').where('id', '=', fileId).execute();
  await freeSpace(tx, container.id, 'used', size);
  await dropBlocks(tx, files);
  await cancelJob(tx.db, dueJobOf(fileId));
  await destructionBegun(tx, fileId);
  const job = { id: jobOf(fileId), kind: 'file-destruction', payload: { fileId }, now };
  await planJob(tx.db, { ...job, runAt: now + RESUME_MS });
  return row;
}

export function dueJobOf(fileId: string): string {
  return `file-destruction-due/${fileId}`;
}

function jobOf(fileId: string): string {
  return `file-destruction/${fileId}`;
}

/** The log of the embedded engine still has the wraps that were deleted. Without their erasure keys they are worth nothing, so this may fail. */
async function emptyLog({ store, log }: Context): Promise<void> {
  if (store.engine !== 'sqljs') return;
  try {
    await store.snapshot(async () => undefined);
  } catch (error) {
    log.warn('the log of the store was not emptied after a destruction', { error });
  }
}

/** The second and third step, for those that are not done. */
export async function finishDestructions(ctx: Context, actor: Who, rows: readonly FileDestructionRow[]): Promise<void> {
  const open = rows.filter(({ destroyed_at }) => destroyed_at === null);
  if (open.length === 0) return;
  await emptyLog(ctx);
  await ctx.erasure.erase(open.flatMap(({ slots }) => JSON.parse(slots) as number[]));
  await finishDrops(ctx, open.flatMap(blocksOf));
  for (const { file_id } of open)
    await transaction(ctx, async (tx) => {
      const row = await tx.db
        .selectFrom('file_destructions')
        .selectAll()
        .where('file_id', '=', file_id)
        .executeTakeFirstOrThrow();
      if (row.destroyed_at !== null) return;
      const entry = await record(tx, actor, {
        action: 'FILE_DESTROYED',
        containerId: row.container_id,
        nodeId: file_id,
        data: { inventory: row.root },
      });
      await tx.db
        .updateTable('file_destructions')
        .set({ ledger_entry: entry, destroyed_at: tx.clock.now() })
        .where('file_id', '=', file_id)
        .execute();
      await cancelJob(tx.db, jobOf(file_id));
      await destructionDone(tx, actor, row);
    });
}
