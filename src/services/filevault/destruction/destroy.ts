import type { Actor } from '../../../actor.ts';
import { dropBlocks } from '../../../attachments/blocks.ts';
import { transaction, type Context } from '../../../context.ts';
import type { DestructionProof } from '../../../contract/filevault/destruction.ts';
import { placesOf } from '../../../ledger/places.ts';
import { freeStorage } from '../../../members/storage.ts';
import { Problem } from '../../../problem.ts';
import { cancelJob, planJob } from '../../../store/jobs/plans.ts';
import type { FileDestructionRow } from '../../../store/tables/filevault.ts';
import { useApproval } from '../../quorum/approvals.ts';
import { destroyedBefore, requirePlace, type Place } from '../access/places.ts';
import { record } from '../audit.ts';
import { flagMissing, nodeNotFound } from '../problems.ts';
import { dropUploadsOf } from '../uploads/sessions.ts';
import { adoptQuarantined } from '../scanning/adopting.ts';
import { inventoryRoot, takeInventory } from './inventory.ts';

/**
 * A destruction has three steps. The first transaction removes the file with all wraps of its keys, and notes what has to follow. Then the
 * erasure keys go, so that no backup of the database opens the file any more. The second transaction records in the ledger that it is
 * done. A job goes on where a process stopped.
 */
const RESUME_MS = 60_000;

export type Who = Pick<Actor, 'memberId' | 'address'>;

interface Destroyed {
  readonly fileId: string;
  readonly destroyed: true;
  readonly proof: DestructionProof;
}

export async function destroyFile(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<Destroyed> {
  const row = await beginDestruction(ctx, actor, fileId);
  await finishDestructions(ctx, actor, [row]);
  return { fileId, destroyed: true, proof: await proofOf(ctx, fileId) };
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
  const results: Result[] = [];
  for (const [fileId, row] of begun)
    results.push(
      typeof row === 'string'
        ? { fileId, destroyed: false, error: row }
        : { fileId, destroyed: true, proof: await proofOf(ctx, fileId) },
    );
  return { results };
}

/** Whether the actor may destroy the file now. @throws Problem as `requirePlace` does; gone FILE_DESTROYED */
export async function requireDestroyable(ctx: Context, actor: Who, fileId: string): Promise<Place> {
  const place = await requirePlace(ctx, actor, 1, fileId, { flag: 'delete', inTrash: true, alsoGone: true });
  if (!place.rights.flags.has('admin')) throw flagMissing('admin');
  return place;
}

/** The first step. A repeat finds the file gone already. */
export async function beginDestruction(ctx: Context, actor: Actor, fileId: string): Promise<FileDestructionRow> {
  return await transaction(ctx, async (tx) => {
    const before = await destroyedBefore(tx, actor, fileId);
    if (before !== undefined && before.requested_by === actor.memberId) return before;
    const place = await requireDestroyable(tx, actor, fileId);
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
  await dropUploadsOf(tx, fileId);
  await adoptQuarantined(tx, container.id, fileId);
  const { inventory, slots, files, size } = await takeInventory(tx, fileId);
  const now = tx.clock.now();
  const row = {
    file_id: fileId,
    container_id: container.id,
    folder_id: node.parent_id ?? container.root_id,
    inventory: JSON.stringify(inventory),
    root: inventoryRoot(fileId, inventory),
    slots: JSON.stringify(slots),
    size,
    requested_by: actor.memberId,
    requested_at: now,
    ledger_entry: null,
    destroyed_at: null,
  };
  await tx.db.insertInto('file_destructions').values(row).execute();
  await record(tx, callerOf(actor), { action: 'DESTRUCTION_BEGUN', containerId: container.id, nodeId: fileId });
  await tx.db.deleteFrom('file_versions').where('file_id', '=', fileId).execute();
  await tx.db.deleteFrom('file_contents').where('file_id', '=', fileId).execute();
  await tx.db.deleteFrom('file_nodes').where('id', '=', fileId).execute();
  await tx.db
    .updateTable('file_containers')
    .set((e) => ({ used: e('used', '-', size) }))
    .where('id', '=', container.id)
    .execute();
  await freeStorage(tx, container.owner_id, size);
  await dropBlocks(tx, files);
  await cancelJob(tx.db, dueJobOf(fileId));
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

function callerOf({ memberId, address }: Who) {
  return { memberId, address, userAgent: '' };
}

/** The second and third step, for those that are not done. */
export async function finishDestructions(ctx: Context, actor: Who, rows: readonly FileDestructionRow[]): Promise<void> {
  const open = rows.filter(({ destroyed_at }) => destroyed_at === null);
  if (open.length === 0) return;
  await ctx.erasure.erase(open.flatMap(({ slots }) => JSON.parse(slots) as number[]));
  for (const { file_id } of open)
    await transaction(ctx, async (tx) => {
      const row = await tx.db
        .selectFrom('file_destructions')
        .selectAll()
        .where('file_id', '=', file_id)
        .executeTakeFirstOrThrow();
      if (row.destroyed_at !== null) return;
      const entry = await record(tx, callerOf(actor), {
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
    });
}

/** @throws Problem unavailable LEDGER_BEHIND; the file is destroyed nevertheless, and a repeat gets the proof */
async function proofOf(ctx: Context, fileId: string): Promise<DestructionProof> {
  const row = await ctx.db
    .selectFrom('file_destructions')
    .select(['root', 'ledger_entry'])
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  if (row?.ledger_entry == null) throw nodeNotFound(1);
  const place = (await placesOf(ctx, [row.ledger_entry])).get(row.ledger_entry);
  if (place === undefined)
    throw new Problem('internal', 'LEDGER_DAMAGED', 'The ledger has no entry of the destruction.');
  return { merkleRoot: row.root, ledgerEntryHash: place.leafHash };
}
