import { urlMatch, type UrlMatch } from '../../../contract/passvault/entry.ts';
import { Problem } from '../../../base/problem.ts';
import { knownField } from './entry-fields.ts';
import type { EditableEntry } from './entry-text.ts';

const keyLine = /^(?<key>[a-zA-Z-]+)(?:[ \t]+(?<name>"(?:[^"\\]|\\.)*"|[^:="]+?))?[ \t]*(?<mark>[:=])(?<rest>.*)$/;
const blockLine = /^[ \t]+\| ?(.*)$/;

interface Item {
  readonly line: number;
  readonly key: string;
  readonly name: string;
  readonly value: string | readonly string[];
}

/**
 * Reads the format of `formatEntry`.
 *
 * @throws Problem invalid ENTRY_TEXT_INVALID, which names the line but does not repeat its text
 */
export function parseEntry(text: string): EditableEntry {
  const known: Record<string, string> = {};
  const entry = {
    tags: [] as string[],
    favorite: false,
    archived: false,
    urls: [] as EditableEntry['urls'][number][],
    customFields: [] as EditableEntry['customFields'][number][],
  };
  const seen = new Set<string>();
  for (const { line, key, name, value } of itemsOf(text)) {
    if (key === 'tags') {
      entry.tags = typeof value === 'string' ? tagsOf(value) : [...value];
      continue;
    }
    if (typeof value !== 'string') throw wrong(line, 'has a list instead of text');
    if (key === 'text' || key === 'hidden') {
      entry.customFields.push({ name, value, hidden: key === 'hidden' });
    } else if (key === 'address') {
      if (value !== '') entry.urls.push({ uri: value, match: matchOf(line, name) });
    } else if (name !== '') {
      throw wrong(line, `has a name after ${key}; custom fields begin with text or hidden`);
    } else if (key === 'favorite' || key === 'archived') {
      entry[key] = yesOf(line, value);
    } else {
      const field = knownField(key);
      if (field === undefined) throw wrong(line, `has no field ${key}; custom fields begin with text or hidden`);
      if (seen.has(field.property)) throw wrong(line, `has ${key} for the second time`);
      seen.add(field.property);
      if (value !== '') known[field.property] = value;
    }
  }
  if ((known['title'] ?? '').trim() === '')
    throw new Problem('invalid', 'ENTRY_TEXT_INVALID', 'The entry needs a title.');
  return { ...known, ...entry };
}

function itemsOf(text: string): Item[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  const items: Item[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.startsWith('#')) continue;
    const groups = keyLine.exec(line)?.groups;
    if (groups === undefined) throw wrong(at + 1, 'is not "name: value"');
    const { key = '', name = '', mark = '', rest = '' } = groups;
    const item = {
      line: at + 1,
      key: key.toLowerCase(),
      name: name.startsWith('"') ? (jsonOf(at + 1, name) as string) : name,
    };
    if (mark === '=') {
      items.push({ ...item, value: valueOf(at + 1, jsonOf(at + 1, rest)) });
      continue;
    }
    const block: string[] = [];
    if (rest.trim() === '') {
      for (let next = blockLine.exec(lines[at + 1] ?? ''); next !== null; next = blockLine.exec(lines[at + 1] ?? '')) {
        block.push(next[1] ?? '');
        at += 1;
      }
    }
    items.push({ ...item, value: block.length > 0 ? block.join('\n') : rest.trim() });
  }
  return items;
}

function jsonOf(line: number, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(line, 'is not JSON after the =');
  }
}

function valueOf(line: number, value: unknown): string | string[] {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw wrong(line, 'must hold a JSON string');
}

function tagsOf(value: string): string[] {
  return value
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function matchOf(line: number, name: string): UrlMatch {
  if (name === '') return 'domain';
  const found = urlMatch.options.find((option) => option.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw wrong(line, `must be matched by one of ${urlMatch.options.join(', ')}`);
  return found;
}

function yesOf(line: number, value: string): boolean {
  const word = value.trim().toLowerCase();
  if (['yes', 'true', 'no', 'false', ''].includes(word)) return word === 'yes' || word === 'true';
  throw wrong(line, 'must be yes or no');
}

function wrong(line: number, why: string): Problem {
  return new Problem('invalid', 'ENTRY_TEXT_INVALID', `Line ${line} ${why}.`);
}
