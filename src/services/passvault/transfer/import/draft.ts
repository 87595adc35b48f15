import type { EntryType, UrlMatch } from '../../../../contract/passvault/entry.ts';
import { notImportable } from './import-run.ts';
import type { Skip } from './import-run.ts';
import { plainName } from './mime-type.ts';
import { usableTotpSecret } from './otp-secret.ts';
import type { CustomField, ImportedAttachment, ImportRecord, OldPassword } from './record.ts';
import { holdsPrivateKey } from './text-lines.ts';
import { passvaultLimits } from '../../../../contract/passvault/limits.ts';

/** A record that is being built; `finishRecord` decides its type. */
export interface Draft {
  /** Without a type it becomes a login, or a note if it has no login data. */
  type?: EntryType;
  title?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  /** One-time password secrets under any name in the file; the preferred one comes first. */
  totps: string[];
  urls: { readonly uri: string; readonly match?: UrlMatch }[];
  cardholderName?: string | undefined;
  cardNumber?: string | undefined;
  expirationDate?: string | undefined;
  cvv?: string | undefined;
  notes?: string | undefined;
  tags: string[];
  favorite: boolean;
  archived: boolean;
  fields: CustomField[];
  history: OldPassword[];
  attachments: ImportedAttachment[];
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
  passwordChangedAt?: string | undefined;
}

/** In characters. Entries made here never exceed these limits, so every export can be imported again. */
export const MAX_FIELD_LENGTH = 1024 * 1024;
const MAX_NAME_LENGTH = 10_000;
const MAX_FIELDS = 1000;
const MAX_ATTACHMENTS = 10_000;
/** The contract's limit for every attachment. */
export const MAX_ATTACHMENT_BYTES = passvaultLimits.attachmentBytes;
/** In characters (RFC 1035 allows 253 for a name). */
const MAX_HOST_LENGTH = 253;

export function newDraft(): Draft {
  return {
    totps: [],
    urls: [],
    tags: [],
    favorite: false,
    archived: false,
    fields: [],
    history: [],
    attachments: [],
  };
}

/** Adds a field if it has a value. If the file doesn't say so, `hidden` is guessed from name and value. */
export function addField(draft: Draft, name: string, value: string | undefined, hidden?: boolean): void {
  if (value === undefined || value === '') return;
  if (name.length > MAX_NAME_LENGTH) throw notImportable('The name of a field is too long.');
  draft.fields.push({ name, value, hidden: hidden ?? (soundsSecret(name) || holdsPrivateKey(value)) });
}

export function addTag(draft: Draft, tag: string | undefined): void {
  const name = tag?.trim() ?? '';
  if (name === '' || draft.tags.includes(name)) return;
  assertFew(draft.tags);
  draft.tags.push(name);
}

/** Adds an address once: one record may have the same address in several places. */
export function addUrl(draft: Draft, uri: string | undefined): void {
  const address = uri?.trim() ?? '';
  if (address === '' || draft.urls.some((url) => url.uri === address)) return;
  assertFew(draft.urls);
  draft.urls.push({ uri: address });
}

/** Limits the number of values, because each is compared with all before it. */
function assertFew(list: readonly unknown[]): void {
  if (list.length >= MAX_FIELDS) throw tooMany();
}

function tooMany(): Error {
  return notImportable(`It has more than ${MAX_FIELDS} fields.`);
}

function soundsSecret(name: string): boolean {
  return /pass|secret|\bpin\b|cvv|cvc|security code|private|\bkey\b|token|seed|recovery|otp/i.test(name);
}

/**
 * Makes the record of a draft.
 * @param row names a record that has no other name
 * @throws Problem when something in it can't be stored unchanged
 */
export function finishRecord(draft: Draft, row: number): ImportRecord | Skip {
  const { username, password, notes } = draft;
  const urls = draft.urls.filter(({ uri }) => !isBareScheme(uri));
  const usable = draft.totps.filter((totp) => usableTotpSecret(totp));
  const known = new Set(usable);
  const [totpSecret, ...otherTotps] = usable;
  const canLogIn = [username, password, totpSecret].some((value) => value !== undefined && value !== '');
  const type = draft.type ?? (canLogIn || urls.length > 0 ? 'login' : 'secure_note');
  const fields = [...draft.fields];
  const leftover = { fields } as Draft;
  if (type !== 'login') {
    addField(leftover, 'username', username);
    addField(leftover, 'password', password, true);
    if (totpSecret !== undefined) otherTotps.unshift(totpSecret);
    for (const { uri } of urls) addField(leftover, 'url', uri, false);
  }
  for (const totp of [...otherTotps, ...draft.totps.filter((text) => !known.has(text))]) {
    addField(leftover, 'one-time password', totp, true);
  }
  const title = titleOf({ ...draft, urls }, row);
  if (title.made && fields.length + draft.attachments.length === 0 && isEmpty(draft)) {
    return { skip: 'It is empty.' };
  }
  const record: ImportRecord = {
    entry: {
      type,
      title: title.text,
      ...(type === 'login' && loginOf({ ...draft, urls }, totpSecret)),
      ...(type === 'credit_card' && cardOf(draft)),
      ...some(type === 'secure_note' ? { content: notes } : { notes }),
      ...(fields.length > 0 && { customFields: fields }),
      ...(draft.history.length > 0 && { passwordHistory: draft.history }),
      tags: draft.tags,
      favorite: draft.favorite,
      archived: draft.archived,
    },
    attachments: draft.attachments,
    ...some({
      createdAt: draft.createdAt,
      updatedAt: draft.updatedAt,
      passwordChangedAt: type === 'login' ? draft.passwordChangedAt : undefined,
    }),
  };
  assertKeepable(record);
  return record;
}

