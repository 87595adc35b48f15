import { assertStorageLeft, takeStorage } from '../../../shared/members/storage.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { EntryType } from '../../../contract/passvault/entry.ts';
import type { ImportColumns, ImportError, ImportFormat, ImportStage } from '../../../contract/passvault/transfer.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { assertSameKey, openVault, ownerOf, type OpenVault } from '../vaults/access.ts';
import { putContent } from '../entries/attachment-blocks.ts';
import { record } from '../vaults/audit.ts';
import { keepBlocks, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { countEntries } from '../entries/entries.ts';
import { entryOf } from '../entries/entry-form.ts';
import { openEntries, sealNames } from '../entries/entry-rows.ts';
import { beginImport, type ImportNote } from './import-progress.ts';
import { insertImported, sealImported, type SealedImport } from './import-rows.ts';
import { duplicateKey } from './import/duplicate.ts';
import { openBatch } from './import/import-batch.ts';
import { importTask, type ImportJob, type ReadFile } from './import/import-task.ts';
import type { ImportRecord } from './import/record.ts';
import { distinctFilenames } from '../vaults/names.ts';
import { Problem } from '../../../base/problem.ts';

export interface ImportReport {
  imported: number;
  types: Record<EntryType, number>;
  skipped: number;
  errors: ImportError[];
  notices: ImportError[];
  format: ImportFormat;
  dryRun: boolean;
}

/** Keys that are compared before other work gets a turn. */
const COMPARED_AT_ONCE = 5_000;

export interface ImportInput {
  readonly vaultId: string;
  readonly format: string;
  readonly fileContent: string;
  readonly password?: string | undefined;
  readonly columns?: ImportColumns | undefined;
  readonly skipDuplicates: boolean;
  readonly includeRecycleBin: boolean;
  readonly dryRun: boolean;
}

/**
 * A thread reads the file. The records are then encrypted in pieces, so that other work gets turns. One transaction stores all of them, or
 * nothing. The reading is aborted when no client waits for it any more.
 */
export async function importEntries(ctx: Context, actor: Actor, input: ImportInput): Promise<ImportReport> {
  const { vaultId, skipDuplicates, dryRun, ...job } = input;
  const vault = await openVault(ctx, actor, vaultId);
  using note = beginImport(ctx, actor, vaultId);
  const read = await readFile(ctx, { ...job, withKeys: skipDuplicates }, note, ctx.caller?.signal);
  const wanted = skipDuplicates ? await withoutDuplicates(ctx, vault, read.keys, note) : undefined;
  const types = wanted === undefined ? read.types : read.types.filter((_, at) => wanted.has(at));
  const report = {
    imported: types.length,
    types: countsOf(types),
    skipped: read.skipped + read.types.length - types.length,
    errors: read.errors.map(({ row, reason }) => ({ row, reason })),
    notices: read.notices.map(({ row, reason }) => ({ row, reason })),
    format: read.format,
    dryRun,
  };
  if (!dryRun && types.length > 0) await store(ctx, actor, vault, read, { wanted, count: types.length }, note);
  return report;
}

async function readFile(
  ctx: Context,
  job: ImportJob,
  note: ImportNote,
  signal: AbortSignal | undefined,
): Promise<ReadFile> {
  try {
    return await ctx.offload.run(importTask, job, {
      ...(signal !== undefined && { signal }),
      onProgress: ({ done, total }) => note.tell('reading', done, total),
    });
  } catch (error) {
    if (signal?.aborted === true)
      throw new Problem('invalid', 'VALIDATION_ERROR', 'The client disconnected. Nothing was imported.', {
        cause: error,
      });
    if (error instanceof Problem) throw error;
    const message = 'The thread that read the file ended too early. Nothing was imported. Try again.';
    throw new Problem('internal', 'INTERNAL_ERROR', message, { cause: error });
  }
}

function countsOf(all: readonly EntryType[]): Record<EntryType, number> {
  const counts = { login: 0, credit_card: 0, secure_note: 0 };
  for (const type of all) counts[type] += 1;
  return counts;
}

/** @returns the indexes of the new records */
async function withoutDuplicates(
  ctx: Context,
  vault: OpenVault,
  keys: readonly string[],
  note: ImportNote,
): Promise<Set<number>> {
  const known = new Set<string>();
  const total = (await countOf(ctx, vault)) + keys.length;
  let seen = 0;
  for await (const batch of openEntries(ctx, vault)) {
    for (const { block } of batch) known.add(duplicateKey(entryOf(block)));
    seen += batch.length;
    note.tell('comparing', seen, total);
  }
  const wanted = new Set<number>();
  for (const [at, key] of keys.entries()) {
    if (at % COMPARED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    note.tell('comparing', seen + at, total);
    if (known.has(key)) continue;
    known.add(key);
    wanted.add(at);
  }
  return wanted;
}

async function countOf(ctx: Context, vault: OpenVault): Promise<number> {
  const row = await ctx.db
    .selectFrom('passvault_vaults')
    .select('entry_count')
    .where('id', '=', vault.id)
    .executeTakeFirst();
  return row?.entry_count ?? 0;
}

interface Wanted {
  /** indexes of records; undefined for all */
  readonly wanted: ReadonlySet<number> | undefined;
  readonly count: number;
}

async function store(
  ctx: Context,
  actor: Actor,
  vault: OpenVault,
  read: ReadFile,
  { wanted, count }: Wanted,
  note: ImportNote,
): Promise<void> {
  const tell = (stage: ImportStage) => (done: number) => note.tell(stage, done, count);
  const sealed = await sealImported(ctx, vault, recordsOf(read, wanted), tell('encrypting'));
  const size = sizeOf(sealed);
  const ownerId = size === 0 ? '' : await ownerOf(ctx, vault.id);
  if (size > 0) await assertStorageLeft(ctx, ownerId, size);
  const attachments = await putAttachments(ctx, vault, sealed, note);
  const blocks = attachments.map((row) => row.block_id);
  try {
    await transaction(ctx, async (tx) => {
      await assertSameKey(tx, actor, vault);
      if (size > 0) await takeStorage(tx, ownerId, size);
      await keepBlocks(tx, blocks);
      await insertImported(tx, vault, sealed, tell('storing'));
      for (const row of attachments) await tx.db.insertInto('passvault_attachments').values(row).execute();
      await countEntries(tx, vault.id, count);
      await record(tx, actor, vault.id, 'ENTRY_CREATED', { by: 'import', format: read.format, count });
    });
  } catch (error) {
    await withdrawBlocks(ctx, blocks);
    throw error;
  }
}

function sizeOf(sealed: readonly SealedImport[]): number {
  return sealed.reduce(
    (sum, { attachments }) => sum + attachments.reduce((all, { bytes }) => all + bytes.length, 0),
    0,
  );
}

/** The records, batch by batch. Each batch is released after its use. */
function* recordsOf(read: ReadFile, wanted: ReadonlySet<number> | undefined): Generator<ImportRecord[]> {
  let before = 0;
  for (const [at, batch] of read.batches.entries()) {
    read.batches[at] = new Uint8Array();
    const records = openBatch(batch, read.contents);
    const start = before;
    before += records.length;
    yield wanted === undefined ? records : records.filter((_, index) => wanted.has(start + index));
  }
}

async function putAttachments(ctx: Context, vault: OpenVault, sealed: readonly SealedImport[], note: ImportNote) {
  const rows = [];
  const total = sealed.reduce((sum, { attachments }) => sum + attachments.length, 0);
  const now = ctx.clock.now();
  for (const { id: entryId, attachments } of sealed) {
    const filenames = distinctFilenames(attachments.map((one) => one.filename));
    for (const [nth, { mimeType, bytes }] of attachments.entries()) {
      const filename = filenames[nth] ?? '';
      note.tell('attaching', rows.length, total);
      const which = { id: recordId(now, ctx.random), entryId };
      rows.push({
        id: which.id,
        vault_id: vault.id,
        entry_id: which.entryId,
        block_id: await putContent(ctx, vault, which, bytes),
        size_bytes: bytes.length,
        sealed: sealNames(ctx, vault, which, { filename, mimeType }),
        created_at: now,
      });
    }
  }
  return rows;
}

// No function can have the name of the operation.
export { importEntries as import };
