import type { Table, TableRow } from './csv-table.ts';
import { readTable, tableOf } from './csv-table.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { expirationDateOf, isoFromSeconds } from './moment.ts';

/** 1Password 8, or the short form of it with `Type`. */
export function isOnePassword8Table({ columns }: Table): boolean {
  return columns.has('title') && columns.has('password') && (columns.has('otpauth') || columns.has('archived'));
}

/** 1Password 7 for Windows (`SECTION 1: …`), for Mac (`number(ccnum)`), 1Password 4, and the short form of today. */
export function isOlderOnePasswordTable({ columns }: Table): boolean {
  if (!columns.has('title')) return false;
  if (columns.has('autosubmit') || columns.has('scope') || isMacTable(columns)) return true;
  return columns.has('password') && columns.has('username') && (columns.has('url') || columns.has('website'));
}

function isMacTable(columns: ReadonlyMap<string, number>): boolean {
  return columns.has('number(ccnum)') || columns.has('cardholder name(cardholder)');
}

export async function importOnePasswordCsv(table: Table, run: ImportRun): Promise<void> {
  const isMac = isMacTable(table.columns);
  const readableTable = isMac ? withDoubledQuotes(table) : table;
  await readTable(readableTable, run, (row, number) => {
    const draft = newDraft();
    draft.title = row.take('title');
    draft.username = row.take('username', 'username(username)', 'login_username');
    draft.password = row.take('password', 'password(password)', 'login_password');
    draft.notes = row.take('notes', 'notesplain', 'notesplain(notesplain)');
    addUrl(draft, row.take('url', 'website', 'url(url)'));
    for (const url of row.take('urls').split(/[\r\n]+/)) addUrl(draft, url);
    draft.totps = [row.take('otpauth')].filter((totp) => totp !== '');
    draft.favorite = isTrue(row.take('favorite'));
    draft.archived = isTrue(row.take('archived'));
    for (const tag of tagsOf(row.take('tags'))) addTag(draft, tag);
    applyType(draft, row.take('type'));
    for (const name of ['uuid', 'autosubmit', 'scope']) row.take(name);
    if (isMac) takeMacColumns(draft, row);
    for (const { name, value } of row.rest()) addColumn(draft, name, value);
    if (draft.type === undefined && draft.cardNumber) draft.type = 'credit_card';
    return finishRecord(draft, number);
  });
}

function applyType(draft: Draft, type: string): void {
  const name = type.trim().toLowerCase();
  if (name === 'credit card') draft.type = 'credit_card';
  else if (name === 'secure note') draft.type = 'secure_note';
  else if (name === 'login') draft.type = 'login';
  else if (name !== '') {
    // A password alone is a login in all but its name; what else there is keeps its kind as a field.
    if (name !== 'password') draft.type = 'secure_note';
    addField(draft, 'type', type, false);
  }
}

function takeMacColumns(draft: Draft, row: TableRow): void {
  draft.cardholderName = row.take('cardholder name(cardholder)');
  draft.cardNumber = row.take('number(ccnum)');
  draft.cvv = row.take('verification number(cvv)');
  const expiry = row.take('expiry date(expiry)');
  draft.expirationDate = expirationDateOf(expiry);
  if (draft.expirationDate === undefined) addField(draft, 'expiry date', expiry, false);
  draft.createdAt = isoFromSeconds(row.take('created date', 'createddate'));
  draft.updatedAt = isoFromSeconds(row.take('modified date', 'modifieddate'));
}

/** `label(id)` of the Mac and `SECTION 1: LABEL` of Windows give their label as the name. */
function addColumn(draft: Draft, column: string, value: string): void {
  // The name of a section says nothing without the fields that follow it.
  if (/^section \d+:/i.test(column)) return;
  const label = /^[^:]* \d+: (.+)$/.exec(column)?.[1] ?? /^(.*?)\([^()]*\)$/.exec(column)?.[1] ?? column;
  const name = label.trim().toLowerCase();
  if (name === 'one-time password' || /^otpauth:\/\//i.test(value)) draft.totps.push(value);
  else if (name === 'cardholder name' && !draft.cardholderName) draft.cardholderName = value;
  else if (name === 'verification number' && !draft.cvv) draft.cvv = value;
  else if (name === 'number' && !draft.cardNumber && /^[\d -]{8,}$/.test(value)) draft.cardNumber = value;
  else if (name === 'expiry date' && !draft.expirationDate && expirationDateOf(value) !== undefined) {
    draft.expirationDate = expirationDateOf(value);
  } else addField(draft, label.trim() === '' ? column : label.trim(), value);
}

function isTrue(cell: string): boolean {
  return cell === '1' || cell.toLowerCase() === 'true';
}

/** `a;b`, or `a,b` where no semicolon is, or `{("a", "b")}` over several lines. */
function tagsOf(cell: string): string[] {
  const list = /^\s*\{\(([\s\S]*)\)\}\s*$/.exec(cell)?.[1];
  if (list !== undefined) {
    return list.split(',').map((tag) => tag.trim().replace(/^"/, '').replace(/"$/, ''));
  }
  return cell.split(cell.includes(';') ? ';' : ',');
}

/**
 * 1Password 7 for Mac writes `\"` for a quote in a cell, everybody else `""`. Where every backslash stands before a quote or
 * another backslash they are taken as escaped too; where one doesn't, backslashes stand for themselves, so that none is lost.
 */
function withDoubledQuotes(table: Table): Table {
  const text = table.file.bytes.toString('latin1');
  if (!text.includes('\\"')) return table;
  const backslashesAreEscaped = !/[^\\](?:\\\\)*\\[^\\"]/.test(` ${text} `);
  const doubled = backslashesAreEscaped
    ? text.replaceAll(/\\(["\\])/g, (_, escaped: string) => (escaped === '"' ? '""' : '\\'))
    : text.replaceAll('\\"', '""');
  return tableOf({ bytes: Buffer.from(doubled, 'latin1'), valid: table.file.valid }) ?? table;
}
