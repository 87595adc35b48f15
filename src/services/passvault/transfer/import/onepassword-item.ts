import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { Json, JsonObject } from './json-values.ts';
import { addAll, isObject, listIn, objectIn, textIn, truthIn } from './json-values.ts';
import { isoFromSeconds } from './moment.ts';
import type { Category } from './onepassword-category.ts';
import { categoryOf, typeIn } from './onepassword-category.ts';
import type { OnePasswordItem } from './onepassword-document.ts';
import { addDocument } from './onepassword-document.ts';
import { addSections } from './onepassword-sections.ts';
import type { ImportRecord } from './record.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';

/** @param vault the tag for the item's vault if the file has several vaults, else empty */
export function recordOfOnePasswordItem(
  json: Json,
  row: number,
  files: OnePasswordItem['files'],
  notice: OnePasswordItem['notice'],
  vault: string,
): ImportRecord | Skip {
  if (!isObject(json)) throw notImportable('It is not an item.');
  // Older exports wrap the item in an object, beside the file of a document.
  const item = isObject(json.item) ? json.item : json;
  const state = textIn(item.state);
  if (truthIn(item.trashed) || state === 'trashed' || state === 'deleted') return { skip: 'It is in the trash.' };
  const draft = newDraft();
  const context: OnePasswordItem = { draft, files, notice };
  const overview = objectIn(item.overview);
  const category = categoryOf(textIn(item.categoryUuid));
  draft.title = textIn(overview.title);
  draft.archived = state === 'archived';
  draft.favorite = (wholeNumber(textIn(item.favIndex)) ?? 0) > 0;
  draft.createdAt = isoFromSeconds(textIn(item.createdAt));
  draft.updatedAt = isoFromSeconds(textIn(item.updatedAt));
  addUrl(draft, textIn(overview.url));
  for (const each of listIn(overview.urls)) addUrl(draft, textIn(objectIn(each).url));
  for (const tag of listIn(overview.tags)) addTag(draft, textIn(tag));
  addTag(draft, vault);
  if (category && category.plain !== true) addField(draft, 'category', category.name, false);
  addDetails(context, objectIn(item.details), category);
  if (category) draft.type = typeIn(category, Boolean(draft.username || draft.password));
  if (isObject(json.file)) addDocument(context, { ...objectIn(json.file.attrs), path: json.file.path });
  return finishRecord(draft, row);
}

const KNOWN_DETAILS = new Set([
  'loginFields',
  'notesPlain',
  'sections',
  'passwordHistory',
  'password',
  'documentAttributes',
]);

function addDetails(context: OnePasswordItem, details: JsonObject, category: Category | undefined): void {
  const { draft } = context;
  for (const field of listIn(details.loginFields)) addLoginField(draft, objectIn(field));
  const own = textIn(details.password);
  if (!draft.password) draft.password = own;
  else if (own !== draft.password) addField(draft, 'password', own, true);
  draft.notes = textIn(details.notesPlain);
  addSections(context, listIn(details.sections), category);
  addHistory(draft, listIn(details.passwordHistory));
  if (isObject(details.documentAttributes)) addDocument(context, details.documentAttributes);
  for (const [name, value] of Object.entries(details)) if (!KNOWN_DETAILS.has(name)) addAll(draft, name, value);
}

function addLoginField(draft: Draft, field: JsonObject): void {
  const [designation, value] = [textIn(field.designation), textIn(field.value)];
  if (designation === 'username' && !draft.username) draft.username = value;
  else if (designation === 'password' && !draft.password) draft.password = value;
  else {
    const name = textIn(field.name) || designation || textIn(field.id) || 'field';
    // "P" is the type of a password input.
    addField(draft, name, value, textIn(field.fieldType) === 'P' || undefined);
  }
}

function addHistory(draft: Draft, history: readonly Json[]): void {
  const old = history
    .map((each) => objectIn(each))
    .map(({ value, time }) => ({ value: textIn(value), time: wholeNumber(textIn(time)) ?? 0 }));
  for (const { value, time } of old.toSorted((one, other) => other.time - one.time)) {
    if (value) draft.history.push({ password: value, changedAt: isoFromSeconds(String(time)) ?? null });
  }
}
