import { assertStorageLeft, takeStorage } from '../accounts/storage.ts';
import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import type { EntryType } from '../contract/passvault/entry.ts';
import type { ImportColumns, ImportError, ImportFormat, ImportStage } from '../contract/passvault/transfer.ts';
import { recordId } from '../store/record-id.ts';
import { assertSameKey, openVault, ownerOf, type OpenVault } from './access.ts';
import { putContent } from './attachment-blocks.ts';
import { record } from './audit.ts';
import { fromBase64 } from './base64.ts';
import { keepBlocks, withdrawBlocks } from './block-drops.ts';
import { countEntries } from './entries.ts';
import { entryOf } from './entry-form.ts';
import { openEntries, sealNames } from './entry-rows.ts';
import { beginImport, type ImportNote } from './import-progress.ts';
import { insertImported, sealImported, type SealedImport } from './import-rows.ts';
import { duplicateKey } from './import/duplicate.ts';
import { parseImport } from './import/parse.ts';
import type { ImportRecord } from './import/record.ts';
import { distinctFilenames } from './names.ts';
import { invalidField } from './problems.ts';

export interface ImportReport {
  imported: number;
  types: Record<EntryType, number>;
  skipped: number;
  errors: ImportError[];
  notices: ImportError[];
  format: ImportFormat;
  dryRun: boolean;
}

/** As the contract says it. */
const MAX_BYTES = 50 * 1024 ** 2;

/** Records that are compared before others get their turn: some 10 ms of work. */
const COMPARED_AT_ONCE = 1_000;

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

/** Reads and encrypts everything first; one transaction then takes all of it, or nothing. */
export async function importEntries(ctx: Context, actor: Actor, input: ImportInput): Promise<ImportReport> {
  const { vaultId, format, password, columns } = input;
  const vault = await openVault(ctx, actor, vaultId);
  const bytes = fromBase64('fileContent', input.fileContent);
  if (bytes.length > MAX_BYTES) throw invalidField('fileContent', 'must be at most 50 MiB');
  using note = beginImport(ctx, actor, vaultId);
  const parsed = await parseImport(format, bytes, {
    ...(password !== undefined && { password }),
    ...(columns !== undefined && { columns }),
    heavy: ctx.heavy,
    includeRecycleBin: input.includeRecycleBin,
    onRead: (done, total) => note.tell('reading', done, total),
  });
  const wanted = input.skipDuplicates ? await withoutDuplicates(ctx, vault, parsed.records, note) : parsed.records;
  const report = {
    imported: wanted.length,
    types: typesOf(wanted),
    skipped: parsed.skipped.length + parsed.records.length - wanted.length,
    errors: parsed.errors.map(({ row, reason }) => ({ row, reason })),
    notices: parsed.notices.map(({ row, reason }) => ({ row, reason })),
    format: parsed.format,
    dryRun: input.dryRun,
  };
  if (!input.dryRun && wanted.length > 0) await store(ctx, actor, vault, wanted, parsed.format, note);
  return report;
}

function typesOf(records: readonly ImportRecord[]): Record<EntryType, number> {
  const types = { login: 0, credit_card: 0, secure_note: 0 };
  for (const { entry } of records) types[entry.type] += 1;
  return types;
}

async function withoutDuplicates(
  ctx: Context,
  vault: OpenVault,
  records: readonly ImportRecord[],
  note: ImportNote,
): Promise<ImportRecord[]> {
  const known = new Set<string>();
  const total = (await countOf(ctx, vault)) + records.length;
  let seen = 0;
  for await (const batch of openEntries(ctx, vault)) {
    for (const { block } of batch) known.add(duplicateKey(entryOf(block)));
    seen += batch.length;
    note.tell('comparing', seen, total);
  }
  const wanted: ImportRecord[] = [];
  for (const [at, one] of records.entries()) {
    if (at % COMPARED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    note.tell('comparing', seen + at, total);
    const key = duplicateKey(one.entry);
    if (known.has(key)) continue;
    known.add(key);
    wanted.push(one);
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

async function store(
  ctx: Context,
  actor: Actor,
  vault: OpenVault,
  records: readonly ImportRecord[],
  format: ImportFormat,
  note: ImportNote,
): Promise<void> {
  const tell = (stage: ImportStage) => (done: number) => note.tell(stage, done, records.length);
  const sealed = await sealImported(ctx, vault, records, tell('encrypting'));
  const size = sizeOf(records);
  const ownerId = size === 0 ? '' : await ownerOf(ctx, vault.id);
  if (size > 0) await assertStorageLeft(ctx, ownerId, size);
  const attachments = await putAttachments(ctx, vault, records, sealed, note);
  const blocks = attachments.map((row) => row.block_id);
  try {
    await transaction(ctx, async (tx) => {
      await assertSameKey(tx, actor, vault);
      if (size > 0) await takeStorage(tx, ownerId, size);
      await keepBlocks(tx, blocks);
      await insertImported(tx, vault, sealed, tell('storing'));
      for (const row of attachments) await tx.db.insertInto('passvault_attachments').values(row).execute();
      await countEntries(tx, vault.id, records.length);
      await record(tx, actor, vault.id, 'ENTRY_CREATED', { by: 'import', format, count: records.length });
    });
  } catch (error) {
    await withdrawBlocks(ctx, blocks);
    throw error;
  }
}

function sizeOf(records: readonly ImportRecord[]): number {
  return records.reduce(
    (sum, { attachments }) => sum + attachments.reduce((all, { bytes }) => all + bytes.length, 0),
    0,
  );
}

async function putAttachments(
  ctx: Context,
  vault: OpenVault,
  records: readonly ImportRecord[],
  sealed: readonly SealedImport[],
  note: ImportNote,
) {
  const rows = [];
  const total = records.reduce((sum, { attachments }) => sum + attachments.length, 0);
  const now = ctx.clock.now();
  for (const [at, { attachments }] of records.entries()) {
    const filenames = distinctFilenames(attachments.map((one) => one.filename));
    for (const [nth, { mimeType, bytes }] of attachments.entries()) {
      const filename = filenames[nth] ?? '';
      note.tell('attaching', rows.length, total);
      const which = { id: recordId(now, ctx.random), entryId: sealed[at]?.id ?? '' };
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
