import { privilegesOf, requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Quarantined } from '../../../contract/filevault/scanning.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileQuarantineRow } from '../../../platform/store/tables/file-keeping.ts';
import type { FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { record } from '../audit.ts';
import { freeSpace } from '../containers/space.ts';
import { finishErasures, planErasure } from '../destruction/erasures.ts';
import { dropContents } from '../keeping/pruning.ts';
import { uploadNotFound } from '../problems.ts';

/** How long whoever sent it can finish what was released. */
const RELEASED_MS = 7 * 86_400_000;

/** What the actor decides on: everything for the operator, and otherwise what was sent into own containers. */
function withinReach(ctx: Pick<Context, 'db'>, actor: Actor) {
  const query = ctx.db.selectFrom('file_quarantine').selectAll();
  if (privilegesOf[actor.type].system) return query;
  return query.where('container_id', 'in', (e) =>
    e.selectFrom('file_containers').select('id').where('owner_id', '=', actor.memberId),
  );
}

async function requireQuarantined(ctx: Context, actor: Actor, id: string): Promise<FileQuarantineRow> {
  const row = await withinReach(ctx, actor).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw uploadNotFound();
  return row;
}

export async function listQuarantine(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<{ items: Quarantined[] } & Next> {
  const listing = {
    list: 'filevault.list-quarantine',
    memberId: actor.memberId,
    by: [
      desc<FileQuarantineRow>('created_at', (row) => row.created_at),
      desc<FileQuarantineRow>('id', (row) => row.id),
    ],
  };
  const { rows, next } = await readPage(ctx, withinReach(ctx, actor), listing, { limit, cursor });
  const items = rows.map((row) => ({
    id: row.id,
    vaultContainerId: row.container_id,
    fileName: row.name,
    sizeBytes: row.size,
    found: row.found,
    uploadedBy: row.member_id,
    refusedAt: new Date(row.created_at).toISOString(),
  }));
  return { items, ...next };
}

export async function destroyQuarantined(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  const erasures = await transaction(ctx, async (tx) => {
    const row = await requireQuarantined(tx, actor, id);
    const what = { action: 'QUARANTINE_DESTROYED', containerId: row.container_id, nodeId: row.file_id } as const;
    await record(tx, actor, { ...what, metadata: { uploadId: id } });
    return await drop(tx, row);
  });
  await finishErasures(ctx, erasures);
  return null;
}

/** The operator decides. Afterwards it is an upload as any other, and is checked again when it is finished. */
export async function releaseQuarantined(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ id: string; released: true; expiresAt: string }> {
  requireRole(actor, { all: ['admin', 'system'] });
  return await transaction(ctx, async (tx) => {
    const row = await requireQuarantined(tx, actor, id);
    const now = tx.clock.now();
    const upload = JSON.parse(row.upload) as FileUploadRow;
    const expires_at = now + RELEASED_MS;
    await tx.db.deleteFrom('file_quarantine').where('id', '=', id).execute();
    await tx.db
      .insertInto('file_uploads')
      .values({ ...upload, expires_at })
      .execute();
    await tx.db.updateTable('file_contents').set({ manifest: null }).where('id', '=', row.content_id).execute();
    const scanned = { content_id: row.content_id, root: row.root, scanned_at: now };
    await tx.db
      .insertInto('file_scans')
      .values(scanned)
      .onConflict((conflict) => conflict.column('content_id').doUpdateSet(scanned))
      .execute();
    const what = { action: 'QUARANTINE_RELEASED', containerId: row.container_id, nodeId: row.file_id } as const;
    await record(tx, actor, { ...what, metadata: { uploadId: id } });
    return { id, released: true, expiresAt: new Date(expires_at).toISOString() } as const;
  });
}

/** Removes it with its content, and gives back what it reserved. It must run in a transaction. @returns for `finishErasures` */
async function drop(tx: Context, { id, content_id, container_id, size }: FileQuarantineRow): Promise<string[]> {
  await tx.db.deleteFrom('file_quarantine').where('id', '=', id).execute();
  const content = await tx.db
    .selectFrom('file_contents')
    .select('slot')
    .where('id', '=', content_id)
    .executeTakeFirst();
  await dropContents(tx, [content_id]);
  await freeSpace(tx, container_id, 'reserved', size);
  return content === undefined ? [] : [await planErasure(tx, [content.slot])];
}

/** Removes what was sent into a container that is being destroyed. */
export async function purgeQuarantineOf(ctx: Context, containerId: string): Promise<void> {
  const erasures = await transaction(ctx, async (tx) => {
    const rows = await tx.db
      .selectFrom('file_quarantine')
      .selectAll()
      .where('container_id', '=', containerId)
      .execute();
    const noted: string[] = [];
    for (const row of rows) noted.push(...(await drop(tx, row)));
    return noted;
  });
  await finishErasures(ctx, erasures);
}
