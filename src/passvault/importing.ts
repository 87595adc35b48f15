import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import type { ImportError, ImportFormat } from '../contract/passvault/transfer.ts';
import { recordId } from '../store/record-id.ts';
import { assertSameKey, openVault, type OpenVault } from './access.ts';
import { putContent, withdrawBlocks } from './attachment-blocks.ts';
import { record } from './audit.ts';
import { fromBase64 } from './base64.ts';
import { countEntries } from './entries.ts';
import { entryOf } from './entry-form.ts';
import { openEntries, sealNames } from './entry-rows.ts';
import { insertImported, sealImported, type SealedImport } from './import-rows.ts';
import { duplicateKey } from './import/duplicate.ts';
import { parseImport } from './import/parse.ts';
import type { ImportRecord } from './import/record.ts';
import { invalidField } from './problems.ts';

export interface ImportReport {
  imported: number;
  skipped: number;
  errors: ImportError[];
  notices: ImportError[];
  format: ImportFormat;
  dryRun: boolean;
}

/** As the contract says it. */
const MAX_BYTES = 50 * 1024 ** 2;

export interface ImportInput {
  readonly vaultId: string;
  readonly format: string;
  readonly fileContent: string;
  readonly password?: string | undefined;
  readonly skipDuplicates: boolean;
  readonly dryRun: boolean;
}

/** Reads and encrypts everything first; one transaction then takes all of it, or nothing. */
export async function importEntries(ctx: Context, actor: Actor, input: ImportInput): Promise<ImportReport> {
  const { vaultId, format, password } = input;
  const vault = await openVault(ctx, actor, vaultId);
  const bytes = fromBase64('fileContent', input.fileContent);
  if (bytes.length > MAX_BYTES) throw invalidField('fileContent', 'must be at most 50 MiB');
  const parsed = await parseImport(format, bytes, { ...(password !== undefined && { password }), heavy: ctx.heavy });
  const wanted = input.skipDuplicates ? await withoutDuplicates(ctx, vault, parsed.records) : parsed.records;
  const report = {
    imported: wanted.length,
    skipped: parsed.skipped.length + parsed.records.length - wanted.length,
    errors: parsed.errors.map(({ row, reason }) => ({ row, reason })),
    notices: parsed.notices.map(({ row, reason }) => ({ row, reason })),
    format: parsed.format,
    dryRun: input.dryRun,
  };
  if (!input.dryRun && wanted.length > 0) await store(ctx, actor, vault, wanted, parsed.format);
  return report;
}

async function withoutDuplicates(
  ctx: Context,
  vault: OpenVault,
  records: readonly ImportRecord[],
): Promise<ImportRecord[]> {
  const known = new Set<string>();
  for await (const batch of openEntries(ctx, vault))
    for (const { block } of batch) known.add(duplicateKey(entryOf(block)));
  return records.filter(({ entry }) => {
    const key = duplicateKey(entry);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

async function store(
  ctx: Context,
  actor: Actor,
  vault: OpenVault,
  records: readonly ImportRecord[],
  format: ImportFormat,
): Promise<void> {
  const sealed = await sealImported(ctx, vault, records);
  const attachments = await putAttachments(ctx, vault, records, sealed);
  try {
    await transaction(ctx, async (tx) => {
      await assertSameKey(tx, actor, vault);
      await insertImported(tx, vault, sealed);
      for (const row of attachments) await tx.db.insertInto('passvault_attachments').values(row).execute();
      await countEntries(tx, vault.id, records.length);
      await record(tx, actor, vault.id, 'ENTRY_CREATED', { by: 'import', format, count: records.length });
    });
  } catch (error) {
    await withdrawBlocks(
      ctx,
      attachments.map((row) => row.block_id),
    );
    throw error;
  }
}

async function putAttachments(
  ctx: Context,
  vault: OpenVault,
  records: readonly ImportRecord[],
  sealed: readonly SealedImport[],
) {
  const rows = [];
  const now = ctx.clock.now();
  for (const [at, { attachments }] of records.entries()) {
    for (const { filename, mimeType, bytes } of attachments) {
      const id = recordId(now, ctx.random);
      rows.push({
        id,
        vault_id: vault.id,
        entry_id: sealed[at]?.id ?? '',
        block_id: await putContent(ctx, vault, id, bytes),
        size_bytes: bytes.length,
        sealed: sealNames(ctx, vault, id, { filename, mimeType }),
        created_at: now,
      });
    }
  }
  return rows;
}
