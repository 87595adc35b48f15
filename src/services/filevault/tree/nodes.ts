import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import type { FileContainerRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { nameTaken } from '../problems.ts';
import { nameKey } from './names.ts';

const iso = (time: number): string => new Date(time).toISOString();

interface NewNode {
  readonly id: string;
  readonly containerId: string;
  readonly kind: 0 | 1;
  /** null: the root folder */
  readonly parentId: string | null;
  readonly name: string;
  /** the member who makes it */
  readonly by: string;
}

/** @throws UniqueViolation with `name_key` when the folder has the name */
export async function insertNode(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, containerId, kind, parentId, name, by }: NewNode,
): Promise<FileNodeRow> {
  const now = clock.now();
  const row: FileNodeRow = {
    id,
    container_id: containerId,
    kind,
    parent_id: parentId,
    name,
    name_key: nameKey(name),
    description: null,
    tags: '[]',
    mime_type: '',
    size: 0,
    version_id: null,
    quorum_governed: 0,
    visible_watermark: 0,
    invisible_watermark: 0,
    accessed_at: null,
    deleted_at: null,
    destruction_at: null,
    created_at: now,
    created_by: by,
    updated_at: now,
    updated_by: by,
    modified_at: now,
  };
  await insertRows(db, 'file_nodes', [row]);
  return row;
}

/** Puts a file or a folder, with all that is in it, into the trash. */
export async function trashNode(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { memberId }: Pick<Actor, 'memberId'>,
  id: string,
): Promise<void> {
  const now = clock.now();
  await db
    .updateTable('file_nodes')
    .set({ deleted_at: now, updated_at: now, updated_by: memberId })
    .where('id', '=', id)
    .execute();
}

const findHolder = writtenQuery<Pick<FileNodeRow, 'id'>>(
  'select id from file_nodes where parent_id = $1 and name_key = $2 and deleted_at is null',
);

/** The id of what has a name in a folder, outside the trash. */
export async function holderOf(
  { db }: Pick<Context, 'db'>,
  parentId: string,
  name: string,
): Promise<string | undefined> {
  return (await db.executeQuery(findHolder(parentId, nameKey(name)))).rows[0]?.id;
}

/** @param own what gets the name. @throws Problem conflict NAME_TAKEN */
export async function assertNameFree(
  ctx: Pick<Context, 'db'>,
  parentId: string,
  name: string,
  own?: string,
): Promise<void> {
  const holder = await holderOf(ctx, parentId, name);
  if (holder !== undefined && holder !== own) throw nameTaken();
}

/** Two requests came at once, and the unique key refused this one. */
export function asNameTaken(error: unknown): never {
  throw isUniqueViolation(error, 'name_key') ? nameTaken() : error;
}

/** The content of a container belongs to its owner, whoever made it. The root folder has the name of the container. */
export function folderOf(node: FileNodeRow, container: FileContainerRow): Folder {
  return {
    id: node.id,
    name: node.parent_id === null ? container.name : node.name,
    ownerId: container.owner_id,
    vaultContainerId: container.id,
    parentFolderId: node.parent_id,
    quorumGoverned: container.quorum_governed === 1 || node.quorum_governed === 1,
    deletedAt: node.deleted_at === null ? null : iso(node.deleted_at),
    createdAt: iso(node.created_at),
    updatedAt: iso(node.updated_at),
  };
}

export function fileItemOf(node: FileNodeRow, container: FileContainerRow): FileItem {
  return {
    id: node.id,
    name: node.name,
    fileName: node.name,
    ownerId: container.owner_id,
    folderId: node.parent_id ?? container.root_id,
    vaultContainerId: container.id,
    currentVersionId: node.version_id ?? '',
    mimeType: node.mime_type,
    sizeBytes: node.size,
    description: node.description,
    tags: JSON.parse(node.tags) as string[],
    deletedAt: node.deleted_at === null ? null : iso(node.deleted_at),
    scheduledDestructionAt: node.destruction_at === null ? null : iso(node.destruction_at),
    quorumGoverned: container.quorum_governed === 1 || node.quorum_governed === 1,
    visibleWatermark: node.visible_watermark === 1,
    invisibleWatermark: node.invisible_watermark === 1,
    createdAt: iso(node.created_at),
    updatedAt: iso(node.updated_at),
    modifiedAt: iso(node.modified_at),
  };
}
