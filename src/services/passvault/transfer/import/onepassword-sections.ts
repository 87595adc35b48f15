import type { Draft } from './draft.ts';
import { addField, addUrl } from './draft.ts';
import type { Json, JsonObject } from './json-values.ts';
import { addAll, isObject, listIn, objectIn, textIn } from './json-values.ts';
import { expirationDateOf } from './moment.ts';
import type { Category, LoginFields } from './onepassword-category.ts';
import type { OnePasswordItem } from './onepassword-document.ts';
import { addDocument } from './onepassword-document.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';

/**
 * Adds the fields of the sections. Card fields and login fields are recognised by their ids. One-time passwords and files go to their own
 * places. All other fields are added by title.
 */
export function addSections(context: OnePasswordItem, sections: readonly Json[], category: Category | undefined): void {
  const isCard = category?.type === 'credit_card';
  const taken = category?.login && takeLogin(context.draft, sections, category.login);
  for (const section of sections.map((each) => objectIn(each))) {
    for (const field of fieldsIn(section)) {
      const [kind, value] = valueOf(field.value);
      if (
        kind === undefined ||
        taken?.has(field) === true ||
        (isCard && addToCard(context.draft, textIn(field.id), value))
      )
        continue;
      addValue(context, nameOf(section, field), kind, value);
    }
  }
}

function fieldsIn(section: Json): JsonObject[] {
  return listIn(objectIn(section).fields).map((each) => objectIn(each));
}

/** @returns the fields taken for the login; an address also stays a field if it holds more than the URL */
function takeLogin(draft: Draft, sections: readonly Json[], login: LoginFields): Set<JsonObject> {
  const byId = new Map<string, JsonObject>();
  for (const field of sections.flatMap((section) => fieldsIn(section))) {
    const id = textIn(field.id) ?? '';
    if (plainText(field) !== '' && !byId.has(id)) byId.set(id, field);
  }
  const firstOf = (ids: readonly string[]): JsonObject | undefined =>
    ids.map((id) => byId.get(id)).find((field) => field !== undefined);
  const taken = new Set<JsonObject>();
  for (const part of ['username', 'password'] as const) {
    const field = draft[part] ? undefined : firstOf(login[part]);
    if (field === undefined) continue;
    draft[part] = plainText(field);
    taken.add(field);
  }
  const address = firstOf(login.url);
  if (address === undefined) return taken;
  addUrl(draft, plainText(address));
  if (textIn(address.id) === 'url') taken.add(address);
  return taken;
}

function plainText(field: JsonObject): string {
  const [, value] = valueOf(field.value);
  return typeof value === 'string' ? value : '';
}

/** `{<kind>: value}` */
function valueOf(value: Json | undefined): [kind: string | undefined, value: Json | undefined] {
  if (!isObject(value)) return [value === undefined || value === null ? undefined : 'string', value];
  const [first, ...more] = Object.entries(value);
  return more.length > 0 ? ['unknown', value] : [first?.[0], first?.[1]];
}

function nameOf(section: JsonObject, field: JsonObject): string {
  const name = textIn(field.title) || textIn(field.id) || 'field';
  const title = textIn(section.title) ?? '';
  return title === '' ? name : `${title} / ${name}`;
}

function addToCard(draft: Draft, id: string | undefined, value: Json | undefined): boolean {
  const text = typeof value === 'string' ? value : '';
  if (id === 'cardholder' && !draft.cardholderName) draft.cardholderName = text;
  else if (id === 'ccnum' && !draft.cardNumber) draft.cardNumber = text;
  else if (id === 'cvv' && !draft.cvv) draft.cvv = text;
  else if (id === 'expiry' && !draft.expirationDate && expirationDateOf(text) !== undefined) {
    draft.expirationDate = expirationDateOf(text);
  } else return false;
  return true;
}

function addValue(context: OnePasswordItem, name: string, kind: string, value: Json | undefined): void {
  const { draft } = context;
  if (value === null || value === undefined) return;
  if (kind === 'totp') draft.totps.push(...[textIn(value) ?? ''].filter((totp) => totp !== ''));
  else if (kind === 'file' && isObject(value)) addDocument(context, value);
  else if (kind === 'concealed') addAll(draft, name, value, true);
  else if (kind === 'date') addField(draft, name, dateOf(textIn(value)), false);
  else if (kind === 'monthYear') addField(draft, name, expirationDateOf(textIn(value)) ?? textIn(value), false);
  else if (kind === 'email' && isObject(value)) {
    const { email_address: address, ...others } = value;
    addField(draft, name, textIn(address), false);
    addAll(draft, name, others, false);
  } else if (kind === 'sshKey' && isObject(value)) {
    const { privateKey, ...others } = value;
    addField(draft, name, textIn(privateKey), true);
    addAll(draft, name, others, false);
  } else if (isObject(value) || Array.isArray(value)) addAll(draft, name, value);
  else addField(draft, name, textIn(value), kind === 'creditCardNumber' || undefined);
}

/** Reads seconds since 1970 as a day in UTC; negative for a birthday before 1970. */
function dateOf(seconds: string | undefined): string | undefined {
  const before1970 = seconds?.startsWith('-') === true;
  const count = wholeNumber(before1970 ? seconds?.slice(1) : seconds) ?? Number.NaN;
  const date = new Date((before1970 ? -count : count) * 1000);
  return Number.isNaN(date.getTime()) ? seconds : date.toISOString().replace(/T.*$/, '');
}
