import { sql } from 'kysely';
import type { Context } from '../../../service/context.ts';
import type { Fault } from '../../../contract/filevault/checking.ts';

/** At most this many faults of a kind are named. */
const NAMED = 100;
/** The janitor comes more often than that. */
const EXPIRED_MS = 3_600_000;

type Reading = Pick<Context, 'db' | 'clock'>;

/** @param containerId undefined: of all containers */
export async function checkCounts(ctx: Reading, containerId: string | undefined): Promise<Fault[]> {
  return [
    ...(await wrongCounts(ctx, containerId)),
    ...(await wrongVersions(ctx, containerId)),
    ...(await orphans(ctx, containerId)),
    ...(await expired(ctx, containerId)),
  ];
}

const held = sql`(exists (select 1 from file_uploads u where u.content_id = t.id and u.finalized_at is null)
  or exists (select 1 from file_quarantine q where q.content_id = t.id))`;
const versioned = sql`exists (select 1 from file_versions v where v.content_id = t.id)`;

/** What a container counts must be the sum of its rows. */
async function wrongCounts({ db }: Reading, containerId: string | undefined): Promise<Fault[]> {
  const only = containerId === undefined ? sql`` : sql`and c.id = ${containerId}`;
  const { rows } = await sql<{ id: string; used: number; reserved: number; u: number; r: number }>`
    select c.id, c.used, c.reserved, coalesce(s.u, 0) as u, coalesce(s.r, 0) as r
    from file_containers c left join (
      select t.container_id, cast(sum(case when ${versioned} then t.size else 0 end) as bigint) as u,
        cast(sum(case when not ${versioned} and ${held} then t.size else 0 end) as bigint) as r
      from file_contents t group by t.container_id
    ) s on s.container_id = c.id
    where (c.used <> coalesce(s.u, 0) or c.reserved <> coalesce(s.r, 0)) ${only}
    limit ${NAMED}`.execute(db);
  return rows.map((row) => ({
    kind: 'count',
    containerId: row.id,
    fileId: null,
    contentId: null,
    detail: `counts ${row.used} bytes of versions and ${row.reserved} of uploads, and its rows have ${row.u} and ${row.r}`,
  }));
}

interface VersionFault {
  readonly container_id: string;
  readonly file_id: string;
}

/** The newest version is the current one, and says what the file says; its content is the file's, and is finished. */
async function wrongVersions({ db }: Reading, containerId: string | undefined): Promise<Fault[]> {
  const only = containerId === undefined ? sql`` : sql`and n.container_id = ${containerId}`;
  const { rows: current } = await sql<VersionFault>`
    select n.container_id, n.id as file_id from file_nodes n left join file_versions v on v.id = n.version_id
    join file_containers k on k.id = n.container_id and k.state <> 'destroyed'
    where n.kind = 1 and (v.id is null or v.file_id <> n.id or v.size <> n.size
      or exists (select 1 from file_versions w where w.file_id = n.id and w.number > v.number)) ${only}
    limit ${NAMED}`.execute(db);
  const { rows: contents } = await sql<VersionFault>`
    select n.container_id, n.id as file_id from file_versions v
    join file_nodes n on n.id = v.file_id left join file_contents t on t.id = v.content_id
    where (t.id is null or t.file_id <> v.file_id or t.container_id <> n.container_id or t.size <> v.size
      or t.manifest is null) ${only}
    limit ${NAMED}`.execute(db);
  const fault =
    (detail: string) =>
    (row: VersionFault): Fault => ({
      kind: 'version',
      containerId: row.container_id,
      fileId: row.file_id,
      contentId: null,
      detail,
    });
  return [
    ...current.map(fault('its current version is not its newest one, or has another size')),
    ...contents.map(fault('one of its versions has no content, or that of another file or size')),
  ];
}

async function orphans({ db }: Reading, containerId: string | undefined): Promise<Fault[]> {
  const rows = await orphanedContents({ db }, containerId, NAMED);
  return rows.map((row) => ({
    kind: 'orphan',
    containerId: row.container_id,
    fileId: row.file_id,
    contentId: row.id,
    detail: 'a content belongs to no version and to no upload',
  }));
}

/** Contents that nothing refers to, in the order of ids. */
export async function orphanedContents({ db }: Pick<Context, 'db'>, containerId: string | undefined, most: number) {
  const only = containerId === undefined ? sql`` : sql`and t.container_id = ${containerId}`;
  const { rows } = await sql<{ id: string; file_id: string; container_id: string; slot: number; size: number }>`
    select t.id, t.file_id, t.container_id, t.slot, t.size from file_contents t
    where not ${versioned} and not ${held} ${only} order by t.id limit ${most}`.execute(db);
  return rows;
}

async function expired({ db, clock }: Reading, containerId: string | undefined): Promise<Fault[]> {
  let query = db
    .selectFrom('file_uploads')
    .selectAll()
    .where('expires_at', '<=', clock.now() - EXPIRED_MS)
    .where('finalized_at', 'is', null)
    .limit(NAMED);
  if (containerId !== undefined) query = query.where('container_id', '=', containerId);
  return (await query.execute()).map((row) => ({
    kind: 'expired',
    containerId: row.container_id,
    fileId: null,
    contentId: row.content_id,
    detail: 'an upload expired long ago, and was not cleared away',
  }));
}
