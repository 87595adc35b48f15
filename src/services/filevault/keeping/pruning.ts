import type { Actor } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { apart } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { FileContainerRow, FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { requirePlace } from '../access/places.ts';
import { requireApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { freeSpace } from '../containers/space.ts';
import { finishErasures, planErasure } from '../destruction/erasures.ts';
import { currentVersion, versionNotFound } from '../problems.ts';
import { isCleared, keepingIn, versionsCutoff, type Keeping } from './policy.ts';

/** Versions that one transaction removes. */
const BATCH = 50;
/** Files that are looked at together. */
const FILES = 500;

type Version = Pick<FileVersionRow, 'id' | 'number' | 'content_id' | 'created_at' | 'ledger_entry'>;

/**
 * Destroys a version by hand. What the quorum governs goes as a whole, by its decision. It takes the approvals that the destruction of the
 * file takes: otherwise a version that says nothing, and the removal of those before it, would be one.
 */
export async function removeVersion(
  ctx: Context,
  actor: Actor,
  { id, versionId }: { readonly id: string; readonly versionId: string },
): Promise<null> {
  const erasures = await transaction(ctx, async (tx) => {
    const { node, container } = await requirePlace(tx, actor, 1, id, { flag: 'manage_versions' });
    const version = (await versionsOf(tx, id)).find((one) => one.id === versionId);
    if (version === undefined) throw versionNotFound();
    if (node.version_id === versionId) throw currentVersion();
    if (container.quorum_governed === 1 || node.quorum_governed === 1) throw governed();
    await requireApproval(tx, actor, container, 'destruction', id);
    return await dropVersions(tx, actor, container, id, [version]);
  });
  await finishErasures(ctx, erasures);
  return null;
}

function governed(): Problem {
  const words = 'The quorum decides on the destruction of the file, with all its versions. No version goes alone.';
  return new Problem('forbidden', 'QUORUM_APPROVAL_REQUIRED', words);
}

/** The oldest last. */
async function versionsOf({ db }: Pick<Context, 'db'>, fileId: string): Promise<Version[]> {
  return await db
    .selectFrom('file_versions')
    .select(['id', 'number', 'content_id', 'created_at', 'ledger_entry'])
    .where('file_id', '=', fileId)
    .orderBy('number', 'desc')
    .execute();
}

type Who = Pick<Actor, 'memberId' | 'address'>;

/**
 * Removes versions, and the contents that no other version shares. It must run in a transaction.
 * @returns what `finishErasures` has to finish after the commit
 */
async function dropVersions(
  tx: Context,
  actor: Who,
  container: FileContainerRow,
  fileId: string,
  versions: readonly Version[],
): Promise<string[]> {
  const ids = versions.map(({ id }) => id);
  const first = (await versionsOf(tx, fileId)).at(-1);
  // What records the creation of the file stays known.
  if (first !== undefined && ids.includes(first.id))
    await tx.db
      .insertInto('file_origins')
      .values({ file_id: fileId, ledger_entry: first.ledger_entry })
      .onConflict((conflict) => conflict.column('file_id').doNothing())
      .execute();
  await tx.db.deleteFrom('file_versions').where('id', 'in', ids).execute();
  const contents = await tx.db
    .selectFrom('file_contents as c')
    .select(['c.id', 'c.slot', 'c.size'])
    .where(
      'c.id',
      'in',
      versions.map(({ content_id }) => content_id),
    )
    .where((e) =>
      e.not(e.exists(e.selectFrom('file_versions as v').select('v.id').whereRef('v.content_id', '=', 'c.id'))),
    )
    .execute();
  const size = contents.reduce((sum, content) => sum + content.size, 0);
  await record(tx, actor, {
    action: 'VERSIONS_DESTROYED',
    containerId: container.id,
    nodeId: fileId,
    metadata: { versions: ids.length, bytes: size },
  });
  if (contents.length === 0) return [];
  await dropContents(
    tx,
    contents.map(({ id }) => id),
  );
  await freeSpace(tx, container.id, 'used', size);
  return [
    await planErasure(
      tx,
      contents.map(({ slot }) => slot),
    ),
  ];
}

/** Removes contents with their blocks. It must run in a transaction, and changes no count. */
export async function dropContents(tx: Context, ids: readonly string[]): Promise<void> {
  const blocks = await tx.db
    .selectFrom('file_blocks')
    .select('block_id')
    .where('content_id', 'in', ids)
    .where('block_id', 'is not', null)
    .execute();
  await tx.db.deleteFrom('file_contents').where('id', 'in', ids).execute();
  await dropBlocks(
    tx,
    blocks.flatMap(({ block_id }) => block_id ?? []),
  );
}

/** Has the versions of a file pruned soon, in the transaction that adds one. */
export async function planPruning(tx: Context, containerId: string, fileId: string, number: number): Promise<void> {
  const { versionsNumber } = await keepingIn(tx, containerId);
  if (versionsNumber === 0 || number <= versionsNumber) return;
  const now = tx.clock.now();
  await planJob(tx.db, { id: `file-pruning/${fileId}`, kind: 'file-pruning', payload: { fileId }, runAt: now, now });
}

export function pruningHandler(ctx: Context): JobHandler {
  return async (payload) => await pruneFile(ctx, (payload as { fileId: string }).fileId);
}

/** Destroys the versions of a file that the policy of its container lets go, in batches. */
async function pruneFile(ctx: Context, fileId: string): Promise<void> {
  for (;;) {
    // Most files have nothing that goes, and need no transaction.
    if ((await overdueOf(ctx, fileId)) === undefined) return;
    const erasures = await transaction(ctx, async (tx) => {
      const found = await overdueOf(tx, fileId);
      if (found === undefined) return [];
      const { container, versions } = found;
      return await dropVersions(tx, { memberId: container.owner_id, address: 'local' }, container, fileId, versions);
    });
    await finishErasures(ctx, erasures);
  }
}

interface Overdue {
  readonly container: FileContainerRow;
  /** at most one batch, the oldest ones */
  readonly versions: readonly Version[];
}

async function overdueOf(ctx: Context, fileId: string): Promise<Overdue | undefined> {
  const node = await ctx.db.selectFrom('file_nodes').selectAll().where('id', '=', fileId).executeTakeFirst();
  if (node === undefined || node.quorum_governed === 1) return undefined;
  const container = await ctx.db
    .selectFrom('file_containers')
    .selectAll()
    .where('id', '=', node.container_id)
    .executeTakeFirstOrThrow();
  if (!isCleared(container)) return undefined;
  const keeping = await keepingIn(ctx, container.id);
  const versions = overdue(await versionsOf(ctx, fileId), node.version_id, keeping, ctx.clock.now()).slice(-BATCH);
  return versions.length === 0 ? undefined : { container, versions };
}

/** @param versions the newest first */
function overdue(versions: readonly Version[], current: string | null, keeping: Keeping, now: number): Version[] {
  const cutoff = versionsCutoff(now, keeping);
  return versions.filter(({ id }, index) => {
    if (id === current) return false;
    if (keeping.versionsNumber > 0 && index >= keeping.versionsNumber) return true;
    // A version is replaced when the next one is stored.
    const replaced = versions[index - 1]?.created_at;
    return cutoff !== undefined && replaced !== undefined && replaced <= cutoff;
  });
}

/** Prunes all files, for policies that changed and for days that have passed. One that fails doesn't stop the others. */
export async function pruneVersions(ctx: Context): Promise<void> {
  const { versionsKept, versionsDays } = ctx.config.files;
  const chosen = await ctx.db.selectFrom('file_keeping').selectAll().execute();
  const some = chosen.some((row) => (row.versions_number ?? 0) > 0 || (row.versions_days ?? 0) > 0);
  if (versionsKept === 0 && versionsDays === 0 && !some) return;
  const pruning = apart(ctx, 'removing versions of a file');
  for (let last = ''; ;) {
    // By the index, in bounded steps: most files have one version.
    const found = await ctx.db
      .selectFrom('file_versions')
      .select('file_id')
      .where('file_id', '>', last)
      .where('number', '>', 1)
      .groupBy('file_id')
      .orderBy('file_id')
      .limit(FILES)
      .execute();
    for (const { file_id: id } of found) await pruning.run({ id }, async () => await pruneFile(ctx, id));
    last = found.at(-1)?.file_id ?? '';
    if (found.length < FILES) break;
  }
  pruning.end();
}
