import { sql } from 'kysely';
import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Checked, Fault } from '../../../contract/filevault/checking.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { requireOwnContainer } from '../access/containers.ts';
import { requirePlace } from '../access/places.ts';
import { record } from '../audit.ts';
import { nodeNotFound } from '../problems.ts';
import { checkContent, type Level } from './content-check.ts';
import { checkCounts } from './counts.ts';
import { unreferredBlocks } from './garbage.ts';

/** About what one request reads, so that it takes about a second. */
const BUDGET_BYTES = 64 * 1024 ** 2;
/** Contents that one statement reads. */
const ROWS = 100;
/** Faults of one request: the next one goes on where it stopped. */
const MOST_FAULTS = 500;

interface Step {
  readonly level: Level;
  readonly after?: string | undefined;
}

/** What is checked. Without anything: all containers of the node, and then the blocks that no row refers to. */
interface Scope {
  readonly containerId?: string | undefined;
  readonly folderId?: string | undefined;
  readonly fileId?: string | undefined;
}

export async function checkContainer(
  ctx: Context,
  actor: Actor,
  { id, level, fileId, folderId, after }: Step & Omit<Scope, 'containerId'> & { readonly id: string },
): Promise<Checked> {
  const container = await requireOwnContainer(ctx, actor, id);
  for (const [kind, nodeId] of [
    [0, folderId],
    [1, fileId],
  ] as const) {
    if (nodeId === undefined) continue;
    const place = await requirePlace(ctx, actor, kind, nodeId, { inTrash: true, alsoGone: true });
    if (place.container.id !== container.id) throw nodeNotFound(kind);
  }
  return await checkPart(ctx, actor, { containerId: id, folderId, fileId }, { level, after });
}

export async function checkFiles(
  ctx: Context,
  actor: Actor,
  { containerId, ...step }: Step & { readonly containerId?: string | undefined },
): Promise<Checked> {
  requireRole(actor, { all: ['admin', 'system'] });
  return await checkPart(ctx, actor, { containerId }, step);
}

/** Before the first block of the store. */
const FIRST_BLOCK = '0'.repeat(128);

async function checkPart(ctx: Context, actor: Actor, scope: Scope, { level, after }: Step): Promise<Checked> {
  const isWhole = scope.folderId === undefined && scope.fileId === undefined;
  const faults: Fault[] = after === undefined && isWhole ? await checkCounts(ctx, scope.containerId) : [];
  const totals = await totalsOf(ctx, scope);
  if (after !== undefined && after.length > 100) return { ...(await checkBlocks(ctx, after)), ...totals };
  const [afterId, place] = (after ?? '').split('.');
  let from = wholeNumber(place) ?? 0;
  let last = afterId ?? '';
  let [checked, bytes] = [0, 0];
  const damaged = new Map<string, Fault>();
  const done = async (next: string | null): Promise<Checked> => {
    await recordDamage(ctx, actor, [...damaged.values()]);
    return { checked, bytes, faults, next, ...totals };
  };
  for (;;) {
    const rows = await contentsOf(ctx, scope, last, from > 0);
    for (const { sealed_only, ...row } of rows) {
      if (checked > 0 && (bytes >= BUDGET_BYTES || faults.length >= MOST_FAULTS)) return await done(last);
      // The content may be gone by now, and then the next one begins at its begin.
      const start = row.id === afterId ? from : 0;
      const options = { level, from: start, budget: BUDGET_BYTES - bytes, sealedOnly: sealed_only === 1 };
      const looked = await checkContent(ctx, row, options);
      bytes += looked.bytes;
      for (const detail of looked.faults) {
        const fault = faultOf(row, detail);
        faults.push(fault);
        damaged.set(row.file_id, fault);
      }
      if (looked.next !== undefined) return await done(`${row.id}.${looked.next}`);
      checked += 1;
      from = 0;
      last = row.id;
    }
    if (rows.length < ROWS) break;
  }
  return await done(isWhole && scope.containerId === undefined ? FIRST_BLOCK : null);
}

function faultOf({ id, file_id, container_id }: FileContentRow, detail: string): Fault {
  const kind = detail.startsWith('block ') ? 'block' : 'content';
  return { kind, containerId: container_id, fileId: file_id, contentId: id, detail };
}

async function checkBlocks(ctx: Context, after: string): Promise<Omit<Checked, 'total' | 'totalBytes'>> {
  const { blocks, next } = await unreferredBlocks(ctx, after);
  const faults = blocks.map(({ id, size }) => ({
    kind: 'orphan' as const,
    containerId: null,
    fileId: null,
    contentId: null,
    detail: `block ${id} of ${size} bytes belongs to nothing. To drop it, run: conclave files gc`,
  }));
  return { checked: 0, bytes: 0, faults, next: next ?? null };
}

function within({ containerId, folderId, fileId }: Scope) {
  if (fileId !== undefined) return sql`c.file_id = ${fileId}`;
  if (folderId !== undefined)
    return sql`c.file_id in (
      with recursive down (id) as (
        select id from file_nodes where id = ${folderId}
        union all
        select n.id from file_nodes n join down on n.parent_id = down.id
      ) select id from down)`;
  return containerId === undefined ? sql`1 = 1` : sql`c.container_id = ${containerId}`;
}

/** In the order of ids. @param again the content with the id `last` is not checked to its end */
async function contentsOf({ db }: Context, scope: Scope, last: string, again: boolean) {
  const { rows } = await sql<FileContentRow & { sealed_only: number }>`
    select c.*, k.client_encrypted as sealed_only from file_contents c join file_containers k on k.id = c.container_id
    where ${within(scope)} and c.id ${again ? sql`>=` : sql`>`} ${last} order by c.id limit ${ROWS}`.execute(db);
  return rows;
}

async function totalsOf({ db }: Context, scope: Scope) {
  const { rows } = await sql<{ contents: number; bytes: number }>`
    select cast(count(*) as bigint) as contents, cast(coalesce(sum(c.size), 0) as bigint) as bytes
    from file_contents c where ${within(scope)}`.execute(db);
  return { total: rows[0]?.contents ?? 0, totalBytes: rows[0]?.bytes ?? 0 };
}

/** What is found goes to the audit log, once for each file. */
async function recordDamage(ctx: Context, actor: Actor, faults: readonly Fault[]): Promise<void> {
  for (const { containerId, fileId, detail } of faults)
    ctx.log.error('a file is damaged', { containerId: containerId ?? '', fileId: fileId ?? '', detail });
  if (faults.length === 0) return;
  await transaction(ctx, async (tx) => {
    for (const { containerId, fileId } of faults)
      if (containerId !== null && fileId !== null)
        await record(tx, actor, { action: 'FILE_DAMAGED', containerId, nodeId: fileId, metadata: { check: true } });
  });
}
