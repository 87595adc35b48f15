import type { Table, TableRow } from './csv-table.ts';
import { readTable, tableOf } from './csv-table.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import { toUtf8 } from './file-text.ts';
import type { ImportRun } from './import-run.ts';
import { notImportable } from './import-run.ts';
import { expirationDate } from './moment.ts';
import { openZip } from './zip-entries.ts';
import { noteLeftovers } from './zip-leftovers.ts';

const FILES = ['credentials.csv', 'payments.csv', 'securenotes.csv', 'ids.csv', 'personalinfo.csv'];

/** The table by the last part of its path. Repacked archives may have other folders and other case. */
export function dashlaneTableName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return FILES.find((known) => known === name);
}

/** Dashlane's present export: a zip of tables. */
export async function importDashlaneZip(bytes: Uint8Array, run: ImportRun): Promise<void> {
  const zip = openZip(bytes);
  const paths = [...zip.entries.keys()];
  const tables: { name: string; table: Table }[] = [];
  const unreadable: string[] = [];
  for (const name of FILES) {
    for (const path of paths.filter((each) => dashlaneTableName(each) === name)) {
      const content = await zip.readRecords(path);
      const table = content && tableOf(toUtf8(content));
      if (table) tables.push({ name, table });
      else if (content && content.length > 0) unreadable.push(path);
    }
  }
  if (tables.length === 0) throw notImportable('The zip archive is not an export of Dashlane.');
  noteLeftovers([...unreadable, ...zip.unread()], run);
  const total = tables.reduce((sum, { table }) => sum + table.file.bytes.length, 0);
  let before = 0;
  for (const { name, table } of tables) {
    const start = before;
    await importTable(name, table, { ...run, reached: (at) => run.reached(start + at, total) });
    before += table.file.bytes.length;
  }
}

/** Whether the columns are those of `credentials.csv`. */
export function isDashlaneTable({ columns }: Pick<Table, 'columns'>): boolean {
  return columns.has('username2') && columns.has('password') && columns.has('title');
}

export async function importTable(name: string, table: Table, run: ImportRun): Promise<void> {
  await readTable(table, run, (row, number) => {
    const draft = newDraft();
    if (name === 'credentials.csv') takeCredential(draft, row);
    else if (name === 'payments.csv') takePayment(draft, row);
    else takeNote(draft, row);
    for (const { name: column, value } of row.rest()) addField(draft, column, value);
    return finishRecord(draft, number);
  });
}

function takeCredential(draft: Draft, row: TableRow): void {
  const [username, ...others] = ['username', 'username2', 'username3']
    .map((name) => row.take(name))
    .filter((user) => user !== '');
  draft.title = row.take('title');
  draft.username = username;
  for (const [at, other] of others.entries()) addField(draft, `username${at + 2}`, other, false);
  draft.password = row.take('password');
  draft.notes = row.take('note');
  addUrl(draft, row.take('url'));
  addTag(draft, row.take('category'));
  draft.totps = [row.take('otpurl'), row.take('otpsecret')].filter((totp) => totp !== '');
}

/** Takes the types `payment_card` (formerly `credit_card`) and `bank`. */
function takePayment(draft: Draft, row: TableRow): void {
  const type = row.take('type');
  const isCard = /card/i.test(type);
  draft.type = isCard ? 'credit_card' : 'secure_note';
  draft.title = row.take('name') || row.take('account_name');
  draft.notes = row.take('note');
  if (!isCard) return addField(draft, 'type', type, false);
  draft.cardholderName = row.take('account_holder');
  draft.cardNumber = row.take('cc_number');
  draft.cvv = row.take('code');
  const [month, year] = [row.take('expiration_month'), row.take('expiration_year')];
  draft.expirationDate = expirationDate(month, year);
  const [keptMonth, keptYear] = (draft.expirationDate ?? '/').split('/');
  if (!keptMonth) addField(draft, 'expiration_month', month, false);
  if (!keptYear) addField(draft, 'expiration_year', year, false);
}

function takeNote(draft: Draft, row: TableRow): void {
  draft.type = 'secure_note';
  draft.title = row.take('title') || row.take('name') || row.take('item_name');
  draft.notes = row.take('note', 'content');
}
