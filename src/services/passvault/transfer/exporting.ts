import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { ExportFormat } from '../../../contract/passvault/transfer.ts';
import { openVault, type OpenVault } from '../vaults/access.ts';
import { getContent } from '../entries/attachment-blocks.ts';
import { record } from '../vaults/audit.ts';
import { entryOf } from '../entries/entry-form.ts';
import { attachmentsOf, openEntries } from '../entries/entry-rows.ts';
import { exportCsv } from './export/bitwarden-csv.ts';
import { exportBitwardenJson } from './export/bitwarden-json.ts';
import type { ExportedEntry } from './export/exported-entry.ts';
import { protectTask } from './export/protect-task.ts';

export interface Exported {
  format: ExportFormat;
  filename: string;
  mimeType: string;
  content: string;
  entries: number;
}

/** The export is in the audit log before any data is sent. */
async function exportPlain(
  ctx: Context,
  actor: Actor,
  { vaultId, format }: { vaultId: string; format: 'bitwarden_json' | 'csv' },
): Promise<Exported> {
  const entries = await entriesFor(ctx, actor, vaultId, format);
  const count = entries.length;
  if (format === 'csv') {
    return {
      format,
      filename: `vault-${vaultId}.csv`,
      mimeType: 'text/csv',
      content: await exportCsv(entries),
      entries: count,
    };
  }
  const content = await exportBitwardenJson(entries, { now: ctx.clock.now() });
  return { format, filename: `vault-${vaultId}.json`, mimeType: 'application/json', content, entries: count };
}

export async function exportProtected(
  ctx: Context,
  actor: Actor,
  { vaultId, password }: { vaultId: string; password: string },
): Promise<Exported> {
  const entries = await entriesFor(ctx, actor, vaultId, 'encrypted');
  const json = await exportBitwardenJson(entries, { now: ctx.clock.now() });
  return {
    format: 'encrypted',
    filename: `vault-${vaultId}-encrypted.json`,
    mimeType: 'application/json',
    content: await ctx.offload.run(protectTask, { json, password }),
    entries: entries.length,
  };
}

async function entriesFor(ctx: Context, actor: Actor, vaultId: string, format: ExportFormat): Promise<ExportedEntry[]> {
  const vault = await transaction(ctx, async (tx) => {
    const open = await openVault(tx, actor, vaultId);
    await record(tx, actor, vaultId, 'VAULT_EXPORTED', { format });
    return open;
  });
  const attachments = await contentsOf(ctx, vault, format !== 'csv');
  const entries: ExportedEntry[] = [];
  for await (const batch of openEntries(ctx, vault)) {
    for (const { row, block } of batch) {
      entries.push({
        ...entryOf(block),
        ...(block.passwordChangedAt !== undefined && { passwordChangedAt: block.passwordChangedAt }),
        attachments: attachments.get(row.id) ?? [],
        createdAt: new Date(row.created_at).toISOString(),
        updatedAt: new Date(row.updated_at).toISOString(),
      });
    }
  }
  return entries;
}

type ExportedAttachments = NonNullable<ExportedEntry['attachments']>;

async function contentsOf(
  ctx: Context,
  vault: OpenVault,
  wanted: boolean,
): Promise<Map<string, ExportedAttachments[number][]>> {
  const found = new Map<string, ExportedAttachments[number][]>();
  for (const attachment of wanted ? await attachmentsOf(ctx, vault) : []) {
    const { entryId, blockId, filename, mimeType, sizeBytes } = attachment;
    const content = await getContent(ctx, vault, attachment, blockId);
    found.set(entryId, [...(found.get(entryId) ?? []), { filename, mimeType, sizeBytes, content }]);
  }
  return found;
}

// No function can have the name of the operation.
export { exportPlain as export };
