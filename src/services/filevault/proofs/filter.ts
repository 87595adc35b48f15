import { setImmediate as breathe } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { FILTER, filterBits } from '../../../crypto/bloom-filter.ts';
import { fromHex, plain, toHex } from '../../../crypto/bytes.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import { ledgerTag } from '../../../crypto/formats/ledger/entry.ts';
import { readHead } from '../../../platform/ledger/head.ts';
import { logKeyOf } from '../../../crypto/formats/ledger/log-key.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileFilterRow } from '../../../platform/store/tables/file-proofs.ts';
import { addTags, proveAbsence, replaceFilter, type Absence } from './filter-rows.ts';
import { filterTask } from './filter-task.ts';
import { buildFilter, type BuiltFilter } from './filter-tree.ts';

/** Every access that was answered until `asOf` has an index in the ledger below `coversTo`. */
export interface Cover {
  readonly asOf: number;
  readonly coversTo: number;
}

/** A filter that its entry of the ledger commits to, and what shows that a file is not in it. */
export interface Proven extends Absence {
  readonly filter: FileFilterRow & { readonly ledger_entry: string };
  readonly cover: Cover;
}

/** Accesses that one transaction adds to a filter. */
const BATCH = 64;
/** Adding one takes as long as building a filter of so many anew, in a thread. */
const AS_SLOW_AS = 800;
/** Up to this many tags are hashed here; it takes some milliseconds. */
const FEW = 1_000;
const PAGE = 2_000;
/** Another process may change the filter meanwhile. */
const TRIES = 100;

export function fileTagOf({ keys }: Pick<Context, 'keys'>, fileId: string): string {
  return ledgerTag(keys.ledgerTag, 'file', fileId);
}

/**
 * What a filter has to cover now. On PostgreSQL entries get their places after the commit, so those of accesses that were committed get
 * them first.
 *
 * @throws Problem unavailable LEDGER_BEHIND
 */
async function coverOf(ctx: Context, containerId: string): Promise<Cover> {
  // Whatever is answered in this millisecond may be committed after the next line.
  const asOf = ctx.clock.now() - 1;
  const waiting = await ctx.db
    .selectFrom('file_accesses')
    .innerJoin('ledger_waiting', 'ledger_waiting.id', 'file_accesses.ledger_entry')
    .select('ledger_entry')
    .where('container_id', '=', containerId)
    .where('merged', '=', 0)
    .execute();
  if (waiting.length > 0)
    await placesOf(
      ctx,
      waiting.map(({ ledger_entry }) => ledger_entry),
    );
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  return { asOf, coversTo: head?.size ?? 0 };
}

/**
 * Brings the filter of a container up to date, and shows that a file is not in it.
 *
 * @param check runs in each transaction before anything else
 */
export async function proveNotAccessed(
  ctx: Context,
  containerId: string,
  fileId: string,
  check: (tx: Context) => Promise<void>,
): Promise<Proven> {
  const cover = await coverOf(ctx, containerId);
  const tag = fromHex(fileTagOf(ctx, fileId));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const step = await transaction(ctx, async (tx) => {
      await check(tx);
      return await oneStep(tx, containerId, cover, tag);
    });
    if (step.done !== undefined) return step.done;
    if (step.rebuild) await rebuild(ctx, containerId, cover, step.seen);
  }
  throw new Problem('unavailable', 'OVERLOADED', 'Too many files are being accessed at the moment. Try again.');
}

interface Step {
  readonly done?: Proven;
  /** the filter has to be built anew in the place of the one that was seen */
  readonly rebuild?: boolean;
  readonly seen?: FileFilterRow | undefined;
}

async function oneStep(tx: Context, containerId: string, cover: Cover, tag: Uint8Array): Promise<Step> {
  const seen = await filterOf(tx, containerId);
  if (seen === undefined) return { rebuild: true, seen };
  const isNew = newAccesses(tx, containerId, cover);
  const { total } = await isNew.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const isSlow = total > BATCH + seen.count / AS_SLOW_AS;
  if (isSlow || filterBits(seen.count + total) > seen.bits) return { rebuild: true, seen };
  let filter = seen;
  if (total > 0) {
    const rows = await isNew
      .select(['file_accesses.file_id', 'ledger_entries.leaf_index'])
      .orderBy('ledger_entries.leaf_index')
      .limit(BATCH)
      .execute();
    const tags = rows.map(({ file_id }) => fromHex(fileTagOf(tx, file_id)));
    const root = await addTags(tx, seen, tags);
    if (root === undefined) return { rebuild: true, seen };
    await markMerged(
      tx,
      containerId,
      rows.map(({ file_id }) => file_id),
    );
    const covers_to = Math.max(seen.covers_to, (rows.at(-1)?.leaf_index ?? 0) + 1);
    filter = { ...seen, root, count: seen.count + rows.length, covers_to, ledger_entry: null };
    if (rows.length < total) {
      await saveFilter(tx, filter);
      return {};
    }
  }
  if (filter.ledger_entry === null) {
    filter = await published(tx, { ...filter, ...laterOf(filter, cover) });
    await saveFilter(tx, filter);
  }
  const absence = await proveAbsence(tx, filter, tag);
  if (absence === undefined) return { rebuild: true, seen: filter };
  const { covers_to, as_of } = laterOf(filter, cover);
  const committed = { ...filter, ledger_entry: filter.ledger_entry ?? '' };
  return { done: { ...absence, filter: committed, cover: { coversTo: covers_to, asOf: as_of } } };
}

