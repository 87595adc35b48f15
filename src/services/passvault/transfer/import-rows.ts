import type { Context } from '../../../service/context.ts';
import { recordIds } from '../../../platform/store/record-id.ts';
import type { PassvaultEntryRow } from '../../../platform/store/tables/passvault.ts';
import type { OpenVault } from '../vaults/access.ts';
import type { EntryBlock } from '../entries/entry-form.ts';
import { sealEntry } from '../entries/entry-rows.ts';
import type { ImportRecord } from './import/record.ts';
import { lastPage, PAGE_RECORDS, writePage } from '../vaults/pages.ts';
import { propertiesOf, type Properties } from '../vaults/properties.ts';

/** An entry that is ready for its row. Only its page is not known yet. */
export interface SealedImport {
  readonly id: string;
  readonly row: Omit<PassvaultEntryRow, 'page'>;
  readonly properties: Properties;
  /** As in the file, not sealed yet. */
  readonly attachments: ImportRecord['attachments'];
}

/** Rows for each statement. */
const ROWS_AT_ONCE = 250;

/** Other work gets a turn after each batch. */
export async function sealImported(
  ctx: Context,
  vault: OpenVault,
  batches: Iterable<readonly ImportRecord[]>,
  tell: (done: number) => void,
): Promise<SealedImport[]> {
  const sealed: SealedImport[] = [];
  const now = ctx.clock.now();
  // Lists show the entries in the order of the file, also across pages.
  const nextId = recordIds(now, ctx.random);
  for (const batch of batches) {
    tell(sealed.length);
    for (const record of batch) sealed.push(sealOne(ctx, vault, record, now, nextId()));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sealed;
}

function sealOne(ctx: Context, vault: OpenVault, record: ImportRecord, now: number, id: string) {
  const { entry, createdAt, updatedAt, attachments } = record;
  const created = timeOf(createdAt, now);
  const updated = Math.max(created, timeOf(updatedAt, created));
  const changed = record.passwordChangedAt ?? entry.passwordHistory?.[0]?.changedAt ?? undefined;
  const passwordChangedAt = changed === undefined ? undefined : new Date(timeOf(changed, now)).toISOString();
  const block: EntryBlock = { ...entry, ...(passwordChangedAt !== undefined && { passwordChangedAt }) };
  return {
    id,
    row: {
      id,
      vault_id: vault.id,
      version: 1,
      sealed: sealEntry(ctx, vault, id, 1, block),
      created_at: created,
      updated_at: updated,
    },
    properties: propertiesOf(entry, { id, version: 1, createdAt: created, updatedAt: updated }),
    attachments,
  };
}

/** If the source's time is missing or in the future, the time of the import is used. */
function timeOf(text: string | undefined, fallback: number): number {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) || time < 0 || time > fallback ? fallback : time;
}

/** Fills the last page, then adds new pages. */
export async function insertImported(
  tx: Context,
  vault: OpenVault,
  sealed: readonly SealedImport[],
  tell: (done: number) => void,
): Promise<void> {
  let at = 0;
  while (at < sealed.length) {
    tell(at);
    // The store is blocked during this time, but the process still answers requests that do not need it.
    await new Promise((resolve) => setImmediate(resolve));
    const last = await lastPage(tx, vault);
    const some = sealed.slice(at, at + PAGE_RECORDS - last.records.length);
    await writePage(tx, vault, { ...last, records: [...last.records, ...some.map((one) => one.properties)] });
    for (let from = 0; from < some.length; from += ROWS_AT_ONCE) {
      const rows = some.slice(from, from + ROWS_AT_ONCE).map(({ row }) => Object.assign(row, { page: last.page }));
      await tx.db.insertInto('passvault_entries').values(rows).execute();
    }
    at += some.length;
  }
}
