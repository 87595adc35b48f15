import type { CardAddress, CardEntry, ShownCard } from '../../../contract/contacts/fields.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { paramValues, type Property } from './lines.ts';
import { quotedPrintable } from './quoted-printable.ts';
import { componentsOf, splitValue, unescapeValue } from './values.ts';

/** What is shown of a contact. */
export type CardView = Omit<ShownCard, 'id' | 'bookId' | 'etag' | 'uid' | 'vcard' | 'dateCreated' | 'dateModified'>;

export interface CardReading extends CardView {
  /** '' if it has none */
  readonly uid: string;
  readonly nicknames: readonly string[];
}

/** An entry with the property that has it. */
export interface FoundEntry<Entry> {
  readonly entry: Entry;
  readonly property: Property;
}

/** Types that all entries of a kind have, or that say what `preferred` says. */
const untold: ReadonlySet<string> = new Set(['internet', 'voice', 'pref', 'x400']);

/** What people and programs want to know of a vCard. */
export function readFields(properties: readonly Property[]): CardReading {
  const name = nameOf(properties);
  const [organization = '', ...units] = organizationOf(properties);
  const emails = entriesOf(properties, 'EMAIL').map(({ entry }) => entry);
  const phones = entriesOf(properties, 'TEL').map(({ entry }) => entry);
  const nicknames = listOf(properties, 'NICKNAME');
  const birthday = birthdayOf(properties);
  const spoken = [name.prefix, name.given, name.additional, name.family, name.suffix].filter((part) => part !== '');
  const candidates = [
    textOf(properties, 'FN'),
    spoken.join(' '),
    organization,
    nicknames[0] ?? '',
    emails[0]?.value ?? '',
    phones[0]?.value ?? '',
  ];
  return {
    version: textOf(properties, 'VERSION'),
    uid: textOf(properties, 'UID'),
    kind: kindOf(properties),
    displayName: candidates.find((text) => text !== '') ?? '',
    name,
    nicknames,
    organization,
    units: units.filter((unit) => unit !== ''),
    title: textOf(properties, 'TITLE'),
    emails,
    phones,
    addresses: addressesOf(properties).map(({ entry }) => entry),
    urls: entriesOf(properties, 'URL').map(({ entry }) => entry),
    ...(birthday !== undefined && { birthday }),
    note: textOf(properties, 'NOTE'),
    categories: listOf(properties, 'CATEGORIES'),
    hasPhoto: properties.some((property) => property.name === 'PHOTO' && property.value !== ''),
  };
}

/** A value without the encoding that some programs use in version 3.0 too. */
function valueOf(property: Property): string {
  if (!paramValues(property, 'ENCODING').includes('quoted-printable')) return property.value;
  return Buffer.from(quotedPrintable(utf8(property.value))).toString('utf8');
}

function textOf(properties: readonly Property[], name: string): string {
  for (const property of properties) {
    const text = property.name === name ? unescapeValue(valueOf(property)).trim() : '';
    if (text !== '') return text;
  }
  return '';
}

function listOf(properties: readonly Property[], name: string): string[] {
  const texts = properties
    .filter((property) => property.name === name)
    .flatMap((property) => splitValue(valueOf(property), ','))
    .map((text) => unescapeValue(text).trim());
  return [...new Set(texts)].filter((text) => text !== '');
}

function nameOf(properties: readonly Property[]): CardView['name'] {
  const property = properties.find(({ name }) => name === 'N');
  const [family = '', given = '', additional = '', prefix = '', suffix = ''] =
    property === undefined ? [] : componentsOf(valueOf(property));
  return { family, given, additional, prefix, suffix };
}

function organizationOf(properties: readonly Property[]): string[] {
  const property = properties.find(({ name }) => name === 'ORG');
  return property === undefined ? [] : componentsOf(valueOf(property));
}

function kindOf(properties: readonly Property[]): string {
  const told = textOf(properties, 'KIND') || textOf(properties, 'X-ADDRESSBOOKSERVER-KIND');
  if (told !== '') return told.toLowerCase();
  return textOf(properties, 'X-ABSHOWAS').toLowerCase() === 'company' ? 'org' : 'individual';
}

function facetsOf(properties: readonly Property[], property: Property): Omit<CardEntry, 'value'> {
  const types = [...new Set(paramValues(property, 'TYPE'))];
  const label = labelOf(properties, property);
  const preferred = types.includes('pref') || paramValues(property, 'PREF').includes('1');
  return {
    types: types.filter((type) => !untold.has(type)),
    ...(label !== '' && { label }),
    ...(preferred && { preferred: true }),
  };
}

/** Apple writes names of entries as properties of the same group, and its own names in brackets. */
function labelOf(properties: readonly Property[], { group }: Property): string {
  if (group === '') return '';
  const label = properties.find((other) => other.name === 'X-ABLABEL' && sameGroup(other.group, group));
  return label === undefined
    ? ''
    : unescapeValue(label.value)
        .trim()
        .replace(/^_\$!<(.*)>!\$_$/, '$1');
}

/** Groups differ in more than case. */
export function sameGroup(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** E-mail addresses, telephone numbers and addresses on the web. */
export function entriesOf(properties: readonly Property[], name: string): FoundEntry<CardEntry>[] {
  return properties.flatMap((property) => {
    if (property.name !== name) return [];
    const value = unescapeValue(valueOf(property))
      .trim()
      .replace(name === 'TEL' ? /^tel:/i : /^mailto:/i, '');
    return value === '' ? [] : [{ property, entry: { value, ...facetsOf(properties, property) } }];
  });
}

export function addressesOf(properties: readonly Property[]): FoundEntry<CardAddress>[] {
  return properties.flatMap((property) => {
    if (property.name !== 'ADR') return [];
    const parts = componentsOf(valueOf(property));
    if (parts.every((part) => part === '')) return [];
    const [poBox = '', extended = '', street = '', city = '', region = '', postalCode = '', country = ''] = parts;
    const value = { poBox, extended, street, city, region, postalCode, country };
    return [{ property, entry: { value, ...facetsOf(properties, property) } }];
  });
}

/** `1990-02-03`, or `--02-03` without a year; undefined for what is no day. */
function birthdayOf(properties: readonly Property[]): string | undefined {
  const property = properties.find(({ name }) => name === 'BDAY');
  if (property === undefined) return undefined;
  const [, year = '', month, day] = /^(\d{4}|-)-?(\d{2})-?(\d{2})(?:T.*)?$/.exec(valueOf(property).trim()) ?? [];
  if (month === undefined || day === undefined) return undefined;
  const isUntold = year === '-' || paramValues(property, 'X-APPLE-OMIT-YEAR').includes(year);
  return `${isUntold ? '-' : year}-${month}-${day}`;
}
