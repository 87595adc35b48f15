import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import { desc, pageOf, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileContainerRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { grantedIn, liveAmong } from '../access/passages.ts';
import { requirePlace } from '../access/places.ts';
import { sharedIn } from '../access/shares.ts';
import { isCleared, keepingOf, trashCutoff } from '../keeping/policy.ts';
import { fileItemOf } from '../tree/nodes.ts';
import { conditionsOf, haveDescriptions, type Filters } from './search-filters.ts';

/** Files and folders in containers of others from which the actor sees everything below, except for what is decided further down. */
interface Reach {
  readonly starts: readonly string[];
  /** those among them below which the actor may also see what is in the trash */
  readonly withTrash: readonly string[];
  /** files and folders with an entry of their own for the actor: what is above doesn't count for them */
  readonly decided: readonly string[];
}

/** So many ids are read at once. If no more match, they are the whole answer, and one pass over the names was enough. */
const FEW = 1_000;
/** Containers that are searched one by one, each in the order of an index. More of them are searched together, and sorted. */
const MOST_SOURCES = 20;
/** Ids in one statement; both engines allow more. */
const IDS_AT_ONCE = 5_000;

export async function searchFiles(
  ctx: Context,
  actor: Actor,
  { limit, cursor, ...filters }: Filters & PageRequest,
): Promise<{ results: FileItem[]; total: number } & Next> {
  const within = filters.folderId === undefined ? undefined : await requirePlace(ctx, actor, 0, filters.folderId);
  const wanted = [filters.vaultContainerId, within?.container.id].filter((id) => id !== undefined);
  const containers = await containersOf(ctx, actor, wanted);
  const sources = await sourcesOf(ctx, actor, [...containers.values()], filters);
  const { tags, ...others } = filters;
  const listing = {
    list: 'filevault.search',
    memberId: actor.memberId,
    filter: { ...others, tags: tags === undefined ? undefined : JSON.stringify(tags) },
    by: [desc<FileNodeRow>('id', (row) => row.id)],
  };
  const newest = await idsIn(ctx, sources, undefined, FEW + 1);
  const isAll = newest.length <= FEW;
  const { rows, next } = await pageOf(ctx, listing, { limit, cursor }, async ({ values: [last] }, most) => {
    const behind = newest.filter((id) => last === undefined || id < String(last));
    const isEnough = isAll || (most !== undefined && behind.length >= most);
    return await rowsOf(ctx, isEnough ? behind.slice(0, most) : await idsIn(ctx, sources, last, most));
  });
  const results = rows.flatMap((row) => {
    const container = containers.get(row.container_id);
    return container === undefined ? [] : [fileItemOf(row, container)];
  });
  return { results, total: isAll ? newest.length : await countOf(ctx, sources), ...next };
}

/** Selects something of the files `f` that match. The statement ends in its conditions. No file is in two sources. */
type Source = (what: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Ids of the files that match, newest first. @param last the one that they are behind */
async function idsIn(
  { db }: Context,
  sources: readonly Source[],
  last: string | number | null | undefined,
  most: number | undefined,
): Promise<string[]> {
  const behind = last === undefined ? sql`` : sql`and f.id < ${last}`;
  const end = most === undefined ? sql`` : sql`limit ${most}`;
  const ids: string[] = [];
  for (const source of sources) {
    const query = sql<{ id: string }>`${source(sql`f.id`)} ${behind} order by f.id desc ${end}`;
    for (const { id } of (await query.execute(db)).rows) ids.push(id);
  }
  if (sources.length > 1) ids.sort((one, other) => (one < other ? 1 : -1));
  return ids.slice(0, most);
}

async function countOf({ db }: Context, sources: readonly Source[]): Promise<number> {
  let total = 0;
  for (const source of sources) {
    const { rows } = await sql<{ total: number }>`${source(sql`cast(count(*) as bigint) as total`)}`.execute(db);
    total += rows[0]?.total ?? 0;
  }
  return total;
}

async function rowsOf({ db }: Context, ids: readonly string[]): Promise<FileNodeRow[]> {
  const rows: FileNodeRow[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    rows.push(
      ...(await db.selectFrom('file_nodes').selectAll().where('id', 'in', some).orderBy('id', 'desc').execute()),
    );
  }
  return rows;
}

/** Containers of the actor, those in which a list names the actor, and those of files that are shared with the actor. */
async function containersOf(
  { db }: Context,
  actor: Actor,
  only: readonly string[],
): Promise<Map<string, FileContainerRow>> {
  let query = db
    .selectFrom('file_containers')
    .selectAll()
    .where('state', '!=', 'destroyed')
    .where((e) =>
      e.or([
        e('owner_id', '=', actor.memberId),
        e(
          'id',
          'in',
          e.selectFrom('file_acl_entries').select('container_id').where('principal_id', '=', actor.memberId),
        ),
        e('id', 'in', e.selectFrom('file_shares').select('container_id').where('recipient_id', '=', actor.memberId)),
      ]),
    );
  for (const id of only) query = query.where('id', '=', id);
  return new Map((await query.execute()).map((row) => [row.id, row]));
}

async function sourcesOf(
  ctx: Context,
  actor: Actor,
  containers: readonly FileContainerRow[],
  filters: Filters,
): Promise<Source[]> {
  const own = containers.filter((row) => row.owner_id === actor.memberId).map(({ id }) => id);
  const others = containers.filter((row) => row.owner_id !== actor.memberId);
  if (containers.length === 0) return [];
  const trash = filters.deleted === true;
  const reach = await reachOf(ctx, actor, others, trash);
  const gone = goneBy(trash ? await cutoffsOf(ctx, containers) : undefined);
  const ids = containers.map(({ id }) => id);
  const described = filters.query !== undefined && (await haveDescriptions(ctx.db, ids)) ? ids : undefined;
  // Everything in a container is below its root folder.
  const scope = containers.some(({ root_id }) => root_id === filters.folderId) ? sql`` : scopeOf(filters);
  const matching = sql`${scope} and ${sql.join(conditionsOf(described, filters), sql` and `)}`;
  return [
    ...(await filesOf(ctx, own, gone, matching)),
    ...(reach.starts.length > 0 ? [filesIn(reach, gone, matching)] : []),
  ];
}

async function reachOf(
  ctx: Context,
  actor: Actor,
  containers: readonly FileContainerRow[],
  trash: boolean,
): Promise<Reach> {
  const starts: string[] = [];
  const withTrash: string[] = [];
  const decided: string[] = [];
  const ids = containers.map(({ id }) => id);
  const shared = new Map([...(await sharedIn(ctx, actor, ids))].map(([id, { flags }]) => [id, flags] as const));
  const reached = async (granted: ReadonlyMap<string, ReadonlySet<PermissionFlag>>): Promise<void> => {
    decided.push(...granted.keys());
    const readable = [...granted].filter(([, flags]) => flags.has('read'));
    const restorable = trash ? readable.filter(([, flags]) => flags.has('delete')).map(([node]) => node) : [];
    const living = readable.map(([node]) => node).filter((node) => !restorable.includes(node));
    starts.push(...restorable, ...(await liveAmong(ctx, living)));
    withTrash.push(...restorable);
  };
  for (const id of ids) await reached(await grantedIn(ctx, actor, id));
  await reached(shared);
  return { starts, withTrash, decided };
}

async function cutoffsOf(ctx: Context, containers: readonly FileContainerRow[]): Promise<Map<string, number>> {
  const cleared = containers.filter(isCleared).map(({ id }) => id);
  const keeping = await keepingOf(ctx, cleared);
  return new Map([...keeping].map(([id, one]) => [id, trashCutoff(ctx.clock.now(), one) ?? -1]));
}

interface DeletionColumns {
  readonly deletedAt: RawBuilder<unknown>;
  readonly container: RawBuilder<unknown>;
}

/** What is not found, and what may be: what is in the trash is not, or, if that is searched, what has gone from it by the clock. */
interface Gone {
  readonly is: (columns: DeletionColumns) => RawBuilder<unknown>;
  readonly isnt: (columns: DeletionColumns) => RawBuilder<unknown>;
}

/** @param cutoffs what was deleted then or earlier has gone, by the id of the container; undefined: all that is in the trash has */
function goneBy(cutoffs: ReadonlyMap<string, number> | undefined): Gone {
  // Neither is the other one behind `not`, which no index is used for.
  if (cutoffs === undefined)
    return { is: ({ deletedAt }) => sql`${deletedAt} is not null`, isnt: ({ deletedAt }) => sql`${deletedAt} is null` };
  const cases = [...cutoffs].map(([id, cutoff]) => sql`when ${id} then cast(${cutoff} as bigint)`);
  if (cases.length === 0) return { is: () => sql`1 = 0`, isnt: () => sql`1 = 1` };
  const is = ({ deletedAt, container }: DeletionColumns) =>
    sql`coalesce(${deletedAt} <= case ${container} ${sql.join(cases, sql` `)} else -1 end, false)`;
  return { is, isnt: (columns) => sql`not (${is(columns)})` };
}

function scopeOf({ folderId }: Filters): RawBuilder<unknown> {
  if (folderId === undefined) return sql``;
  return sql`and f.parent_id in (
    with recursive scope (id) as (
      select id from file_nodes where id = ${folderId}
      union all
      select n.id from file_nodes n join scope on n.parent_id = scope.id where n.kind = 0
    )
    select id from scope)`;
}

/**
 * The files of whole containers. One pass over the index `file_nodes_search`, which has the names, finds what is called something; in one
 * container it has them from the newest on, so that a page that is full ends it. What is below a folder of the trash has no mark of its
 * own, and looking at the folder of each file would triple the time, so it is only done where there is such a folder.
 */
async function filesOf(
  { db }: Context,
  own: readonly string[],
  gone: Gone,
  matching: RawBuilder<unknown>,
): Promise<Source[]> {
  const isGone = gone.is({ deletedAt: sql`deleted_at`, container: sql`container_id` });
  if (own.length === 0) return [];
  const deleted = sql`from file_nodes where container_id in (${list(own)}) and kind = 0 and ${isGone}`;
  const hasTrash = (await sql`select id ${deleted} limit 1`.execute(db)).rows.length > 0;
  const inLive = sql`and f.parent_id not in (
    with recursive dead (id) as (
      select id ${deleted}
      union all
      select n.id from file_nodes n join dead on n.parent_id = dead.id where n.kind = 0
    )
    select id from dead)`;
  const found = gone.isnt({ deletedAt: sql`f.deleted_at`, container: sql`f.container_id` });
  const sources = own.length <= MOST_SOURCES ? own.map((id) => [id]) : [own];
  return sources.map((ids) => (what) => {
    const place = ids.length === 1 ? sql`= ${ids[0]}` : sql`in (${list(ids)})`;
    return sql`
      select ${what} from file_nodes f
      where f.kind = 1 and f.container_id ${place} and ${found} ${hasTrash ? inLive : sql``} ${matching}`;
  });
}

/** The files within reach, in containers of others. */
function filesIn({ starts, withTrash, decided }: Reach, gone: Gone, matching: RawBuilder<unknown>): Source {
  const inTrash = sql`case when id in (${list(withTrash)}) then 1 else 0 end`;
  const found = sql`(n.deleted_at is null or (reach.trash = 1 and ${gone.isnt({
    deletedAt: sql`n.deleted_at`,
    container: sql`n.container_id`,
  })}))`;
  return (what) => sql`
    with recursive reach (id, kind, trash) as (
      select id, kind, ${inTrash} from file_nodes where id in (${list(starts)})
      union all
      select n.id, n.kind, reach.trash from file_nodes n join reach on n.parent_id = reach.id
      where n.kind = 0 and ${found} and n.id not in (${list(decided)})
    ),
    found (id) as (
      select n.id from reach join file_nodes n on n.parent_id = reach.id
      where reach.kind = 0 and n.kind = 1 and ${found} and n.id not in (${list(decided)})
      union all
      select n.id from reach join file_nodes n on n.id = reach.id
      where reach.kind = 1 and ${found}
    )
    select ${what} from found join file_nodes f on f.id = found.id where f.kind = 1 ${matching}`;
}

/** Both engines refuse an empty list. */
function list(ids: readonly string[]): RawBuilder<unknown> {
  return sql.join(ids.length === 0 ? [''] : [...ids]);
}
