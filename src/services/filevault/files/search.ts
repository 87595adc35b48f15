import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { desc, pageOf, type Next, type PageRequest } from '../../../store/page.ts';
import type { FileContainerRow, FileNodeRow } from '../../../store/tables/filevault.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import { grantedIn, liveAmong } from '../access/passages.ts';
import { requirePlace } from '../access/places.ts';
import { sharedIn } from '../access/shares.ts';
import { isCleared, keepingOf, trashCutoff } from '../keeping/policy.ts';
import { fileItemOf } from '../tree/nodes.ts';
import { conditionsOf, type Filters } from './search-filters.ts';

/** Files and folders from which the actor sees everything below, except for what is decided further down. */
interface Reach {
  readonly starts: readonly string[];
  /** those among them below which the actor may also see what is in the trash */
  readonly withTrash: readonly string[];
  /** files and folders with an entry of their own for the actor: what is above doesn't count for them */
  readonly decided: readonly string[];
  /** what was deleted then or earlier has gone, by the id of the container */
  readonly cutoffs: ReadonlyMap<string, number>;
}

export async function searchFiles(
  ctx: Context,
  actor: Actor,
  { limit, cursor, ...filters }: Filters & PageRequest,
): Promise<{ results: FileItem[]; total: number } & Next> {
  if (filters.folderId !== undefined) await requirePlace(ctx, actor, 0, filters.folderId);
  const containers = await containersOf(ctx, actor, filters.vaultContainerId);
  const reach = await reachOf(ctx, actor, [...containers.values()], filters.deleted === true);
  const found = (what: RawBuilder<unknown>) => statement(reach, filters, what);
  const { tags, ...others } = filters;
  const listing = {
    list: 'filevault.search',
    memberId: actor.memberId,
    filter: { ...others, tags: tags === undefined ? undefined : JSON.stringify(tags) },
    by: [desc<FileNodeRow>('id', (row) => row.id)],
  };
  const { rows, next } = await pageOf(ctx, listing, { limit, cursor }, async ({ values: [last] }, most) => {
    const behind = last === undefined ? sql`` : sql`and f.id < ${last}`;
    const end = most === undefined ? sql`` : sql`limit ${most}`;
    const query = sql<FileNodeRow>`${found(sql`f.*`)} ${behind} order by f.id desc ${end}`;
    return (await query.execute(ctx.db)).rows;
  });
  const counted = await sql<{ total: number }>`${found(sql`cast(count(*) as bigint) as total`)}`.execute(ctx.db);
  const results = rows.flatMap((row) => {
    const container = containers.get(row.container_id);
    return container === undefined ? [] : [fileItemOf(row, container)];
  });
  return { results, total: counted.rows[0]?.total ?? 0, ...next };
}

/** Containers of the actor, those in which a list names the actor, and those of files that are shared with the actor. */
async function containersOf(
  { db }: Context,
  actor: Actor,
  only: string | undefined,
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
  if (only !== undefined) query = query.where('id', '=', only);
  return new Map((await query.execute()).map((row) => [row.id, row]));
}

async function reachOf(
  ctx: Context,
  actor: Actor,
  containers: readonly FileContainerRow[],
  trash: boolean,
): Promise<Reach> {
  const cutoffs = trash ? await cutoffsOf(ctx, containers) : new Map<string, number>();
  const own = containers.filter((row) => row.owner_id === actor.memberId).map((row) => row.root_id);
  const starts = [...own];
  const withTrash = trash ? [...own] : [];
  const decided: string[] = [];
  const others = containers.filter(({ owner_id }) => owner_id !== actor.memberId).map(({ id }) => id);
  const shared = new Map([...(await sharedIn(ctx, actor, others))].map(([id, { flags }]) => [id, flags] as const));
  const reached = async (granted: ReadonlyMap<string, ReadonlySet<PermissionFlag>>): Promise<void> => {
    decided.push(...granted.keys());
    const readable = [...granted].filter(([, flags]) => flags.has('read'));
    const restorable = trash ? readable.filter(([, flags]) => flags.has('delete')).map(([node]) => node) : [];
    const living = readable.map(([node]) => node).filter((node) => !restorable.includes(node));
    starts.push(...restorable, ...(await liveAmong(ctx, living)));
    withTrash.push(...restorable);
  };
  for (const id of others) await reached(await grantedIn(ctx, actor, id));
  await reached(shared);
  return { starts, withTrash, decided, cutoffs };
}

async function cutoffsOf(ctx: Context, containers: readonly FileContainerRow[]): Promise<Map<string, number>> {
  const cleared = containers.filter(isCleared).map(({ id }) => id);
  const keeping = await keepingOf(ctx, cleared);
  return new Map([...keeping].map(([id, one]) => [id, trashCutoff(ctx.clock.now(), one) ?? -1]));
}

/** A statement over the files `f` within reach that match. It ends in its conditions. */
function statement({ starts, withTrash, decided, cutoffs }: Reach, filters: Filters, what: RawBuilder<unknown>) {
  const inTrash = sql`case when id in (${list(withTrash)}) then 1 else 0 end`;
  const cases = [...cutoffs].map(([id, cutoff]) => sql`when ${id} then cast(${cutoff} as bigint)`);
  const cutoff = (of: RawBuilder<unknown>) =>
    cases.length === 0 ? sql`-1` : sql`case ${of} ${sql.join(cases, sql` `)} else -1 end`;
  const scope = filters.folderId === undefined ? sql`` : sql`and f.parent_id in (select id from scope)`;
  return sql`
    with recursive reach (id, kind, trash) as (
      select id, kind, ${inTrash} from file_nodes where id in (${list(starts)})
      union all
      select n.id, n.kind, reach.trash from file_nodes n join reach on n.parent_id = reach.id
      where n.kind = 0 and (n.deleted_at is null or (reach.trash = 1 and n.deleted_at > ${cutoff(sql`n.container_id`)})) and n.id not in (${list(decided)})
    ),
    scope (id) as (
      select id from file_nodes where id = ${filters.folderId ?? ''}
      union all
      select n.id from file_nodes n join scope on n.parent_id = scope.id where n.kind = 0
    )
    select ${what} from file_nodes f
    join reach on (reach.kind = 0 and reach.id = f.parent_id and f.id not in (${list(decided)})) or
      (reach.kind = 1 and reach.id = f.id)
    where f.kind = 1 and (f.deleted_at is null or (reach.trash = 1 and f.deleted_at > ${cutoff(sql`f.container_id`)})) ${scope}
      and ${sql.join(conditionsOf(filters), sql` and `)}`;
}

/** Both engines refuse an empty list. */
function list(ids: readonly string[]): RawBuilder<unknown> {
  return sql.join(ids.length === 0 ? [''] : [...ids]);
}
