import type { UrlMatch } from '../../../../contract/passvault/entry.ts';
import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, assertKeepable, finishRecord, newDraft } from './draft.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { Json, JsonObject } from './json-values.ts';
import { addAll, isObject, listIn, objectIn, textIn, truthIn } from './json-values.ts';
import { expirationDate, isoFromText } from './moment.ts';
import type { ImportedAttachment, ImportRecord } from './record.ts';
import { withExtension } from './record-extension.ts';

export interface BitwardenContext {
  /** Names of folders and collections, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Attachments of the item, in a zip. */
  readonly attachments: readonly ImportedAttachment[];
  readonly notice: ImportRun['notice'];
}

const TYPES: Readonly<Record<string, string>> = {
  1: 'login',
  2: 'secureNote',
  3: 'card',
  4: 'identity',
  5: 'sshKey',
  6: 'bankAccount',
  7: 'driversLicense',
  8: 'passport',
};

/** Match modes by `match`; 4 is a regular expression, which this program doesn't support. */
const MATCHES: Readonly<Record<string, UrlMatch>> = { 0: 'domain', 1: 'host', 2: 'startsWith', 3: 'exact', 5: 'never' };

/** Members that concern the exported account, or are read elsewhere. `key` opens nothing outside of that account. */
const ELSEWHERE = new Set(
  [
    'id organizationId folderId collectionIds type name notes favorite fields passwordHistory key object edit viewPassword',
    'revisionDate creationDate deletedDate archivedDate organizationUseTotp permissions attachments reprompt conclave',
    ...Object.values(TYPES),
  ].flatMap((names) => names.split(' ')),
);

/** @throws Problem if it isn't an item, or a part of it is invalid */
export function recordOfItem(item: Json, row: number, context: BitwardenContext): ImportRecord | Skip {
  if (!isObject(item)) throw notImportable('It is not an item.');
  if (item.deletedDate !== undefined && item.deletedDate !== null) return { skip: 'It is in the trash.' };
  const draft = newDraft();
  draft.title = textIn(item.name);
  draft.notes = textIn(item.notes);
  draft.favorite = truthIn(item.favorite);
  draft.archived = item.archivedDate !== undefined && item.archivedDate !== null;
  draft.createdAt = isoFromText(textIn(item.creationDate));
  draft.updatedAt = isoFromText(textIn(item.revisionDate));
  for (const id of [item.folderId, ...listIn(item.collectionIds)]) addTag(draft, context.names.get(textIn(id) ?? ''));
  addContent(draft, item);
  addCustomFields(draft, item);
  if (truthIn(item.reprompt)) addField(draft, 'reprompt', '1', false);
  for (const [name, value] of Object.entries(item)) if (!ELSEWHERE.has(name)) addAll(draft, name, value);
  addHistory(draft, listIn(item.passwordHistory));
  addAttachments(draft, item, context);
  const record = finishRecord(draft, row);
  if ('skip' in record) return record;
  const extended = withExtension(record, item.conclave);
  assertKeepable(extended);
  return extended;
}

function addContent(draft: Draft, item: JsonObject): void {
  const type = textIn(item.type);
  const kind = type === undefined ? undefined : (TYPES[type] ?? `type ${type}`);
  const content = { login: objectIn(item.login), card: objectIn(item.card) };
  if (kind === 'login') draft.type = 'login';
  else if (kind === 'card') draft.type = 'credit_card';
  else if (kind !== undefined) draft.type = 'secure_note';
  if (kind !== undefined && !['login', 'secureNote', 'card'].includes(kind)) addField(draft, 'type', kind, false);
  addLogin(draft, content.login);
  if (draft.type === 'credit_card') addCard(draft, content.card);
  for (const name of Object.values(TYPES)) {
    if (name === 'login' || (name === 'card' && draft.type === 'credit_card')) continue;
    if (name === 'secureNote') addRest(draft, '', objectIn(item.secureNote), ['type']);
    else addRest(draft, name === kind ? '' : name, objectIn(item[name]), []);
  }
}

function addLogin(draft: Draft, login: JsonObject): void {
  draft.username = textIn(login.username);
  draft.password = textIn(login.password);
  const totp = textIn(login.totp);
  if (totp) draft.totps.push(totp);
  for (const each of listIn(login.uris)) {
    const { uri, match } = objectIn(each);
    const address = textIn(uri) ?? '';
    const code = textIn(match);
    const mode = code === undefined ? undefined : MATCHES[code];
    if (address === '') continue;
    if (code !== undefined && mode === undefined) addField(draft, 'url (regular expression)', address, false);
    else draft.urls.push({ uri: address, ...(mode && { match: mode }) });
  }
  // Exports of old versions have the first address only here, or here and in the list.
  addUrl(draft, textIn(login.uri));
  draft.passwordChangedAt = isoFromText(textIn(login.passwordRevisionDate));
  // This program can't use passkeys. It keeps them whole, so that an export can return them to a program that can.
  for (const passkey of listIn(login.fido2Credentials)) addField(draft, 'passkey', JSON.stringify(passkey), true);
  addRest(draft, '', login, [
    'uris',
    'uri',
    'username',
    'password',
    'totp',
    'fido2Credentials',
    'passwordRevisionDate',
  ]);
}

function addCard(draft: Draft, card: JsonObject): void {
  draft.cardholderName = textIn(card.cardholderName);
  draft.cardNumber = textIn(card.number);
  draft.cvv = textIn(card.code);
  const [month, year] = [textIn(card.expMonth) ?? '', textIn(card.expYear) ?? ''];
  draft.expirationDate = expirationDate(month, year);
  const [keptMonth, keptYear] = (draft.expirationDate ?? '/').split('/');
  if (keptMonth === '') addField(draft, 'expMonth', month, false);
  if (keptYear === '') addField(draft, 'expYear', year, false);
  addRest(draft, '', card, ['cardholderName', 'number', 'code', 'expMonth', 'expYear']);
}

function addRest(draft: Draft, prefix: string, object: JsonObject, known: readonly string[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (!known.includes(name)) addAll(draft, prefix === '' ? name : `${prefix}.${name}`, value);
  }
}

/** Types: 0 text, 1 hidden, 2 boolean, 3 linked (its number names the linked member; its value is empty). */
function addCustomFields(draft: Draft, item: JsonObject): void {
  for (const each of listIn(item.fields)) {
    const field = objectIn(each);
    const type = textIn(field.type);
    const value = textIn(field.value) ?? (type === '3' ? `linked to ${textIn(field.linkedId) ?? 'nothing'}` : '');
    const name = textIn(field.name) ?? '';
    if (name !== '' || value !== '') draft.fields.push({ name, value, hidden: type === '1' });
  }
}

function addHistory(draft: Draft, history: readonly Json[]): void {
  for (const each of history) {
    const old = objectIn(each);
    const password = textIn(old.password);
    if (password) draft.history.push({ password, changedAt: isoFromText(textIn(old.lastUsedDate)) ?? null });
  }
}

function addAttachments(draft: Draft, item: JsonObject, context: BitwardenContext): void {
  draft.attachments.push(...context.attachments);
  if (listIn(item.attachments).length > draft.attachments.length) {
    context.notice('It has attachments that are not in the file.');
  }
}
