import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AuditEntry } from '../../../contract/filevault/audit.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { shownRecords, visibleRecords, type AuditFilter, type NameCache } from './records.ts';

/** Records of one piece. */
const BATCH = 500;
/** Names that are remembered between pieces. */
const NAMES = 10_000;

export async function exportAudit(
  ctx: Context,
  actor: Actor,
  { format, ...filter }: AuditFilter & { readonly format: 'jsonl' | 'csv' },
): Promise<Download> {
  // What comes after this does not belong to it, so that an export of a busy container has an end.
  const query = await visibleRecords(ctx, actor, filter);
  const newest = await query.orderBy('ledger_entry', 'desc').limit(1).executeTakeFirst();
  return {
    type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
    filename: `file-audit.${format}`,
    content: { flow: () => written(ctx, actor, filter, format, newest?.ledger_entry ?? '') },
  };
}

/** Piece by piece, as fast as the reader takes them. What the actor may see is decided for each piece anew. */
async function* written(
  ctx: Context,
  actor: Actor,
  filter: AuditFilter,
  format: 'jsonl' | 'csv',
  last: string,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield utf8(`${columns.map(([title]) => title).join(',')}\r\n`);
  const names: NameCache = new Map();
  for (let after = ''; ;) {
    const query = await visibleRecords(ctx, actor, filter);
    const rows = await query
      .where('ledger_entry', '>', after)
      .where('ledger_entry', '<=', last)
      .orderBy('ledger_entry')
      .limit(BATCH)
      .execute();
    const entries = await shownRecords(ctx, actor, rows, names);
    if (entries.length > 0) yield utf8(entries.map(format === 'csv' ? csvLine : jsonLine).join(''));
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.ledger_entry ?? last;
    if (names.size > NAMES) names.clear();
  }
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

const columns: readonly (readonly [title: string, of: (entry: AuditEntry) => string])[] = [
  ['timestamp', ({ timestamp }) => timestamp],
  ['action', ({ action }) => action],
  ['memberId', ({ memberId }) => memberId ?? ''],
  ['username', ({ username }) => username ?? ''],
  ['address', ({ address }) => address],
  ['vaultContainerId', ({ vaultContainerId }) => vaultContainerId ?? ''],
  ['fileId', ({ fileId }) => fileId ?? ''],
  ['name', ({ name }) => name ?? ''],
  ['details', ({ details }) => (details === null ? '' : JSON.stringify(details))],
  ['id', ({ id }) => id],
  ['ledgerEntryId', ({ ledgerEntryId }) => ledgerEntryId],
  ['ledgerIndex', ({ ledgerIndex }) => String(ledgerIndex)],
];

function csvLine(entry: AuditEntry): string {
  return `${columns.map(([, of]) => csvField(of(entry))).join(',')}\r\n`;
}

/** RFC 4180. Spreadsheets take a text for a formula by its first character, also after spaces, tabs and line ends. */
function csvField(text: string): string {
  const harmless = /^\s*[=+\-@|%\t\r\n]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