/** A filter that another request brought further than this one needs stays as far as it is. */
function laterOf({ covers_to, as_of }: FileFilterRow, cover: Cover): Pick<FileFilterRow, 'covers_to' | 'as_of'> {
  return covers_to > cover.coversTo ? { covers_to, as_of } : { covers_to: cover.coversTo, as_of: cover.asOf };
}

async function filterOf({ db }: Pick<Context, 'db'>, containerId: string): Promise<FileFilterRow | undefined> {
  return await db.selectFrom('file_filters').selectAll().where('container_id', '=', containerId).executeTakeFirst();
}

function newAccesses({ db }: Pick<Context, 'db'>, containerId: string, { coversTo }: Cover) {
  return db
    .selectFrom('file_accesses')
    .innerJoin('ledger_entries', 'ledger_entries.entry_id', 'file_accesses.ledger_entry')
    .where('file_accesses.container_id', '=', containerId)
    .where('file_accesses.merged', '=', 0)
    .where('ledger_entries.leaf_index', '<', coversTo);
}

async function markMerged({ db }: Pick<Context, 'db'>, containerId: string, files: readonly string[]): Promise<void> {
  await db
    .updateTable('file_accesses')
    .set({ merged: 1 })
    .where('container_id', '=', containerId)
    .where('file_id', 'in', files)
    .execute();
}

async function saveFilter({ db }: Pick<Context, 'db'>, { container_id, ...values }: FileFilterRow): Promise<void> {
  await db.updateTable('file_filters').set(values).where('container_id', '=', container_id).execute();
}

/** Commits to a filter in the ledger. */
async function published(tx: Context, filter: FileFilterRow): Promise<FileFilterRow> {
  const { container_id, bits, salt, count, root, covers_to, as_of } = filter;
  const ledger_entry = await appendEntry(tx, {
    type: 'ACCESS_FILTER',
    tags: { container: container_id },
    data: {
      merkleRoot: root,
      m: bits,
      k: FILTER.hashes,
      salt: toHex(salt),
      coversTo: covers_to,
      count,
      asOf: new Date(as_of).toISOString(),
    },
  });
  return { ...filter, ledger_entry };
}

/** Builds a filter of all accesses with a new salt: when it has no room, when it happens to have all bits of a file, or when it was damaged. */
async function rebuild(
  ctx: Context,
  containerId: string,
  cover: Cover,
  seen: FileFilterRow | undefined,
): Promise<void> {
  const { covers_to, as_of } =
    seen === undefined ? { covers_to: cover.coversTo, as_of: cover.asOf } : laterOf(seen, cover);
  const { tags, files } = await accessedTags(ctx, containerId, covers_to);
  const salt = ctx.random(FILTER.saltBytes);
  const bits = filterBits(files.length);
  const job = { tags, salt, bits };
  const built: BuiltFilter =
    files.length <= FEW ? buildFilter(tags, salt, bits) : await ctx.offload.run(filterTask, job);
  await transaction(ctx, async (tx) => {
    const now = await filterOf(tx, containerId);
    if (!isSame(now, seen)) return;
    const row = {
      container_id: containerId,
      bits,
      salt,
      count: files.length,
      root: toHex(built.root),
      covers_to,
      as_of,
    };
    await replaceFilter(tx, await published(tx, { ...row, ledger_entry: null }), built);
    for (let at = 0; at < files.length; at += PAGE) await markMerged(tx, containerId, files.slice(at, at + PAGE));
  });
}

function isSame(one: FileFilterRow | undefined, other: FileFilterRow | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.root === other.root && one.covers_to === other.covers_to && one.ledger_entry === other.ledger_entry;
}

/** The files that were accessed before an index of the ledger. Rows only come, so what the pages show together is the same at any time. */
async function accessedTags(ctx: Context, containerId: string, coversTo: number) {
  const files: string[] = [];
  const parts: Uint8Array[] = [];
  for (let after = ''; ;) {
    const rows = await ctx.db
      .selectFrom('file_accesses')
      .innerJoin('ledger_entries', 'ledger_entries.entry_id', 'file_accesses.ledger_entry')
      .select('file_accesses.file_id')
      .where('file_accesses.container_id', '=', containerId)
      .where('file_accesses.file_id', '>', after)
      .where('ledger_entries.leaf_index', '<', coversTo)
      .orderBy('file_accesses.file_id')
      .limit(PAGE)
      .execute();
    for (const { file_id } of rows) {
      files.push(file_id);
      parts.push(fromHex(fileTagOf(ctx, file_id)));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return { files, tags: plain(Buffer.concat(parts)) };
    after = last.file_id;
    await breathe();
  }
}
