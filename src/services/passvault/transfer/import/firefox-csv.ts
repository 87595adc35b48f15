import type { Table } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import { addField, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { NOTE_COLUMNS, PASSWORD_COLUMNS, URL_COLUMNS, USER_COLUMNS } from './login-columns.ts';
import { isoFromMilliseconds } from './moment.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';

export function isFirefoxTable({ columns }: Table): boolean {
  return columns.has('formactionorigin') || columns.has('timepasswordchanged');
}

/** Firefox's own account, which holds its synchronisation key. */
const INTERNAL = 'chrome://FirefoxAccounts';

/** There is no title column, so the host becomes the title. Times are milliseconds since 1970. */
export async function importFirefoxCsv(table: Table, run: ImportRun): Promise<void> {
  await readTable(table, run, (row, number) => {
    const draft = newDraft();
    const url = row.take(...URL_COLUMNS);
    if (url.trim() === INTERNAL) return { skip: 'It is an entry of Firefox itself.' };
    addUrl(draft, url);
    draft.username = row.take(...USER_COLUMNS);
    draft.password = row.take(...PASSWORD_COLUMNS);
    draft.notes = row.take(...NOTE_COLUMNS);
    addField(draft, 'httpRealm', row.take('httprealm'), false);
    const action = row.take('formactionorigin');
    if (action.trim() !== url.trim()) addField(draft, 'formActionOrigin', action, false);
    row.take('guid');
    draft.createdAt = isoFromMilliseconds(wholeNumber(row.take('timecreated')) ?? 0);
    draft.passwordChangedAt = isoFromMilliseconds(wholeNumber(row.take('timepasswordchanged')) ?? 0);
    draft.updatedAt = draft.passwordChangedAt ?? draft.createdAt;
    addField(draft, 'timeLastUsed', isoFromMilliseconds(wholeNumber(row.take('timelastused')) ?? 0), false);
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  });
}
