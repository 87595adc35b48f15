import type { CardChanges, CardFields } from '../../../contract/contacts/fields.ts';
import { draftOf, type Draft } from './draft.ts';
import { addressesOf, entriesOf, readFields, type CardReading } from './fields.ts';
import { folded } from './lines.ts';
import { componentValue, escapeValue } from './values.ts';
import { changeEntries } from './write-entries.ts';

const emptyName = { family: '', given: '', additional: '', prefix: '', suffix: '' };
const emptyAddress = { poBox: '', extended: '', street: '', city: '', region: '', postalCode: '', country: '' };

/** A vCard of version 3.0, which all programs read. @param now milliseconds since 1970 */
export function newCard({ displayName, name, ...others }: CardFields, uid: string, now: number): string {
  const { family, given, additional, prefix, suffix } = { ...emptyName, ...name };
  const spoken = [prefix, given, additional, family, suffix].filter((part) => part !== undefined && part !== '');
  const { organization, emails, phones } = others;
  const called = [displayName, spoken.join(' '), organization, emails?.[0]?.value, phones?.[0]?.value];
  const parts = name === undefined ? guessedParts(displayName ?? '') : partsOf({ ...emptyName, ...defined(name) });
  const head = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'PRODID:-//Conclave//Contacts//EN',
    `UID:${escapeValue(uid)}`,
    `REV:${revision(now)}`,
    `FN:${escapeValue(called.find((text) => text !== undefined && text !== '') ?? '')}`,
    `N:${componentValue(parts)}`,
    'END:VCARD',
  ];
  return changedCard(head.map((line) => folded(line)).join(''), others, now);
}

/** Programs that show only the parts of a name would show nothing. */
function guessedParts(displayName: string): string[] {
  const words = displayName.trim().split(/\s+/);
  const family = words.length > 1 ? (words.pop() ?? '') : '';
  return [family, words.join(' '), '', '', ''];
}

function partsOf({ family, given, additional, prefix, suffix }: CardReading['name']): string[] {
  return [family, given, additional, prefix, suffix];
}

/**
 * A vCard with other fields. Lines of what does not change stay as they are, and so does all that no field shows.
 * @param now milliseconds since 1970
 */
export function changedCard(text: string, changes: CardChanges, now: number): string {
  const draft = draftOf(text);
  const before = readFields(draft.properties);
  changeText(draft, 'FN', changes.displayName, before.displayName);
  changeText(draft, 'TITLE', changes.title, before.title);
  changeText(draft, 'NOTE', changes.note, before.note);
  changeName(draft, changes.name, before);
  changeOrganization(draft, changes, before);
  changeBirthday(draft, changes.birthday, before);
  changeCategories(draft, changes.categories, before);
  changeAllEntries(draft, changes);
  const revisions = draft.placesOf('REV');
  if (revisions.length > 0) draft.replace(revisions, [`REV:${revision(now)}`]);
  return draft.text();
}

function changeText(draft: Draft, name: string, wanted: string | null | undefined, before: string): void {
  if (wanted === undefined || (wanted ?? '') === before) return;
  const places = draft.placesOf(name);
  if (wanted === null || wanted === '') draft.replace(places, []);
  // Others of the name say the same in other languages.
  else draft.replace(places.slice(0, 1), [`${name}:${escapeValue(wanted)}`]);
}

/** Parts that are left out stay. */
function changeName(draft: Draft, wanted: CardChanges['name'], before: CardReading): void {
  if (wanted === undefined) return;
  const parts = partsOf(wanted === null ? emptyName : { ...before.name, ...defined(wanted) });
  if (JSON.stringify(parts) !== JSON.stringify(partsOf(before.name)))
    draft.replace(draft.placesOf('N'), [`N:${componentValue(parts)}`]);
}

function changeOrganization(draft: Draft, { organization, units }: CardChanges, before: CardReading): void {
  const there = [before.organization, ...before.units];
  const wanted = [
    organization === undefined ? before.organization : (organization ?? ''),
    ...(units === undefined ? before.units : (units ?? [])),
  ];
  if (JSON.stringify(wanted) === JSON.stringify(there)) return;
  const isNothing = wanted.every((part) => part === '');
  draft.replace(draft.placesOf('ORG').slice(0, 1), isNothing ? [] : [`ORG:${componentValue(wanted)}`]);
}

function changeBirthday(draft: Draft, wanted: string | null | undefined, before: CardReading): void {
  if (wanted === undefined || wanted === before.birthday) return;
  const [, year = '', month = '', day = ''] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(wanted ?? '') ?? [];
  const isUntold = year === '-';
  // Version 3.0 has no day without a year. Apple's programs write this, and others read a day of 1604.
  const old = isUntold ? `BDAY;X-APPLE-OMIT-YEAR=1604:1604-${month}-${day}` : `BDAY:${year}-${month}-${day}`;
  const line = before.version === '4.0' ? `BDAY:${isUntold ? '--' : year}${month}${day}` : old;
  draft.replace(draft.placesOf('BDAY'), wanted === null ? [] : [line]);
}

function changeCategories(draft: Draft, wanted: readonly string[] | null | undefined, before: CardReading): void {
  if (wanted === undefined || JSON.stringify(wanted ?? []) === JSON.stringify(before.categories)) return;
  const line = `CATEGORIES:${(wanted ?? []).map(escapeValue).join(',')}`;
  draft.replace(draft.placesOf('CATEGORIES'), (wanted ?? []).length === 0 ? [] : [line]);
}

function changeAllEntries(draft: Draft, { emails, phones, urls, addresses }: CardChanges): void {
  // An address on the web is no text, and has its commas as they are.
  const lists = [
    ['EMAIL', emails, escapeValue],
    ['TEL', phones, escapeValue],
    ['URL', urls, (value: string) => value],
  ] as const;
  for (const [name, wanted, write] of lists)
    if (wanted !== undefined)
      changeEntries(draft, { name, found: entriesOf(draft.properties, name), wanted: wanted ?? [], write });
  if (addresses === undefined) return;
  changeEntries(draft, {
    name: 'ADR',
    found: addressesOf(draft.properties),
    wanted: (addresses ?? []).map(({ value, types, label, preferred }) => ({
      value: { ...emptyAddress, ...defined(value) },
      types,
      label,
      preferred,
    })),
    write: ({ poBox, extended, street, city, region, postalCode, country }) =>
      componentValue([poBox, extended, street, city, region, postalCode, country]),
  });
}

/** Without what is undefined, which would hide what is below. */
function defined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A vCard with this UID instead of the one that it has, or none. */
export function withUid(text: string, uid: string): string {
  const draft = draftOf(text);
  const places = draft.placesOf('UID');
  const line = `UID:${escapeValue(uid)}`;
  if (places.length > 0) draft.replace(places, [line]);
  // The version has to be first in version 4.0.
  else draft.insertBehind(draft.placesOf('VERSION')[0] ?? 0, line);
  return draft.text();
}

/** As REV has it: `20260115T120000Z`. */
function revision(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}
