import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { bytesOf } from '../../../platform/store/member-storage.ts';
import { grantedIn } from '../access/passages.ts';
import { requirePlace } from '../access/places.ts';

/** Everybody may see what they use themselves. */
export async function showUsage(ctx: Context, actor: Actor) {
  const rows = await ctx.db
    .selectFrom('file_containers')
    .selectAll()
    .where('owner_id', '=', actor.memberId)
    .where('state', '!=', 'destroyed')
    .orderBy('id')
    .execute();
  const parts = await partsOf(
    ctx,
    rows.map(({ id }) => id),
  );
  const { perMemberBytes } = ctx.config.storage;
  return {
    usedBytes: await bytesOf(ctx.db, actor.memberId),
    quotaBytes: perMemberBytes,
    filesBytes: rows.reduce((sum, { used, reserved }) => sum + used + reserved, 0),
    containers: rows.map((row) => ({
      id: row.id,
      name: row.name,
      state: row.state,
      usedBytes: row.used,
      reservedBytes: row.reserved,
      trashBytes: parts.get(row.id)?.trash ?? 0,
      versionsBytes: parts.get(row.id)?.versions ?? 0,
      quotaBytes: row.quota ?? perMemberBytes,
    })),
  };
}

interface Parts {
  readonly container_id: string;
  readonly trash: number;
  readonly versions: number;
}

/** Of what is used: what is in the trash, and what older versions need elsewhere. A content counts once, whoever shares it. */
async function partsOf({ db }: Context, ids: readonly string[]): Promise<Map<string, Parts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Parts>`
    with recursive gone (id) as (
      select id from file_nodes where container_id in (${sql.join([...ids])}) and deleted_at is not null
      union
      select n.id from file_nodes n join gone on n.parent_id = gone.id
    )
    select c.container_id,
      cast(sum(case when g.id is not null then c.size else 0 end) as bigint) as trash,
      cast(sum(case when g.id is null and (cur.content_id is null or cur.content_id <> c.id) then c.size else 0 end) as bigint) as versions
    from file_contents c
    join file_nodes f on f.id = c.file_id
    left join gone g on g.id = f.id
    left join file_versions cur on cur.id = f.version_id
    where c.container_id in (${sql.join([...ids])})
      and exists (select 1 from file_versions v where v.content_id = c.id)
    group by c.container_id`.execute(db);
  return new Map(rows.map((row) => [row.container_id, row]));
}

interface ChildRow {
  readonly top: string;
  readonly name: string;
  readonly kind: 0 | 1;
  readonly size: number;
  readonly files: number;
  readonly folders: number;
}

/** What the actor sees below a folder. The sums of all that is directly in it come from one statement. */
export async function showFolderUsage(ctx: Context, actor: Actor, { id }: { readonly id: string }) {
  const { node, container, rights } = await requirePlace(ctx, actor, 0, id);
  const granted = rights.owner ? new Map<string, ReadonlySet<string>>() : await grantedIn(ctx, actor, container.id);
  const readable = [...granted].filter(([, flags]) => flags.has('read')).map(([one]) => one);
  const inherited = rights.flags.has('read') ? 1 : 0;
  const seen = (above: ReturnType<typeof sql>) => sql`case when n.id in (${list(readable)}) then 1
    when n.id in (${list([...granted.keys()])}) then 0 else ${above} end`;
  const { rows } = await sql<ChildRow>`
    with recursive down (top, id, kind, size, seen) as (
      select n.id, n.id, n.kind, n.size, ${seen(sql`cast(${inherited} as integer)`)}
      from file_nodes n where n.parent_id = ${id} and n.deleted_at is null
      union all
      select down.top, n.id, n.kind, n.size, ${seen(sql`down.seen`)}
      from file_nodes n join down on n.parent_id = down.id where n.deleted_at is null
    )
    select d.top, t.name, t.kind, cast(sum(d.size) as bigint) as size,
      cast(sum(d.kind) as bigint) as files, cast(sum(1 - d.kind) as bigint) as folders
    from down d join file_nodes t on t.id = d.top
    where d.seen = 1
    group by d.top, t.name, t.kind
    order by size desc, t.name`.execute(ctx.db);
  const sum = (of: (row: ChildRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    id,
    name: node.parent_id === null ? container.name : node.name,
    sizeBytes: sum(({ size }) => size),
    files: sum(({ files }) => files),
    folders: sum(({ folders }) => folders),
    children: rows.map(({ top, name, kind, size, files }) => ({
      id: top,
      name,
      itemType: kind === 0 ? ('folder' as const) : ('file' as const),
      sizeBytes: size,
      files,
    })),
  };
}

/** Both engines refuse an empty list. */
function list(ids: readonly string[]) {
  return sql.join(ids.length === 0 ? [''] : [...ids]);
}
