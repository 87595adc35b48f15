import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Container, ListedContainer } from '../../../contract/filevault/fields.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { policiesOf, policyOf, shownPolicy, type Policy } from '../approvals/policy.ts';
import { grantedIn, liveAmong } from '../access/passages.ts';
import { sharedIn } from '../access/shares.ts';
import { keepingIn, keepingOf, type Keeping } from '../keeping/policy.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** What somebody may see in a container. */
interface Counts {
  readonly files: number;
  readonly folders: number;
  readonly accessed: number;
  readonly bytes: number;
}

export async function containerOf(ctx: Context, actor: Actor, row: FileContainerRow): Promise<Container> {
  const isOwner = row.owner_id === actor.memberId;
  const bytes = isOwner ? row.used : (await visibleCounts(ctx, actor, row.id)).bytes;
  return withBytes(ctx, row, bytes, { keeping: await keepingIn(ctx, row.id), policy: await policyOf(ctx, row.id) });
}

/** Containers as a list shows them. Those of the actor take one statement together. */
export async function listedContainers(
  ctx: Context,
  actor: Actor,
  rows: readonly FileContainerRow[],
): Promise<ListedContainer[]> {
  const own = await allCounts(
    ctx,
    rows.filter((row) => row.owner_id === actor.memberId),
  );
  const ids = rows.map(({ id }) => id);
  const [keeping, policies] = [await keepingOf(ctx, ids), await policiesOf(ctx, ids)];
  const listed: ListedContainer[] = [];
  for (const row of rows) {
    const kept = keeping.get(row.id);
    const counts = own.get(row.id) ?? (await visibleCounts(ctx, actor, row.id));
    const policy = policies.get(row.id);
    if (kept !== undefined) listed.push(withCounts(ctx, row, counts, { keeping: kept, policy }));
  }
  return listed;
}

/** What the owner of a container chose. */
interface Chosen {
  readonly keeping: Keeping;
  readonly policy: Policy | undefined;
}

function withCounts(ctx: Context, row: FileContainerRow, counts: Counts, chosen: Chosen): ListedContainer {
  return {
    ...withBytes(ctx, row, counts.bytes, chosen),
    fileCount: counts.files,
    folderCount: counts.folders,
    sealStatus: {
      allPristine: counts.accessed === 0,
      sealedCount: counts.files - counts.accessed,
      accessedCount: counts.accessed,
      totalFiles: counts.files,
    },
  };
}

function withBytes(ctx: Context, row: FileContainerRow, usedBytes: number, { keeping, policy }: Chosen): Container {
  return {
    id: row.id,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    ownerId: row.owner_id,
    state: row.state,
    rootFolderId: row.root_id,
    quorumGoverned: row.quorum_governed === 1,
    clientEncrypted: row.client_encrypted === 1,
    approvals: shownPolicy(policy),
    usedBytes,
    quotaBytes: row.quota ?? ctx.config.storage.perMemberBytes,
    trashDays: keeping.trashDays,
    versionPolicy: { number: keeping.versionsNumber, days: keeping.versionsDays },
    visibleWatermark: keeping.visibleWatermark,
    invisibleWatermark: keeping.invisibleWatermark,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** For their owner, by the index alone. */
async function allCounts({ db }: Context, containers: readonly FileContainerRow[]): Promise<Map<string, Counts>> {
  if (containers.length === 0) return new Map();
  const ids = containers.map(({ id }) => id);
  const rows = await db
    .selectFrom('file_nodes')
    .select((e) => [
      'container_id',
      'kind',
      e.fn.countAll<number>().as('count'),
      e.fn.count<number>('accessed_at').as('accessed'),
    ])
    .where('container_id', 'in', ids)
    .groupBy(['container_id', 'kind'])
    .execute();
  return new Map(
    containers.map(({ id, used }) => {
      const [folders, files] = [0, 1].map((kind) => rows.find((row) => row.container_id === id && row.kind === kind));
      // The root folder doesn't count.
      const inside = (folders?.count ?? 1) - 1;
      return [id, { files: files?.count ?? 0, folders: inside, accessed: files?.accessed ?? 0, bytes: used }];
    }),
  );
}

/** For anybody else. Counts of what they may not see would tell of it, so everything below what is granted is counted, and nothing else. */
async function visibleCounts(ctx: Context, actor: Actor, containerId: string): Promise<Counts> {
  const granted = await grantedIn(ctx, actor, containerId);
  const shared = await sharedIn(ctx, actor, [containerId]);
  const readable = [...granted, ...[...shared].map(([id, { flags }]) => [id, flags] as const)]
    .filter(([, flags]) => flags.has('read'))
    .map(([id]) => id);
  const starts = await liveAmong(ctx, [...new Set(readable)]);
  if (starts.length === 0) return { files: 0, folders: 0, accessed: 0, bytes: 0 };
  const { rows } = await sql<{ kind: number; count: number; accessed: number; bytes: number }>`
    with recursive down (id, kind, size, accessed_at) as (
      select id, kind, size, accessed_at from file_nodes where id in (${sql.join(starts)})
      union all
      select n.id, n.kind, n.size, n.accessed_at from file_nodes n join down on n.parent_id = down.id
      where n.deleted_at is null and n.id not in (${sql.join([...granted.keys(), ...shared.keys()])})
    )
    select kind, cast(count(*) as bigint) as count, cast(count(accessed_at) as bigint) as accessed,
      cast(sum(size) as bigint) as bytes
    from down group by kind`.execute(ctx.db);
  const [folders, files] = [0, 1].map((kind) => rows.find((row) => row.kind === kind));
  return {
    files: files?.count ?? 0,
    folders: folders?.count ?? 0,
    accessed: files?.accessed ?? 0,
    bytes: files?.bytes ?? 0,
  };
}
