import { withSteamScheme } from '../../../../crypto/totp.ts';
import { EXACT_FIELDS, fieldsIn } from '../import/bitwarden-csv.ts';
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
 * The columns of Bitwarden's CSV. Every cell is quoted and holds the exact value: spreadsheets take some passwords for formulas, but
 * escaping them would change them for good. Cards are notes with fields. CSV has no place for tags after the first, hidden flags, match
 * modes, histories and attachments; the JSON export has all of them. If fields of an entry can't be told from lines of text, an additional
 * column holds them exactly.
 */
export async function exportCsv(entries: Iterable<ExportedEntry>, { signal }: ExportOptions = {}): Promise<string> {
  const lines: string[] = [];
  const exact: (string | undefined)[] = [];
  for (const entry of entries) {
    lines.push(cellsOf(entry).map(quoted).join(','));
    exact.push(exactFieldsOf(entry));
    if (lines.length % ENTRIES_BETWEEN_TURNS === 0) await nextTurn(signal);
  }
  if (exact.every((cell) => cell === undefined)) return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
  const longer = lines.map((line, at) => `${line},${quoted(exact[at] ?? '')}`);
  return `${[[...COLUMNS, EXACT_FIELDS].join(','), ...longer].join('\r\n')}\r\n`;
}

function cellsOf(entry: ExportedEntry): string[] {
  const { siteUrl, urls = [] } = entry;
  const addresses = [...(siteUrl === undefined ? [] : [siteUrl]), ...urls.map(({ uri }) => uri)];
  return [
    entry.tags[0] ?? '',
    entry.favorite ? '1' : '',
    entry.type === 'login' ? 'login' : 'note',
    entry.title,
    (entry.type === 'secure_note' ? entry.content : entry.notes) ?? '',
    fieldLines(fieldsOf(entry)),
    '0',
    [...new Set(addresses)].map((address) => (/[",]/.test(address) ? quoted(address) : address)).join(','),
    entry.username ?? '',
    entry.password ?? '',
    withSteamScheme(entry.totpSecret ?? ''),
    entry.archived ? (entry.updatedAt ?? 'archived') : '',
  ];
}

function fieldsOf(entry: ExportedEntry): [name: string, value: string][] {
  return [
    ...cardFields(entry),
    ...(entry.customFields ?? []).map(({ name, value }): [string, string] => [name, value]),
  ];
}

function fieldLines(fields: readonly (readonly [name: string, value: string])[]): string {
  return fields.map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** A name with a colon, or a value whose second line looks like a field, is ambiguous as lines. Our own column holds such fields. */
function exactFieldsOf(entry: ExportedEntry): string | undefined {
  const fields = fieldsOf(entry);
  const read = fieldsIn(fieldLines(fields));
  const isSame =
    read.length === fields.length &&
    read.every(({ name, value }, at) => name === fields[at]?.[0] && value === fields[at]?.[1]);
  return isSame ? undefined : JSON.stringify(fields);
}

function cardFields({ type, cardholderName, cardNumber, expirationDate, cvv }: ExportedEntry): [string, string][] {
  if (type !== 'credit_card') return [];
  const values = { cardholderName, number: cardNumber, expirationDate, code: cvv };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
