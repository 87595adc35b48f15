import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileContainerRow, FileDestructionRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { requirePlace, type Who } from '../access/places.ts';
import { record } from '../audit.ts';
import { eachStep, isOfNode } from '../../../service/sweep.ts';
import { beginDestruction, finishDestructions, removeFile } from '../destruction/destroy.ts';
import { isCleared, keepingIn, trashCutoff } from '../keeping/policy.ts';
import { containerLocked, flagMissing, nodeNotFound } from '../problems.ts';
import { holdsGoverned } from './clock.ts';
import { requireTrash } from './container.ts';

/** Files that are destroyed together: their keys go in one rotation. */
const BATCH = 50;
/** Folders that one transaction removes: others wait for it. */
const FOLDERS = 50;
/** Files of one request. */
const MOST = 1_000;

interface Emptied {
  files: number;
  folders: number;
  bytes: number;
  failed: { id: string; error: string }[];
  more: boolean;
}

/** Each file needs what its destruction needs by itself, and the decision of the quorum where it governs. */
export async function emptyTrash(
  ctx: Context,
  actor: Actor,
  { vaultContainerId, ids }: { readonly vaultContainerId: string; readonly ids?: readonly string[] | undefined },
): Promise<Emptied> {
  const container = await requireTrash(ctx, actor, vaultContainerId);
  if (container.state === 'locked') throw containerLocked();
  const done: Emptied = { files: 0, folders: 0, bytes: 0, failed: [], more: false };
  const begun: FileDestructionRow[] = [];
  const finish = async (): Promise<void> => {
    await finishDestructions(ctx, actor, begun);
    begun.length = 0;
  };
  const destroy = async (fileId: string): Promise<void> => {
    const row = await beginDestruction(ctx, actor, fileId);
    begun.push(row);
    done.files += 1;
    done.bytes += row.size;
    if (begun.length === BATCH) await finish();
  };
  const roots = ids === undefined ? await rootsOf(ctx, container.id) : [...new Set(ids)];
  for (const id of roots) {
    if (done.more || done.failed.length >= MOST) break;
    const failed = await refusalOf(async () => await emptyRoot(ctx, actor, container, id, done, destroy));
    // Without ids, what the caller may not know of is passed over in silence.
    if (failed !== undefined && (ids !== undefined || failed.kind !== 'missing'))
      done.failed.push({ id, error: failed.code });
  }
  await finish();
  if (ids === undefined && roots.length === MOST && done.files > 0) done.more = true;
  if (done.files > 0)
    await transaction(ctx, async (tx) => {
      const what = { action: 'TRASH_EMPTIED', containerId: container.id, nodeId: container.root_id } as const;
      await record(tx, actor, { ...what, metadata: { files: done.files, bytes: done.bytes } });
    });
  return done;
}

/** What stands in the way of one is no reason to leave the others. A node that can't work is. */
async function refusalOf(work: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.kind !== 'internal' && error.kind !== 'unavailable') return error;
    throw error;
  }
}

/** Everything with a mark of its own, the oldest first. */
async function rootsOf({ db }: Context, containerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('file_nodes')
    .select('id')
    .where('container_id', '=', containerId)
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .limit(MOST)
    .execute();
  return rows.map(({ id }) => id);
}

async function emptyRoot(
  ctx: Context,
  actor: Actor,
  container: FileContainerRow,
  id: string,
  done: Emptied,
  destroy: (fileId: string) => Promise<void>,
): Promise<void> {
  const kind = await kindOf(ctx, container.id, id);
  const { rights } = await requirePlace(ctx, actor, kind, id, { flag: 'delete', inTrash: true, alsoGone: true });
  if (!rights.flags.has('admin')) throw flagMissing('admin');
  const refused: string[] = [];
  let hidden = false;
  for (;;) {
    const batch = await filesBelow(ctx, id, refused, BATCH);
    if (batch.length === 0) break;
    for (const file of batch) {
      if (done.files >= MOST || done.failed.length >= MOST) {
        done.more = done.files >= MOST;
        return;
      }
      const failed = await refusalOf(async () => await destroy(file.id));
      if (failed === undefined) continue;
      refused.push(file.id);
      // A file that the actor may not know of is not named.
      if (failed.kind === 'missing') hidden = true;
      else done.failed.push({ id: file.id, error: failed.code });
    }
  }
  if (hidden) throw flagMissing('delete');
  if (kind === 0) done.folders += await removeEmptyFolders(ctx, id);
}

