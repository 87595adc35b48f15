import { passesCheckDigit } from '../../../../crypto/check-digit.ts';
import type { Table, TableRow } from './csv-table.ts';
import { readTable, tableOf } from './csv-table.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import { expirationDateOf, isoFromSeconds } from './moment.ts';
import { categoryNamed, typeIn } from './onepassword-category.ts';

/** 1Password 8, or its short form with `Type`. */
export function isOnePassword8Table({ columns }: Table): boolean {
  return columns.has('title') && columns.has('password') && (columns.has('otpauth') || columns.has('archived'));
}

/** 1Password 7 for Windows (`SECTION 1: …`), for Mac (`number(ccnum)`), 1Password 4, and today's short form. */
export function isOlderOnePasswordTable({ columns }: Table): boolean {
  if (!columns.has('title')) return false;
  if (columns.has('autosubmit') || columns.has('scope') || isMacTable(columns)) return true;
  if ([...columns.keys()].some((name) => WINDOWS_COLUMN.test(name))) return true;
  return columns.has('password') && columns.has('username') && (columns.has('url') || columns.has('website'));
}

/** `SECTION 1: LABEL`, or `1: LABEL` for a section without a name. */
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
 * Runs after all columns, because a translated or new type says less than the columns do. A record with a user name or a password becomes a
 * login. Other known types keep their type, and have its name as a field.
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

/** The check is needed because memberships and bank accounts have numbers too. */
function looksLikeCard({ cardNumber, cvv, cardholderName }: Draft): boolean {
  return Boolean(cardNumber) && Boolean(cvv || cardholderName || passesCheckDigit(cardNumber ?? ''));
}

/** Turns card values into fields if the entry isn't a card. */
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

/** The label of `label(id)` (Mac) and of `SECTION 1: LABEL` (Windows) becomes the field's name. */
function addColumn(draft: Draft, column: string, value: string): void {
  // A section name means nothing without the fields that follow it.
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

/** Reads `a;b`, or `a,b` if there is no semicolon, or `{("a", "b")}` over several lines. */
function tagsOf(cell: string): string[] {
  const list = /^\s*\{\(([\s\S]*)\)\}\s*$/.exec(cell)?.[1];
  if (list !== undefined) {
    return list.split(',').map((tag) => tag.trim().replace(/^"/, '').replace(/"$/, ''));
  }
  return cell.split(cell.includes(';') ? ';' : ',');
}

/**
 * 1Password 7 for Mac writes `\"` for a quote in a cell; all other programs write `""`. If every backslash stands before a quote or another
 * backslash, backslashes are taken as escaped too. Otherwise backslashes stand for themselves, so that none is lost.
 */
function withDoubledQuotes(table: Table): Table {
  const found = backslashesIn(table.file.bytes);
  if (!found.escapeQuotes) return table;
  const bytes = quotesDoubled(table.file.bytes, found.areEscaped);
  return tableOf({ bytes, valid: table.file.valid }) ?? table;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/** A single pass over the bytes, because a file may consist only of backslashes. */
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
