import type { CardEntry } from '../../../contract/contacts/fields.ts';
import { fold } from '../../../platform/store/search/words.ts';
import type { CardReading } from './fields.ts';

/** What lists and searches need of a contact, so that they do not read all of it. */
export interface CardSummary {
  readonly uid: string;
  readonly kind: string;
  readonly displayName: string;
  readonly organization: string;
  readonly emails: readonly CardEntry[];
  readonly phones: readonly CardEntry[];
  /** by which lists are sorted */
  readonly sort: string;
  /** what searches look for, in the form of `fold` */
  readonly words: string;
}

/** Entries of each kind. */
const ENTRIES = 20;
/** Characters. A cursor has the first. */
const SORT = 200;
const WORDS = 4_000;

export function summaryOf(reading: CardReading): CardSummary {
  const { uid, kind, displayName, name, nicknames, organization, units, title, emails, phones, categories } = reading;
  const addresses = emails.map(({ value }) => value);
  const numbers = phones.flatMap(({ value }) => [value, value.replaceAll(/\D/g, '')]);
  const parts = Object.values(name);
  const words = [
    displayName,
    ...parts,
    ...nicknames,
    organization,
    ...units,
    title,
    ...addresses,
    ...numbers,
    ...categories,
  ];
  const known = [...new Set(words)].filter((text) => text !== '').join(' ');
  return {
    uid,
    kind,
    displayName,
    organization,
    emails: emails.slice(0, ENTRIES),
    phones: phones.slice(0, ENTRIES),
    sort: fold(displayName).slice(0, SORT).toWellFormed(),
    words: fold(known.slice(0, WORDS)),
  };
}

/** Whether a contact has all words of a search, each anywhere. @param sought from `soughtTerms` */
export function hasAll({ words }: Pick<CardSummary, 'words'>, sought: readonly string[]): boolean {
  return sought.every((term) => words.includes(term));
}

export function soughtTerms(text: string): string[] {
  return fold(text)
    .split(/\s+/)
    .filter((term) => term !== '');
}
