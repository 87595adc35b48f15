import { passesCheckDigit } from '../../../../crypto/check-digit.ts';
import type { Table, TableRow } from './csv-table.ts';
import { readTable, tableOf } from './csv-table.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { expirationDateOf, isoFromSeconds } from './moment.ts';
import { categoryNamed, typeIn } from './onepassword-category.ts';

/** 1Password 8, or the short form of it with `Type`. */
export function isOnePassword8Table({ columns }: Table): boolean {
  return columns.has('title') && columns.has('password') && (columns.has('otpauth') || columns.has('archived'));
}

/** 1Password 7 for Windows (`SECTION 1: …`), for Mac (`number(ccnum)`), 1Password 4, and the short form of today. */
export function isOlderOnePasswordTable({ columns }: Table): boolean {
  if (!columns.has('title')) return false;
  if (columns.has('autosubmit') || columns.has('scope') || isMacTable(columns)) return true;
  if ([...columns.keys()].some((name) => WINDOWS_COLUMN.test(name))) return true;
  return columns.has('password') && columns.has('username') && (columns.has('url') || columns.has('website'));
}

/** `SECTION 1: LABEL`, or `1: LABEL` of a section without a name. */
const WINDOWS_COLUMN = /^(?:[^:]* )?\d+: (.+)$/;

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
    const type = row.take('type');
    for (const name of ['uuid', 'autosubmit', 'scope']) row.take(name);
    if (isMac) takeMacColumns(draft, row);
    for (const { name, value } of row.rest()) addColumn(draft, name, value);
    applyType(draft, type);
    return finishRecord(draft, number);
  });
}

/**
 * After all columns: a type that is translated or new says less than what stands in them. Whoever has a user name or a password
 * can log in with it; other kinds that are known stay what they are, and keep their kind as a field.
 */
function applyType(draft: Draft, type: string): void {
  const category = type.trim() === '' ? undefined : categoryNamed(type);
  const canLogIn = Boolean(draft.username || draft.password);
  const isCard = !canLogIn && looksLikeCard(draft);
  if (category) draft.type = typeIn(category, canLogIn);
  else if (isCard) draft.type = 'credit_card';
  else if (type.trim() !== '') draft.type = canLogIn ? 'login' : 'secure_note';
  if (draft.type !== 'credit_card') takeCardApart(draft);
  if (type.trim() !== '' && (category?.plain !== true || category.name === 'Password')) {
    addField(draft, 'type', type, false);
  }
}

/** Memberships and bank accounts have numbers as well. */
function looksLikeCard({ cardNumber, cvv, cardholderName }: Draft): boolean {
  return Boolean(cardNumber) && Boolean(cvv || cardholderName || passesCheckDigit(cardNumber ?? ''));
}

/** What was taken for a card's stays with an entry that is none. */
function takeCardApart(draft: Draft): void {
  addField(draft, 'cardholder name', draft.cardholderName, false);
  addField(draft, 'number', draft.cardNumber, true);
  addField(draft, 'verification number', draft.cvv, true);
  addField(draft, 'expiry date', draft.expirationDate, false);
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
  const label = WINDOWS_COLUMN.exec(column)?.[1] ?? /^(.*?)\([^()]*\)$/.exec(column)?.[1] ?? column;
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
  const found = backslashesIn(table.file.bytes);
  if (!found.escapeQuotes) return table;
  const bytes = quotesDoubled(table.file.bytes, found.areEscaped);
  return tableOf({ bytes, valid: table.file.valid }) ?? table;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/** Once over the bytes: a file may be nothing but backslashes. */
function backslashesIn(bytes: Buffer): { escapeQuotes: boolean; areEscaped: boolean } {
  let [escapeQuotes, areEscaped] = [false, true];
  for (let at = bytes.indexOf(BACKSLASH); at >= 0; at = bytes.indexOf(BACKSLASH, at)) {
    const start = at;
    while (bytes[at] === BACKSLASH) at += 1;
    if (bytes[at] === QUOTE) escapeQuotes = true;
    else if ((at - start) % 2 === 1) areEscaped = false;
  }
  return { escapeQuotes, areEscaped };
}

function quotesDoubled(bytes: Buffer, areEscaped: boolean): Buffer {
  const doubled = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [byte, next] = [bytes[at] ?? 0, bytes[at + 1]];
    const isEscape = byte === BACKSLASH && (next === QUOTE || (areEscaped && next === BACKSLASH));
    if (isEscape) at += 1;
    if (isEscape && next === QUOTE) doubled[length++] = QUOTE;
    doubled[length++] = isEscape ? (next ?? 0) : byte;
  }
  return doubled.subarray(0, length);
}
