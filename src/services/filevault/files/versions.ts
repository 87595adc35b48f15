import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import { once } from '../../../service/repeats.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileContainerRow, FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { requirePlace } from '../access/places.ts';
import { record, type AuditAction } from '../audit.ts';
import { planPruning } from '../keeping/pruning.ts';
import { versionNotFound } from '../problems.ts';
import { detailOf } from './details.ts';

interface Version {
  readonly versionId: string;
  readonly versionNumber: number;
  readonly sizeBytes: number;
  readonly mimeType: string;
  readonly modifiedAt: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly isCurrent: boolean;
}

/** A page, or all of them as an array. */
export async function listVersions(
  ctx: Context,
  actor: Actor,
  { id, limit, cursor }: { readonly id: string } & PageRequest,
): Promise<Version[] | ({ versions: Version[] } & Next)> {
  const { node } = await requirePlace(ctx, actor, 1, id, { flag: 'read' });
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('file_versions').selectAll().where('file_id', '=', id),
    {
      list: 'filevault.list-versions',
      memberId: actor.memberId,
      filter: { id },
      by: [desc<FileVersionRow>('number', (row) => row.number)],
    },
    { limit, cursor },
  );
  const versions = rows.map((row) => ({
    versionId: row.id,
    versionNumber: row.number,
    sizeBytes: row.size,
    mimeType: row.mime_type,
    modifiedAt: new Date(row.modified_at).toISOString(),
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.created_by,
    isCurrent: row.id === node.version_id,
  }));
  return limit === undefined && cursor === undefined ? versions : { versions, ...next };
}

export async function restoreVersion(
  ctx: Context,
  actor: Actor,
  { id, versionId }: { readonly id: string; readonly versionId: string },
): Promise<FileDetail> {
  await transaction(ctx, async (tx) => {
    const { container } = await requirePlace(tx, actor, 1, id, { flag: 'manage_versions' });
    const older = await versionOf(tx, id, versionId);
    await once(tx, async () => {
      await addVersion(tx, actor, container, {
        ...older,
        action: 'VERSION_RESTORED',
        metadata: { restored: versionId },
      });
      return null;
    });
  });
  return await detailOf(ctx, actor, id);
}

/** @throws Problem missing VERSION_NOT_FOUND, also for a version of another file */
export async function versionOf(
  { db }: Pick<Context, 'db'>,
  fileId: string,
  versionId: string,
): Promise<FileVersionRow> {
  const row = await db
    .selectFrom('file_versions')
    .selectAll()
    .where('id', '=', versionId)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  if (row === undefined) throw versionNotFound();
  return row;
}

type NewVersion = Pick<FileVersionRow, 'file_id' | 'content_id' | 'size' | 'mime_type' | 'modified_at'> & {
  readonly action: AuditAction;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string | number>>;
};

const findNewest = writtenQuery<Pick<FileVersionRow, 'number'>>(
  'select number from file_versions where file_id = $1 order by number desc limit 1',
);
const setCurrent = writtenQuery(`
  update file_nodes set version_id = $1, size = $2, mime_type = $3, modified_at = $4, updated_at = $5, updated_by = $6
  where id = $7`);

/** Makes a content the current version of its file, in the transaction that stores or restores it. */
export async function addVersion(
  tx: Context,
  actor: Actor,
  container: FileContainerRow,
  { file_id, content_id, size, mime_type, modified_at, action, metadata, data }: NewVersion,
): Promise<void> {
  const { rows: newest } = await tx.db.executeQuery(findNewest(file_id));
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const number = (newest[0]?.number ?? 0) + 1;
  const ledger_entry = await record(tx, actor, {
    action,
    containerId: container.id,
    nodeId: file_id,
    metadata: { versionId: id, number, ...metadata },
    ...(data !== undefined && { data }),
  });
  const row = { id, file_id, number, content_id, size, mime_type, modified_at, created_at: now };
  await insertRows(tx.db, 'file_versions', [{ ...row, created_by: actor.memberId, ledger_entry }]);
  await tx.db.executeQuery(setCurrent(id, size, mime_type, modified_at, now, actor.memberId, file_id));
  if (number > 1) await planPruning(tx, container.id, file_id, number);
}