/** The first address becomes the site's address. It also stays in the list if it has its own match mode. */
function loginOf({ username, password, urls }: Draft, totpSecret: string | undefined) {
  const [first, ...others] = urls;
  const listed = first?.match === undefined || first.match === 'domain' ? others : urls;
  return {
    ...some({ username, password, siteUrl: first?.uri, totpSecret }),
    ...(listed.length > 0 && { urls: listed.map(({ uri, match = 'domain' as const }) => ({ uri, match })) }),
  };
}

/** Placeholders that password managers write for a missing address. */
function isBareScheme(uri: string): boolean {
  return /^(?:https?:\/*)?$/i.test(uri.trim());
}

function cardOf({ cardholderName, cardNumber, expirationDate, cvv }: Draft) {
  return some({ cardholderName, cardNumber, expirationDate, cvv });
}

function titleOf({ title, urls, username }: Draft, row: number): { text: string; made: boolean } {
  if (title !== undefined && title.trim() !== '') return { text: title, made: false };
  const address = urls[0]?.uri;
  const instead = hostOf(address) ?? (addressText(address) || username?.trim());
  return instead ? { text: instead, made: false } : { text: `Untitled ${row}`, made: true };
}

/** The host without `www.`; the package name for an Android app; undefined if there is none. */
function hostOf(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`);
    const host = url.hostname.replace(/^www\./, '');
    return host === '' || host.length > MAX_HOST_LENGTH ? undefined : host;
  } catch {
    return undefined;
  }
}

/** For an address without a host: the address without its password, and no longer than a title may be. */
function addressText(address = ''): string {
  const text = address.trim().replace(/\/\/[^/@]*@/, '//');
  return text.slice(0, MAX_HOST_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

/** Blank texts come from spreadsheets and aren't secrets. */
function isEmpty({ password, totps, notes, history, cardNumber, cardholderName, cvv, expirationDate }: Draft): boolean {
  const texts = [password, notes, cardNumber, cardholderName, cvv, expirationDate, ...totps];
  return history.length === 0 && texts.every((text) => text === undefined || text.trim() === '');
}

function some<T extends Record<string, string | undefined>>(values: T): { [K in keyof T]?: string } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(kept) as { [K in keyof T]?: string };
}

/** @throws Problem when a text is too long or not well-formed Unicode, or the record has too many parts */
export function assertKeepable({ entry, attachments }: ImportRecord): void {
  const { urls = [], customFields = [], passwordHistory = [], tags } = entry;
  if (customFields.length + urls.length + tags.length + passwordHistory.length > MAX_FIELDS) throw tooMany();
  if (attachments.length > MAX_ATTACHMENTS) throw notImportable(`It has more than ${MAX_ATTACHMENTS} attachments.`);
  for (const value of Object.values(entry)) if (typeof value === 'string') assertText(value);
  for (const tag of tags) assertText(tag);
  for (const { uri } of urls) assertText(uri);
  for (const { password } of passwordHistory) assertText(password);
  for (const { filename, bytes } of attachments) {
    assertText(filename);
    if (bytes.length > MAX_ATTACHMENT_BYTES) throw attachmentTooLarge(filename, bytes.length);
  }
  for (const { name, value } of customFields) {
    assertText(name);
    assertText(value);
  }
}

/** The message has the file name, so that the user can shrink the file or store it elsewhere. */
export function attachmentTooLarge(filename: string, size: number): Error {
  const mebibytes = (size / 1024 ** 2).toFixed(1);
  return notImportable(
    `Its attachment ${JSON.stringify(plainName(filename))} has ${mebibytes} MiB; an attachment has at most 25 MiB.`,
  );
}

/** The attachments of a file may have at most 100 MB in total. */
export function attachmentTooMany(filename: string): Error {
  const name = JSON.stringify(plainName(filename));
  return notImportable(`Its attachment ${name} was left out: the attachments of a file have at most 100 MB together.`);
}

function assertText(text: string): void {
  if (text.length > MAX_FIELD_LENGTH) throw notImportable('One of its fields is longer than 1 MB.');
  // A lone surrogate can't be written as UTF-8: the password would change.
  if (/\p{Surrogate}/u.test(text)) throw notImportable('One of its fields is not well-formed Unicode.');
}
