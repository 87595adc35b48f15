import type { Table } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import { addField, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { NOTE_COLUMNS, PASSWORD_COLUMNS, URL_COLUMNS, USER_COLUMNS } from './login-columns.ts';

export function isChromeTable({ columns }: Pick<Table, 'columns'>): boolean {
  return [URL_COLUMNS, USER_COLUMNS, PASSWORD_COLUMNS].every((names) => names.some((name) => columns.has(name)));
}

/** Only Chromium's exact columns: other managers have the same columns and more. */
export function isPlainChromeTable({ columns }: Pick<Table, 'columns'>): boolean {
  const others = [...columns.keys()].filter((name) => !['name', 'url', 'username', 'password', 'note'].includes(name));
  return others.length === 0 && columns.has('name') && isChromeTable({ columns });
}

export async function importChromeCsv(table: Table, run: ImportRun): Promise<void> {
  await readTable(table, run, (row, number) => {
    const draft = newDraft();
    const url = row.take(...URL_COLUMNS);
    draft.title = row.take('name', 'title').trim() || androidPackage(url);
    addUrl(draft, url);
    draft.username = row.take(...USER_COLUMNS);
    draft.password = row.take(...PASSWORD_COLUMNS);
    draft.notes = row.take(...NOTE_COLUMNS);
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  });
}

/** The package of `android://<hash of the signing key>@<package>/`. */
function androidPackage(url: string): string | undefined {
  return /^android:\/\/[^@/]*@([^/]+)/.exec(url.trim())?.[1];
}