/** @throws Problem missing FOLDER_NOT_FOUND for what is not in the trash of the container by itself */
async function kindOf({ db }: Context, containerId: string, id: string): Promise<0 | 1> {
  const row = await db
    .selectFrom('file_nodes')
    .select('kind')
    .where('id', '=', id)
    .where('container_id', '=', containerId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  if (row === undefined) throw nodeNotFound(1);
  return row.kind;
}

/** Files at any depth below a folder, or the file itself. */
async function filesBelow(
  { db }: Pick<Context, 'db'>,
  id: string,
  without: readonly string[],
  most: number,
): Promise<FileNodeRow[]> {
  const { rows } = await sql<FileNodeRow>`
    with recursive down (id, kind) as (
      select id, kind from file_nodes where id = ${id}
      union all
      select n.id, n.kind from file_nodes n join down on n.parent_id = down.id
    )
    select f.* from file_nodes f join down on down.id = f.id
    where f.kind = 1 and f.id not in (${sql.join(without.length === 0 ? [''] : [...without])})
    order by f.id limit ${most}`.execute(db);
  return rows;
}

/**
 * Removes a folder of the trash and those inside it, from the lowest up, as far as nothing is in them, in batches. It ends when somebody
 * restores the folder.
 *
 * @returns how many
 */
async function removeEmptyFolders(ctx: Context, id: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with recursive down (id, depth) as (
      select id, 0 from file_nodes where id = ${id} and kind = 0
      union all
      select n.id, down.depth + 1 from file_nodes n join down on n.parent_id = down.id where n.kind = 0
    )
    select id from down order by depth desc`.execute(ctx.db);
  let removed = 0;
  for (let from = 0; from < rows.length; from += FOLDERS) {
    const some = rows.slice(from, from + FOLDERS);
    const done = await transaction(ctx, async (tx) =>
      (await isInTrash(tx, id)) ? await removeEmpty(tx, some) : undefined,
    );
    if (done === undefined) break;
    removed += done;
  }
  return removed;
}

async function isInTrash({ db }: Context, id: string): Promise<boolean> {
  const row = await db.selectFrom('file_nodes').select('deleted_at').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.deleted_at !== null;
}

async function removeEmpty({ db }: Context, folders: readonly { readonly id: string }[]): Promise<number> {
  let removed = 0;
  for (const { id } of folders) {
    const { numDeletedRows } = await db
      .deleteFrom('file_nodes')
      .where('id', '=', id)
      .where((e) => e.not(e.exists(e.selectFrom('file_nodes as c').select('c.id').where('c.parent_id', '=', id))))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 1n) removed += 1;
  }
  return removed;
}

/** Destroys what the clock lets go, in batches. What a process leaves when it stops is found by the next one. */
export async function purgeTrash(ctx: Context): Promise<void> {
  const containers = await ctx.db
    .selectFrom('file_containers as c')
    .selectAll('c')
    .where('c.state', '=', 'active')
    .where('c.quorum_governed', '=', 0)
    .where((e) =>
      e.exists(
        e
          .selectFrom('file_nodes as n')
          .select('n.id')
          .whereRef('n.container_id', '=', 'c.id')
          .where('n.deleted_at', 'is not', null),
      ),
    )
    .execute();
  await eachStep(containers.map((container) => async () => await purgeContainer(ctx, container)));
}

/** A file that can't be removed stays, and the others go. */
async function purgeContainer(ctx: Context, container: FileContainerRow): Promise<void> {
  const actor = { memberId: container.owner_id, address: 'local' };
  const failures: unknown[] = [];
  const without: string[] = [];
  let most = BATCH;
  for (let last: string | undefined = ''; last !== undefined;) {
    const after: string = last;
    let files: readonly string[] = [];
    let done: Gone;
    try {
      done = await transaction(ctx, async (tx) => {
        files = [];
        return await removeGone(tx, actor, container.id, { after, most, without, found: (ids) => void (files = ids) });
      });
    } catch (error) {
      const [first] = files;
      if (first === undefined || isOfNode(error) || without.length === MOST) throw error;
      if (most === 1) {
        ctx.log.error('removing a file of the trash failed; the others go on', { id: first, error });
        failures.push(error);
        without.push(first);
      }
      most = 1;
      continue;
    }
    await finishDestructions(ctx, actor, done.rows);
    for (const folder of done.emptied) await removeEmptyFolders(ctx, folder);
    last = done.next;
  }
  if (failures.length > 0) throw failures[0];
}

interface NextGone {
  /** the root after which it begins */
  readonly after: string;
  readonly most: number;
  /** files that could not be removed */
  readonly without: readonly string[];
  found(this: void, files: readonly string[]): void;
}

interface Gone {
  readonly rows: FileDestructionRow[];
  /** folders in which no file is left */
  readonly emptied: string[];
  /** where the next batch begins; undefined: this was the last one */
  readonly next: string | undefined;
}

/**
 * One batch of what has gone by the clock. With the last file of a folder goes the folder. Ids are the order, so that something that stays,
 * such as a folder with governed files, doesn't keep the others.
 */
async function removeGone(
  tx: Context,
  actor: Who,
  containerId: string,
  { after, most, without, found }: NextGone,
): Promise<Gone> {
  const container = await tx.db
    .selectFrom('file_containers')
    .selectAll()
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const cutoff = trashCutoff(tx.clock.now(), await keepingIn(tx, containerId));
  if (!isCleared(container) || cutoff === undefined) return { rows: [], emptied: [], next: undefined };
  const roots = await tx.db
    .selectFrom('file_nodes')
    .selectAll()
    .where('container_id', '=', containerId)
    .where('deleted_at', '<=', cutoff)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute();
  const rows: FileDestructionRow[] = [];
  const emptied: string[] = [];
  let last = after;
  for (const { id, kind, quorum_governed } of roots) {
    const stays = kind === 1 ? quorum_governed === 1 : await holdsGoverned(tx, id);
    const files = stays ? [] : await filesBelow(tx, id, without, most - rows.length);
    found([...rows.map(({ file_id }) => file_id), ...files.map((file) => file.id)]);
    for (const file of files) rows.push(await removeFile(tx, actor, { node: file, container }));
    if (rows.length === most) return { rows, emptied, next: last };
    if (kind === 0 && !stays) emptied.push(id);
    last = id;
  }
  return { rows, emptied, next: roots.length === BATCH ? last : undefined };
}
