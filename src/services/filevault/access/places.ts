import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import type { FileContainerRow, FileDestructionRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { containerDestroyed, containerLocked, fileDestroyed, flagMissing, nodeNotFound } from '../problems.ts';
import { hasGone } from '../trash/clock.ts';
import { passagesIn } from './passages.ts';
import { sharedOn, withShares } from './shares.ts';
import { changingFlags, grantsBy, ownerRights, rightsBy, type EntryRow, type Grant, type Rights } from './rights.ts';

/** One step on the way from a file or folder up to the root folder of its container. */
export type Step = Pick<FileNodeRow, 'id' | 'parent_id' | 'name' | 'deleted_at'>;

/** A file or folder with its container, the way up, and what the actor may do there now. */
export interface Place {
  readonly node: FileNodeRow;
  readonly container: FileContainerRow;
  /** the node itself first, the root folder last */
  readonly chain: readonly Step[];
  readonly rights: Rights;
  /** the entries for the actor, by the id of their file or folder; none for the owner of the container */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  /** whether it, or a folder above it, is in the trash */
  readonly inTrash: boolean;
}

type StepRow = Step & { readonly depth: number } & Partial<Omit<EntryRow, 'node_id'>> & {
    readonly entry: number | null;
  };

const findSteps = writtenQuery<StepRow>(`
  with recursive up (id, parent_id, name, deleted_at, depth) as (
    select id, parent_id, name, deleted_at, 0 from file_nodes where id = $1
    union all
    select n.id, n.parent_id, n.name, n.deleted_at, up.depth + 1 from file_nodes n join up on n.id = up.parent_id
  )
  select up.*, e.place as entry, e.level, e.flags, e.conditions, s.flags as set_flags
  from up
  left join file_acl_entries e on e.node_id = up.id and e.principal_id = $2
  left join file_permission_sets s on s.id = e.set_id
  order by up.depth, e.place`);
const findNode = writtenQuery<FileNodeRow>('select * from file_nodes where id = $1');
const findContainer = writtenQuery<FileContainerRow>('select * from file_containers where id = $1');

type Reading = Pick<Context, 'db' | 'clock' | 'config'>;
export type Who = Pick<Actor, 'memberId' | 'address'>;

/** @returns undefined if there is no such node */
export async function placeOf({ db, clock }: Reading, actor: Who, nodeId: string): Promise<Place | undefined> {
  const { rows: nodes } = await db.executeQuery(findNode(nodeId));
  const [node] = nodes;
  if (node === undefined) return undefined;
  const { rows: containers } = await db.executeQuery(findContainer(node.container_id));
  const [container] = containers;
  if (container === undefined) return undefined;
  const { rows } = await db.executeQuery(findSteps(nodeId, actor.memberId));
  const chain = rows.filter((row, index) => row.id !== rows[index - 1]?.id);
  const inTrash = chain.some(({ deleted_at }) => deleted_at !== null);
  if (container.owner_id === actor.memberId)
    return { node, container, chain, rights: ownerRights, grants: new Map(), inTrash };
  const entries = rows.flatMap((row) =>
    row.entry === null ? [] : [{ ...row, node_id: row.id } as unknown as EntryRow],
  );
  const ids = chain.map(({ id }) => id);
  const grants = grantsBy(entries);
  const listed = rightsBy(ids, grants, { address: actor.address, now: clock.now() });
  const rights = node.kind === 1 ? withShares(listed, await sharedOn({ db, clock }, actor, node.id)) : listed;
  return { node, container, chain, rights, grants, inTrash };
}

export interface Needed {
  /** undefined: to see it is enough */
  readonly flag?: PermissionFlag;
  /** also what is in the trash, for those who may delete */
  readonly inTrash?: true;
  /** and what the clock has let go already, to destroy it */
  readonly alsoGone?: true;
}

/**
 * The check of every operation on a file or folder. What the actor may not see is as if it didn't exist.
 *
 * @throws Problem missing FOLDER_NOT_FOUND, FILE_NOT_FOUND; gone CONTAINER_DESTROYED; forbidden CONTAINER_LOCKED, FORBIDDEN
 */
export async function requirePlace(
  ctx: Reading,
  actor: Who,
  kind: 0 | 1,
  nodeId: string,
  { flag, inTrash, alsoGone }: Needed = {},
): Promise<Place> {
  const place = await placeOf(ctx, actor, nodeId);
  if (place === undefined && kind === 1 && (await destroyedBefore(ctx, actor, nodeId)) !== undefined)
    throw fileDestroyed();
  if (place === undefined || place.node.kind !== kind || !(await isVisible(ctx, actor, place)))
    throw nodeNotFound(kind);
  if (place.container.state === 'destroyed') throw containerDestroyed();
  if (place.inTrash && !(inTrash === true && place.rights.flags.has('delete'))) throw nodeNotFound(kind);
  if (place.inTrash && alsoGone !== true && (await hasGone(ctx, place))) throw nodeNotFound(kind);
  if (flag === undefined) return place;
  if (!place.rights.flags.has(flag)) throw flagMissing(flag);
  if (changingFlags.has(flag) && place.container.state === 'locked') throw containerLocked();
  return place;
}

/** A folder is also visible as the way to something that the actor may see. */
async function isVisible(ctx: Reading, actor: Who, { node, container, rights }: Place): Promise<boolean> {
  if (rights.flags.size > 0) return true;
  return node.kind === 0 && (await passagesIn(ctx, actor, container.id)).has(node.id);
}

/** The destruction of a file whose folder the actor may see. */
export async function destroyedBefore(
  ctx: Reading,
  actor: Who,
  fileId: string,
): Promise<FileDestructionRow | undefined> {
  const row = await ctx.db.selectFrom('file_destructions').selectAll().where('file_id', '=', fileId).executeTakeFirst();
  if (row === undefined) return undefined;
  const { owner_id: owner } = await ctx.db
    .selectFrom('file_containers')
    .select('owner_id')
    .where('id', '=', row.container_id)
    .executeTakeFirstOrThrow();
  if (owner === actor.memberId) return row;
  const folder = await placeOf(ctx, actor, row.folder_id);
  return folder !== undefined && !folder.inTrash && folder.rights.flags.has('read') ? row : undefined;
}
