import type { Entry, EntryType, UrlMatch } from '../../../contract/passvault/entry.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { knownFields } from './entry-fields.ts';

type Known = Partial<Record<(typeof knownFields)[number]['property'], string>>;

/** All editable parts of an entry. An empty text means that the part is missing. */
export interface EditableEntry extends Known {
  readonly tags: readonly string[];
  readonly favorite: boolean;
  readonly archived: boolean;
  readonly urls: readonly { readonly uri: string; readonly match: UrlMatch }[];
  readonly customFields: readonly { readonly name: string; readonly value: string; readonly hidden: boolean }[];
}

export function editableOf(entry: Entry): EditableEntry {
  const known = Object.fromEntries(
    knownFields.flatMap(({ property }) => ((entry[property] ?? '') === '' ? [] : [[property, entry[property]]])),
  ) as Known;
  const { tags, favorite, archived, urls = [], customFields = [] } = entry;
  return { ...known, tags, favorite, archived, urls, customFields };
}

/**
 * An entry as lines that people edit:
 *
 *     name: text to the end of the line
 *     name= "a JSON string, for spaces at the ends and control characters"
 *     name:
 *       | text of
 *       | several lines
 *
 * `text NAME` and `hidden NAME` are custom fields. `address` is a further address with its match rule.
 */
export function formatEntry(entry: EditableEntry, type: EntryType, heading: string): string {
  const fields = knownFields.filter(({ types, property }) => types.includes(type) || (entry[property] ?? '') !== '');
  const lines = [
    `# ${escapeForTerminal(heading)}`,
    '# Lines that begin with # are ignored. Fields without a value are removed.',
    '# Custom fields: "text NAME: value" and "hidden NAME: value". For several lines, begin each with "  | ".',
    ...fields.map(({ name, property }) => formatValue(name, entry[property] ?? '')),
    ...entry.urls.map(({ uri, match }) => formatValue(match === 'domain' ? 'address' : `address ${match}`, uri)),
    ...entry.customFields.map(({ name, value, hidden }) =>
      formatValue(`${hidden ? 'hidden' : 'text'} ${formatName(name)}`, value),
    ),
    entry.tags.every(isPlainTag) ? formatValue('tags', entry.tags.join(', ')) : `tags= ${escapedJsonOf(entry.tags)}`,
    `favorite: ${entry.favorite ? 'yes' : 'no'}`,
    `archived: ${entry.archived ? 'yes' : 'no'}`,
  ];
  return `${lines.join('\n')}\n`;
}

function formatValue(key: string, value: string): string {
  if (value === '') return `${key}:`;
  const lines = value.split('\n');
  if (lines.some((line) => escapeForTerminal(line) !== line) || (lines.length === 1 && value !== value.trim())) {
    return `${key}= ${escapedJsonOf(value)}`;
  }
  if (lines.length === 1) return `${key}: ${value}`;
  return [`${key}:`, ...lines.map((line) => (line === '' ? '  |' : `  | ${line}`))].join('\n');
}

function formatName(name: string): string {
  return /^[^\s:="#][^:="]*$/.test(name) && name === name.trim() && escapeForTerminal(name) === name
    ? name
    : escapedJsonOf(name);
}

function isPlainTag(tag: string): boolean {
  return tag !== '' && !tag.includes(',') && tag === tag.trim() && escapeForTerminal(tag) === tag;
}

/** JSON on one line, without characters that an editor or terminal would act on. */
function escapedJsonOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\u0020-\u007e]/gu, (character) =>
    escapeForTerminal(character) === character ? character : unicodeEscapes(character),
  );
}

function unicodeEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
