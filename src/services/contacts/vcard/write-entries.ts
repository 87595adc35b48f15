import type { Draft } from './draft.ts';
import { readFields, sameGroup, type FoundEntry } from './fields.ts';
import { escapeValue } from './values.ts';

/** An entry as somebody gives it: what is left out of one whose value stays, stays too. */
export interface GivenEntry<Value> {
  readonly value: Value;
  readonly types?: readonly string[] | undefined;
  readonly label?: string | undefined;
  readonly preferred?: boolean | undefined;
}

interface ShownEntry<Value> {
  readonly value: Value;
  readonly types: readonly string[];
  readonly label?: string | undefined;
  readonly preferred?: true | undefined;
}

interface Entries<Value> {
  /** the property */
  readonly name: string;
  readonly found: readonly FoundEntry<ShownEntry<Value>>[];
  readonly wanted: readonly GivenEntry<Value>[];
  /** the value as it stands in the text */
  write(this: void, value: Value): string;
}

/** Replaces the entries of a property. Those that are wanted as they are keep their lines, and their labels. */
export function changeEntries<Value>(draft: Draft, { name, found, wanted, write }: Entries<Value>): void {
  const left = new Set(found);
  const lines: string[] = [];
  const sameValue = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other);
  for (const entry of wanted) {
    const alike = [...left].filter(({ entry: there }) => sameValue(there.value, entry.value));
    const there = alike.find((one) => isAsGiven(one.entry, entry));
    if (there !== undefined) left.delete(there);
    else lines.push(...entryLines(draft, name, merged(alike[0]?.entry, entry), write));
  }
  const gone = [...left].map(({ property }) => draft.properties.indexOf(property));
  for (const { property } of left) gone.push(...lonelyLabels(draft, property.group, gone));
  if (gone.length > 0 || lines.length > 0) draft.replace([...new Set(gone)], lines);
}

function isAsGiven<Value>(there: ShownEntry<Value>, { types, label, preferred }: GivenEntry<Value>): boolean {
  const sameTypes = types === undefined || types.toSorted().join() === there.types.toSorted().join();
  const sameLabel = label === undefined || label === there.label;
  return sameTypes && sameLabel && (preferred === undefined || preferred === (there.preferred ?? false));
}

function merged<Value>(there: ShownEntry<Value> | undefined, entry: GivenEntry<Value>): GivenEntry<Value> {
  return {
    value: entry.value,
    types: entry.types ?? there?.types,
    label: entry.label ?? there?.label,
    preferred: entry.preferred ?? there?.preferred,
  };
}

/** Lines that say something of the entries of a group in which none is left. */
function lonelyLabels(draft: Draft, group: string, gone: readonly number[]): number[] {
  if (group === '') return [];
  const others = draft.properties.flatMap((property, index) =>
    sameGroup(property.group, group) && !gone.includes(index) ? [index] : [],
  );
  return others.every((index) => draft.properties[index]?.name.startsWith('X-AB')) ? others : [];
}

function entryLines<Value>(
  draft: Draft,
  name: string,
  { value, types = [], label, preferred = false }: GivenEntry<Value>,
  write: (value: Value) => string,
): string[] {
  const isNew = readFields(draft.properties).version === '4.0';
  const old = [...(name === 'EMAIL' ? ['internet'] : []), ...types, ...(preferred ? ['pref'] : [])];
  const all = isNew ? types : old.map((type) => type.toUpperCase());
  const type = all.length > 0 ? `;TYPE=${all.join(',')}` : '';
  const line = `${name}${type}${isNew && preferred ? ';PREF=1' : ''}:${write(value)}`;
  if (label === undefined) return [line];
  const group = draft.newGroup();
  return [`${group}.${line}`, `${group}.X-ABLabel:${escapeValue(label)}`];
}
