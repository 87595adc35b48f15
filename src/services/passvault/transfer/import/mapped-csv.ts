import type { ImportColumns } from '../../../../contract/passvault/transfer.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import type { Table, TableRow } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { expirationDateOf } from './moment.ts';

/** Whether the file could be any table. A file with one line, or without separators, can't. */
export function couldBeTable({ names, file }: Table): boolean {
  return file.valid && names.filter((name) => name !== '').length >= 2;
}

/**
 * Imports a table of an unknown program, with the columns that the user has named. All other columns become fields.
 *
 * @throws Problem invalid VALIDATION_ERROR for a column that the file doesn't have, or that is named twice
 */
export async function importMappedCsv(table: Table, columns: ImportColumns, run: ImportRun): Promise<void> {
  const named = Object.entries(columns).flatMap(([part, name]) => (name === undefined ? [] : [{ part, name }]));
  if (named.length === 0) throw fieldProblem('columns', 'must name at least one column');
  const taken = new Set<string>();
  for (const { part, name } of named) {
    const key = keyOf(name);
    if (!table.columns.has(key)) throw fieldProblem(`columns.${part}`, 'is not a column of the file');
    if (taken.has(key)) throw fieldProblem(`columns.${part}`, 'names a column that is named already');
    taken.add(key);
  }
  await readTable(table, run, (row, number) => {
    const draft = newDraft();
    const take = (part: keyof ImportColumns): string => cellOf(row, columns[part]);
    draft.title = take('title');
    draft.username = take('username');
    draft.password = take('password');
    draft.notes = take('notes');
    addUrl(draft, take('siteUrl'));
    draft.totps = [take('totpSecret')].filter((totp) => totp !== '');
    for (const tag of take('tags').split(/[;,]/)) addTag(draft, tag);
    draft.cardholderName = take('cardholderName');
    draft.cardNumber = take('cardNumber');
    draft.cvv = take('cvv');
    const expiry = take('expirationDate');
    draft.expirationDate = expirationDateOf(expiry);
    if (draft.cardNumber !== '') draft.type = 'credit_card';
    else for (const part of ['cardholderName', 'cvv'] as const) addField(draft, part, draft[part]);
    if (draft.type !== 'credit_card' || draft.expirationDate === undefined) addField(draft, 'expires', expiry, false);
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  });
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}

function cellOf(row: TableRow, name: string | undefined): string {
  return name === undefined ? '' : row.take(keyOf(name));
}
