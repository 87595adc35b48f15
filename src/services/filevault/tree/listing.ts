import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import { asc, isBehind, pageOf, type Next, type PageRequest, type SortKey } from '../../../platform/store/page.ts';
import type { FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { passagesIn } from '../access/passages.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { grantsBy, rightsBy, type EntryRow } from '../access/rights.ts';
import { sharedIn } from '../access/shares.ts';
import { requireContainer } from '../access/containers.ts';
import { nodeNotFound } from '../problems.ts';
import { fileItemOf, folderOf } from './nodes.ts';

interface Sorting {
  readonly sortField: 'name' | 'size' | 'modifiedDate' | 'type';
  readonly sortDirection: 'asc' | 'desc';
}

type Content = { folder: Folder; files: FileItem[]; subfolders: Folder[] } & Next;

export async function showFolder(
  ctx: Context,
  actor: Actor,
  { id, ...request }: { readonly id: string } & Sorting & PageRequest,
): Promise<Content> {
  const place = await requirePlace(ctx, actor, 0, id);
  return await contentOf(ctx, actor, place, 'filevault.show-folder', request);
}

export async function showRoot(
  ctx: Context,
  actor: Actor,
  { vaultContainerId, ...request }: { readonly vaultContainerId?: string | undefined } & Sorting & PageRequest,
): Promise<Content> {
  const rootId = await rootOf(ctx, actor, vaultContainerId);
  const place = await requirePlace(ctx, actor, 0, rootId);
  return await contentOf(ctx, actor, place, 'filevault.show-root', request);
}

/** The root folder of a container, or of the oldest one that the actor owns. @throws Problem missing FOLDER_NOT_FOUND */
export async function rootOf(ctx: Context, actor: Actor, containerId: string | undefined): Promise<string> {
  if (containerId !== undefined) {
    const found = await requireContainer(ctx, actor, containerId).catch((error: unknown) => {
      throw (error as { kind?: string }).kind === 'missing' ? nodeNotFound(0) : error;
    });
    return found.root_id;
  }
  const oldest = await ctx.db
    .selectFrom('file_containers')
    .select('root_id')
    .where('owner_id', '=', actor.memberId)
    .where('state', '!=', 'destroyed')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) throw nodeNotFound(0);
  return oldest.root_id;
}

const sortColumns = { name: 'name_key', size: 'size', modifiedDate: 'modified_at', type: 'mime_type' } as const;

/** Folders come first, so the two kinds are two statements, and each is served by an index. */
async function contentOf(
  ctx: Context,
  actor: Actor,
  place: Place,
  list: string,
  { sortField, sortDirection, ...page }: Sorting & PageRequest,
): Promise<Content> {
  const { node, container } = place;
  const column = sortColumns[sortField];
  const by: SortKey<FileNodeRow>[] = [
    asc('kind', (row) => row.kind),
    { column, order: sortDirection, of: (row) => row[column] },
    { column: 'id', order: sortDirection, of: (row) => row.id },
  ];
  const listing = {
    list,
    memberId: actor.memberId,
    filter: { folder: node.id, sortField, sortDirection },
    by,
  };
  const { rows, next } = await pageOf(ctx, listing, page, async ({ values }, most) => {
    const [kind = 0, ...behind] = values;
    const folders = kind === 0 ? await readKind(ctx, node.id, 0, by.slice(1), behind, most) : [];
    const left = most === undefined ? undefined : most - folders.length;
    if (left === 0) return folders;
    return [...folders, ...(await readKind(ctx, node.id, 1, by.slice(1), kind === 1 ? behind : [], left))];
  });
  const seen = await visibleOf(ctx, actor, place, rows);
  return {
    folder: folderOf(node, container),
    files: seen.filter((row) => row.kind === 1).map((row) => fileItemOf(row, container)),
    subfolders: seen.filter((row) => row.kind === 0).map((row) => folderOf(row, container)),
    ...next,
  };
}

async function readKind(
  { db }: Context,
  parentId: string,
  kind: 0 | 1,
  by: readonly SortKey<FileNodeRow>[],
  behind: readonly (string | number | null)[],
  most: number | undefined,
): Promise<FileNodeRow[]> {
  const keys = by.map(({ column, order }) => ({ is: sql.ref(column), order }));
  let query = db
    .selectFrom('file_nodes')
    .selectAll()
    .where('parent_id', '=', parentId)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null);
  for (const { is, order } of keys) query = query.orderBy(is, order);
  if (behind.length > 0) query = query.where(isBehind(keys, behind));
  if (most !== undefined) query = query.limit(most);
  return await query.execute();
}

/** Ids in one statement; both engines allow more. */
const IDS_AT_ONCE = 5_000;

/**
 * Among what is directly in a folder, the files that the actor may read, and the folders that `requirePlace` shows: those in which the actor
 * may do anything, and those on the way to something.
 */
async function visibleOf(
  ctx: Context,
  actor: Actor,
  { container, rights }: Pick<Place, 'container' | 'rights'>,
  rows: readonly FileNodeRow[],
): Promise<FileNodeRow[]> {
  if (rights.owner) return [...rows];
  const entries: EntryRow[] = [];
  for (let from = 0; from < rows.length; from += IDS_AT_ONCE) {
    const ids = rows.slice(from, from + IDS_AT_ONCE).map(({ id }) => id);
    const found = await ctx.db
      .selectFrom('file_acl_entries as e')
      .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
      .select(['e.node_id', 'e.level', 'e.flags', 'e.conditions', 's.flags as set_flags'])
      .where('e.principal_id', '=', actor.memberId)
      .where('e.node_id', 'in', ids)
      .execute();
    entries.push(...found);
  }
  const grants = grantsBy(entries);
  const moment = { address: actor.address, now: ctx.clock.now() };
  const shared = await sharedIn(ctx, actor, [container.id], new Set(rows.map(({ id }) => id)));
  let passages: ReadonlySet<string> | undefined;
  const seen: FileNodeRow[] = [];
  for (const row of rows) {
    const own = rightsBy([row.id], grants, moment);
    const flags = own.from === undefined ? rights.flags : own.flags;
    if (flags.has('read') || shared.get(row.id)?.flags.has('read') === true) seen.push(row);
    else if (row.kind === 0) {
      if (flags.size > 0) {
        seen.push(row);
        continue;
      }
      passages ??= await passagesIn(ctx, actor, container.id);
      if (passages.has(row.id)) seen.push(row);
    }
  }
  return seen;
}
