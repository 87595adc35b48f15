import type { Table } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';

export function isBitwardenTable({ columns }: Table): boolean {
  return columns.has('login_password') && (columns.has('login_totp') || columns.has('login_uri'));
}

/** Of a person (`folder`) or an organisation (`collections`); it has logins and notes, cards are never written to CSV. */
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
    addFieldLines(draft, row.take('fields'));
    addField(draft, 'reprompt', isTrue(row.take('reprompt')) ? '1' : '', false);
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  });
}

function isTrue(cell: string): boolean {
  return cell === '1' || cell.toLowerCase() === 'true';
}

/** One `name: value` a line, split at the last `: ` as Bitwarden does; a line without one goes on with the value before it. */
function addFieldLines(draft: Draft, text: string): void {
  if (text === '') return;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const split = line.lastIndexOf(': ');
    const last = draft.fields.at(-1);
    if (split >= 0) draft.fields.push({ name: line.slice(0, split), value: line.slice(split + 2), hidden: false });
    else if (line.endsWith(':')) draft.fields.push({ name: line.slice(0, -1), value: '', hidden: false });
    else if (last) draft.fields[draft.fields.length - 1] = { ...last, value: `${last.value}\n${line}` };
    else if (line !== '') draft.fields.push({ name: '', value: line, hidden: false });
  }
}

/** A list in one cell, quoted as cells are; commas that an address holds are inside of quotes. */
export function commaList(cell: string): string[] {
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

/** -1 when there is none. */
function closingQuote(cell: string, from: number): number {
  let at = cell.indexOf('"', from);
  while (at >= 0 && cell[at + 1] === '"') at = cell.indexOf('"', at + 2);
  return at;
}
