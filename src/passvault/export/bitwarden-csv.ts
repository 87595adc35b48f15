import type { ExportedEntry, ExportOptions } from './exported-entry.ts';
import { ENTRIES_BETWEEN_TURNS, nextTurn } from './exported-entry.ts';

const COLUMNS = [
  'folder',
  'favorite',
  'type',
  'name',
  'notes',
  'fields',
  'reprompt',
  'login_uri',
  'login_username',
  'login_password',
  'login_totp',
  'archivedDate',
];

/**
 * The columns of Bitwarden's CSV, every cell quoted and exactly as it is kept: spreadsheets take some passwords for formulas,
 * and changing them here would change them for good. Cards are notes with fields. Tags past the first, hidden flags, match
 * modes, histories and attachments have no place in it; the JSON export has all of them.
 */
export async function exportCsv(entries: Iterable<ExportedEntry>, { signal }: ExportOptions = {}): Promise<string> {
  const lines = [COLUMNS.join(',')];
  for (const entry of entries) {
    lines.push(cellsOf(entry).map(quoted).join(','));
    if (lines.length % ENTRIES_BETWEEN_TURNS === 0) await nextTurn(signal);
  }
  return `${lines.join('\r\n')}\r\n`;
}

function cellsOf(entry: ExportedEntry): string[] {
  const { siteUrl, urls = [], customFields = [] } = entry;
  const addresses = [...(siteUrl === undefined ? [] : [siteUrl]), ...urls.map(({ uri }) => uri)];
  const fields = [...cardFields(entry), ...customFields.map(({ name, value }) => [name, value])];
  return [
    entry.tags[0] ?? '',
    entry.favorite ? '1' : '',
    entry.type === 'login' ? 'login' : 'note',
    entry.title,
    (entry.type === 'secure_note' ? entry.content : entry.notes) ?? '',
    fields.map(([name, value]) => `${name}: ${value}`).join('\n'),
    '0',
    [...new Set(addresses)].map((address) => (/[",]/.test(address) ? quoted(address) : address)).join(','),
    entry.username ?? '',
    entry.password ?? '',
    entry.totpSecret ?? '',
    entry.archived ? (entry.updatedAt ?? 'archived') : '',
  ];
}

function cardFields({ type, cardholderName, cardNumber, expirationDate, cvv }: ExportedEntry): [string, string][] {
  if (type !== 'credit_card') return [];
  const values = { cardholderName, number: cardNumber, expirationDate, code: cvv };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
