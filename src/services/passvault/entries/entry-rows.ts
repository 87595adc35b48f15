import type { Context } from '../../../service/context.ts';
import type { Attachment } from '../../../contract/passvault/entry.ts';
import type { PassvaultEntryRow } from '../../../platform/store/tables/passvault.ts';
import type { EntryBlock } from './entry-form.ts';
import type { Sealer } from '../vaults/pages.ts';
import { entryNotFound } from '../problems.ts';
import { openJson, sealJson, type Place } from '../vaults/sealing.ts';

function placeOf(vaultId: string, entryId: string, version: number): Place {
  return { vaultId, id: entryId, version, fieldClass: 'entry' };
}

export function sealEntry(
  ctx: Context,
  vault: Sealer,
  entryId: string,
  version: number,
  block: EntryBlock,
): Uint8Array {
  return sealJson(ctx, vault.dataKey, placeOf(vault.id, entryId, version), block);
}

/** @throws CryptoError */
export function openEntry(vault: Sealer, row: Pick<PassvaultEntryRow, 'id' | 'version' | 'sealed'>): EntryBlock {
  return openJson(vault.dataKey, placeOf(vault.id, row.id, row.version), row.sealed) as EntryBlock;
}

/** @throws Problem missing ENTRY_NOT_FOUND */
export async function entryRow(ctx: Context, vaultId: string, entryId: string): Promise<PassvaultEntryRow> {
  const row = await ctx.db
    .selectFrom('passvault_entries')
    .selectAll()
    .where('id', '=', entryId)
    .where('vault_id', '=', vaultId)
    .executeTakeFirst();
  if (row === undefined) throw entryNotFound();
  return row;
}

/** How many rows are opened before other work gets a turn: some 10 ms of work. */
const ROWS_AT_ONCE = 1_000;

export interface OpenedEntry {
  readonly row: PassvaultEntryRow;
  readonly block: EntryBlock;
}

/** All entries of a vault, opened a thousand at a time. */
export async function* openEntries(ctx: Context, vault: Sealer): AsyncGenerator<OpenedEntry[]> {
  let after = '';
  for (;;) {
    const rows = await ctx.db
      .selectFrom('passvault_entries')
      .selectAll()
      .where('vault_id', '=', vault.id)
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => ({ row, block: openEntry(vault, row) }));
    after = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface AttachmentNames {
  readonly filename: string;
  readonly mimeType: string;
}

/** Identifies an attachment and its entry. An attachment that is moved to another entry doesn't open. */
export interface AttachmentId {
  readonly id: string;
  readonly entryId: string;
}

export function attachmentPlace(
  vaultId: string,
  { id, entryId }: AttachmentId,
  fieldClass: 'attachment' | 'attachment-content',
): Place {
  return { vaultId, id: `${entryId}/${id}`, version: 1, fieldClass };
}

export function sealNames(ctx: Context, vault: Sealer, which: AttachmentId, names: AttachmentNames): Uint8Array {
  const { filename, mimeType } = names;
  return sealJson(ctx, vault.dataKey, attachmentPlace(vault.id, which, 'attachment'), { filename, mimeType });
}

function openNames(vault: Sealer, which: AttachmentId, sealed: Uint8Array): AttachmentNames {
  return openJson(vault.dataKey, attachmentPlace(vault.id, which, 'attachment'), sealed) as AttachmentNames;
}

export interface KeptAttachment extends Attachment {
  readonly blockId: string;
  readonly entryId: string;
}

/** The attachments of one entry, or of all entries of a vault; oldest first. */
export async function attachmentsOf(ctx: Context, vault: Sealer, entryId?: string): Promise<KeptAttachment[]> {
  let query = ctx.db.selectFrom('passvault_attachments').selectAll().where('vault_id', '=', vault.id).orderBy('id');
  if (entryId !== undefined) query = query.where('entry_id', '=', entryId);
  return (await query.execute()).map((row) => {
    const { id, size_bytes: sizeBytes, block_id: blockId, entry_id: owner } = row;
    const { filename, mimeType } = openNames(vault, { id, entryId: owner }, row.sealed);
    return { id, filename, mimeType, sizeBytes, blockId, entryId: owner };
  });
}

export function attachmentOf({ id, filename, mimeType, sizeBytes }: KeptAttachment): Attachment {
  return { id, filename, mimeType, sizeBytes };
}
