import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import { fromBase64 } from './file-text.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { KeePassBinary } from './keepass-binaries.ts';
import { takeOtp } from './keepass-otp.ts';
import { hasReference } from './keepass-references.ts';
import type { Resolve } from './keepass-references.ts';
import type { KeePassString, XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, saysTrue, wordIn } from './keepass-tree.ts';
import { isoFromMilliseconds, isoFromText } from './moment.ts';
import type { ImportRecord } from './record.ts';

export interface EntryContext {
  readonly row: number;
  /** Names of the groups around it without the root, joined by `/`. */
  readonly folder: string;
  readonly resolve: Resolve;
  readonly attachments: readonly KeePassBinary[];
  readonly notice: ImportRun['notice'];
}

export function recordOfEntry(node: XmlNode, context: EntryContext): ImportRecord | Skip {
  const draft = newDraft();
  const strings = stringsOf(node, draft, context.resolve);
  const isUnresolved = [...strings.values(), ...draft.fields].some(({ value }) => hasReference(value));
  const take = (key: string): string | undefined => {
    const value = strings.get(key)?.value;
    strings.delete(key);
    return value;
  };
  draft.title = take('Title');
  draft.username = take('UserName');
  draft.password = take('Password');
  draft.notes = take('Notes');
  addUrl(draft, take('URL'));
  for (const key of strings.keys()) if (/^KP2A_URL(?:_\d+)?$/.test(key)) addUrl(draft, take(key));
  takeOtp(draft, strings);
  for (const [key, { value, hidden }] of strings) addField(draft, key, value, hidden);
  addTag(draft, context.folder);
  for (const tag of wordIn(node, 'Tags').split(/[;,]/)) addTag(draft, tag);
  addTimes(draft, childOf(node, 'Times'));
  addField(draft, 'OverrideURL', wordIn(node, 'OverrideURL'), false);
  addField(draft, 'AutoType', wordIn(childOf(node, 'AutoType'), 'DefaultSequence'), false);
  addHistory(draft, node);
  if (isUnresolved || draft.history.some(({ password }) => hasReference(password)))
    context.notice('It refers to a field of another entry that could not be resolved. The reference was kept as text.');
  for (const { filename, attachment } of context.attachments) {
    if (attachment) draft.attachments.push(attachment);
    else {
      addField(draft, 'file', filename, false);
      context.notice('It has an attachment that is not in the file, or damaged.');
    }
  }
  return finishRecord(draft, context.row);
}

/** Strings by key. Repeated keys become fields at once. */
function stringsOf(node: XmlNode, draft: Draft, resolve: Resolve): Map<string, KeePassString> {
  const strings = new Map<string, KeePassString>();
  for (const string of childrenOf(node, 'String')) {
    const value = valueOf(string);
    const key = childOf(string, 'Key')?.text ?? '';
    const hidden = saysTrue(childOf(string, 'Value')?.attributes.ProtectInMemory);
    if (strings.has(key)) addField(draft, key, value, hidden);
    else strings.set(key, { value: resolve(value), hidden });
  }
  return strings;
}

/** A value that is protected inside a database is encrypted. Its base64 is not a password. */
function valueOf(string: XmlNode): string {
  const value = childOf(string, 'Value');
  if (value !== undefined && value.text !== '' && saysTrue(value.attributes.Protected)) {
    throw notImportable('Its values are encrypted. Export the database as XML from KeePass itself.');
  }
  return value?.text ?? '';
}

function addTimes(draft: Draft, times: XmlNode | undefined): void {
  draft.createdAt = timeOf(wordIn(times, 'CreationTime'));
  draft.updatedAt = timeOf(wordIn(times, 'LastModificationTime'));
  if (saysTrue(wordIn(times, 'Expires'))) addField(draft, 'expires', timeOf(wordIn(times, 'ExpiryTime')), false);
}

/** Seconds from the year 1, where KDBX 4 times begin, to 1970. */
const SECONDS_BEFORE_1970 = 62_135_596_800;

/** Reads ISO 8601, or base64 of seconds (64 bits, little-endian). */
function timeOf(text: string): string | undefined {
  const iso = isoFromText(text);
  if (iso !== undefined || text === '') return iso;
  const bytes = fromBase64(text);
  if (bytes?.length !== 8) return undefined;
  return isoFromMilliseconds((Number(bytes.readBigUInt64LE()) - SECONDS_BEFORE_1970) * 1000);
}

/** Adds the passwords of older versions of the entry. Each version ended when the next one was made. */
function addHistory(draft: Draft, node: XmlNode): void {
  const versions = childrenOf(childOf(node, 'History'), 'Entry').map((entry) => ({
    password: passwordOf(entry),
    madeAt: timeOf(wordIn(childOf(entry, 'Times'), 'LastModificationTime')),
  }));
  versions.sort((one, other) => (one.madeAt ?? '').localeCompare(other.madeAt ?? '', 'en'));
  let newer = { password: draft.password ?? '', madeAt: draft.updatedAt };
  for (const version of versions.reverse()) {
    if (version.password !== newer.password && version.password !== '') {
      draft.history.push({ password: version.password, changedAt: newer.madeAt ?? null });
    }
    newer = version;
  }
}

function passwordOf(entry: XmlNode): string {
  const strings = childrenOf(entry, 'String').map((string) => ({
    key: childOf(string, 'Key')?.text,
    value: valueOf(string),
  }));
  return strings.find(({ key }) => key === 'Password')?.value ?? '';
}
