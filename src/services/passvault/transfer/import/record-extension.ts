import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { fromBase64 } from './file-text.ts';
import type { Json, JsonObject } from './json-values.ts';
import { isObject, listIn, objectIn } from './json-values.ts';
import { isoFromText } from './moment.ts';
import { urlMatches } from './record.ts';
import type { CustomField, ImportedAttachment, ImportRecord, OldPassword, RecordUrl } from './record.ts';

/**
 * Adds our own extension to a record: an object beside it with everything that the other manager's format can't hold. It has members of the
 * record under their names, the content of attachments as base64, and null for members that the record doesn't have. A value of any other
 * shape is ignored, because anybody can write a file.
 */
export function withExtension(record: ImportRecord, extension: Json | undefined): ImportRecord {
  if (!isObject(extension)) return record;
  const { createdAt, updatedAt, passwordChangedAt } = { ...record, ...timesOf(extension) };
  return {
    entry: entryWith(record.entry, extension),
    attachments: Array.isArray(extension.attachments)
      ? listIn(extension.attachments).flatMap(attachmentOf)
      : record.attachments,
    ...(createdAt && { createdAt }),
    ...(updatedAt && { updatedAt }),
    ...(passwordChangedAt && { passwordChangedAt }),
  };
}

const TEXTS = [
  'username',
  'password',
  'siteUrl',
  'totpSecret',
  'cardholderName',
  'cardNumber',
  'cvv',
  'content',
  'notes',
] as const satisfies readonly (keyof KeptEntry)[];

const LISTS = {
  urls: urlOf,
  customFields: fieldOf,
  passwordHistory: oldPasswordOf,
} as const satisfies { [K in keyof KeptEntry]?: (value: Json) => KeptEntry[K] };

function entryWith(entry: KeptEntry, extension: JsonObject): KeptEntry {
  const changed: Record<string, unknown> = { ...entry, ...textsOf(extension, TEXTS) };
  for (const [name, itemOf] of Object.entries(LISTS)) {
    if (Array.isArray(extension[name]))
      changed[name] = listIn(extension[name]).flatMap((item): unknown[] => itemOf(item));
    else if (extension[name] === null) changed[name] = undefined;
  }
  const { title, tags, favorite, archived, expirationDate } = extension;
  if (expirationDate === null) changed.expirationDate = undefined;
  else if (typeof expirationDate === 'string' && /^(?:\d\d)?\/(?:\d{4})?$/.test(expirationDate)) {
    changed.expirationDate = expirationDate;
  }
  if (typeof title === 'string' && title.trim() !== '') changed.title = title;
  if (Array.isArray(tags)) changed.tags = listIn(tags).filter((tag) => typeof tag === 'string');
  if (typeof favorite === 'boolean') changed.favorite = favorite;
  if (typeof archived === 'boolean') changed.archived = archived;
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as KeptEntry;
}

function textsOf(extension: JsonObject, names: readonly string[]): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = {};
  for (const name of names) {
    const value = extension[name];
    if (value === null) texts[name] = undefined;
    else if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

function timesOf(extension: JsonObject): Record<string, string | undefined> {
  const texts = textsOf(extension, ['createdAt', 'updatedAt']);
  return Object.fromEntries(
    Object.entries(texts).filter(([, text]) => text === undefined || isoFromText(text) !== undefined),
  );
}

function urlOf(value: Json): RecordUrl[] {
  const { uri, match } = objectIn(value);
  const mode = urlMatches.find((known) => known === match) ?? 'domain';
  return typeof uri === 'string' ? [{ uri, match: mode }] : [];
}

function fieldOf(field: Json): CustomField[] {
  const { name, value, hidden } = objectIn(field);
  return typeof name === 'string' && typeof value === 'string' ? [{ name, value, hidden: hidden === true }] : [];
}

function oldPasswordOf(value: Json): OldPassword[] {
  const { password, changedAt } = objectIn(value);
  const time = typeof changedAt === 'string' && isoFromText(changedAt) !== undefined ? changedAt : null;
  return typeof password === 'string' ? [{ password, changedAt: time }] : [];
}

/** An attachment that was exported only by name is dropped. */
function attachmentOf(value: Json): ImportedAttachment[] {
  const { filename, mimeType, content } = objectIn(value);
  const bytes = typeof content === 'string' ? fromBase64(content) : undefined;
  if (typeof filename !== 'string' || bytes === undefined) return [];
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  return [{ filename, mimeType: type, bytes: Uint8Array.from(bytes) }];
}
