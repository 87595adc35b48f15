import type { Table } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import { addField, addTag, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import type { CustomField } from './record.ts';
import { holdsPrivateKey, linesOf, staysInPem } from './text-lines.ts';

export function isBitwardenTable({ columns }: Table): boolean {
  return columns.has('login_password') && (columns.has('login_totp') || columns.has('login_uri'));
}

/** Exports of a person (`folder`) or an organisation (`collections`). They have logins and notes; Bitwarden never writes cards to CSV. */
export async function importBitwardenCsv(table: Table, run: ImportRun): Promise<void> {
  await readTable(table, run, (row, number) => {
    const draft = newDraft();
    const type = row.take('type').trim().toLowerCase();
    draft.title = row.take('name');
    draft.notes = row.take('notes');
    addTag(draft, row.take('folder'));
    for (const name of commaList(row.take('collections'))) addTag(draft, name);
    draft.favorite = isTrue(row.take('favorite'));
    draft.archived = row.take('archiveddate') !== '';
    for (const uri of commaList(row.take('login_uri'))) if (uri !== '') draft.urls.push({ uri });
    draft.username = row.take('login_username');
    draft.password = row.take('login_password');
    draft.totps = [row.take('login_totp')].filter((totp) => totp !== '');
    if (type === 'login') draft.type = 'login';
    else if (type === 'note') draft.type = 'secure_note';
    else if (type !== '') {
      draft.type = 'secure_note';
      addField(draft, 'type', type, false);
    }
    const lines = row.take('fields');
    draft.fields.push(...(exactFields(row.take(EXACT_FIELDS.toLowerCase())) ?? fieldsIn(lines)));
    addField(draft, 'reprompt', isTrue(row.take('reprompt')) ? '1' : '', false);
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  });
}

function isTrue(cell: string): boolean {
  return cell === '1' || cell.toLowerCase() === 'true';
}

/** Our own export writes this column when the lines of `fields` would be read as other fields. */
export const EXACT_FIELDS = 'conclaveFields';

function exactFields(cell: string): CustomField[] | undefined {
  if (!cell.startsWith('[')) return undefined;
  try {
    const pairs: unknown = JSON.parse(cell);
    if (!Array.isArray(pairs) || !pairs.every((pair) => isPair(pair))) return undefined;
    return pairs.map(([name, value]) => ({ name, value, hidden: holdsPrivateKey(value) }));
  } catch {
    return undefined;
  }
}

function isPair(pair: unknown): pair is [name: string, value: string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string');
}

/**
 * Reads one `name: value` a line. Like Bitwarden, it splits at the last `: `. A line without one continues the previous value. So does
 * every line of a PEM block.
 */
export function fieldsIn(text: string): CustomField[] {
  const found: { name: string; start: number; end: number }[] = [];
  const lastPemEnd = text.lastIndexOf('-----END');
  let inPem = false;
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    const last = found.at(-1);
    const split = inPem ? -1 : line.lastIndexOf(': ');
    if (split >= 0) found.push({ name: line.slice(0, split), start: start + split + 2, end });
    else if (!inPem && line.endsWith(':')) found.push({ name: line.slice(0, -1), start: end, end });
    else if (last) last.end = end;
    else if (line !== '') found.push({ name: '', start, end });
    inPem = end < lastPemEnd && staysInPem(line, inPem);
  }
  return found.map(({ name, start, end }) => {
    const value = text.slice(start, end);
    return { name, value, hidden: holdsPrivateKey(value) };
  });
}

/** Splits a list in one cell, whose items are quoted like cells. A comma in an address is inside quotes. */
function commaList(cell: string): string[] {
  const items: string[] = [];
  let at = 0;
  while (at < cell.length) {
    if (cell[at] === '"') {
      const close = closingQuote(cell, at + 1);
      const after = cell[close + 1];
      if (close > 0 && (after === undefined || after === ',')) {
        items.push(cell.slice(at + 1, close).replaceAll('""', '"'));
        at = close + 2;
        continue;
      }
    }
    const comma = cell.indexOf(',', at);
    const end = comma < 0 ? cell.length : comma;
    items.push(cell.slice(at, end));
    at = end + 1;
  }
  return items;
}

/** The index of the closing quote; -1 if there is none. */
function closingQuote(cell: string, from: number): number {
  let at = cell.indexOf('"', from);
  while (at >= 0 && cell[at + 1] === '"') at = cell.indexOf('"', at + 2);
  return at;
}
