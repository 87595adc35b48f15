import type { Entry } from '../../../contract/passvault/entry.ts';
import type { passvault } from '../../../contract/passvault.ts';
import type { RawInputOf } from '../../../contract/operation.ts';
import { impossibleSecret } from '../../../client/impossible-secret.ts';
import { Problem } from '../../../base/problem.ts';
import { knownFields, wordOf } from './entry-fields.ts';
import { editableOf, type EditableEntry } from './entry-text.ts';

/** The input of a change: only the fields that differ. */
export type EntryChanges = Omit<RawInputOf<(typeof passvault)['updateEntry']>, 'vaultId' | 'entryId' | 'version'>;

const lists = ['tags', 'favorite', 'archived', 'urls', 'customFields'] as const;

/** Compares two versions of an entry. A removed text is sent as an empty text. */
export function changesBetween(before: EditableEntry, after: EditableEntry): EntryChanges {
  const texts = knownFields
    .map(({ property }) => [property, after[property] ?? ''] as const)
    .filter(([property, value]) => value !== (before[property] ?? ''));
  const others = lists
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => [name, after[name]]);
  return Object.fromEntries([...texts, ...others]) as EntryChanges;
}

const listWords: Readonly<Record<string, string>> = { urls: 'more addresses', customFields: 'own fields' };

/** The changed fields, with their names for people. */
export function changedWords(fields: readonly string[]): string {
  return fields.map((name) => wordOf(name) ?? listWords[name] ?? name).join(', ');
}

/**
 * Refuses impossible values that a person typed. An existing value is not checked, whatever its origin.
 *
 * @throws Problem invalid SECRET_IMPOSSIBLE that names the field
 */
export function assertPossible(changes: EntryChanges): void {
  for (const { property, name } of knownFields) {
    const value = changes[property as keyof EntryChanges];
    const reason = typeof value === 'string' ? impossibleSecret(property, value) : undefined;
    if (reason === undefined) continue;
    const message = `${name}: ${reason}. To keep it unchanged, use a custom field: '${name} as given[hidden]'.`;
    throw new Problem('invalid', 'SECRET_IMPOSSIBLE', message);
  }
}

/** The fields that were changed both here and by another person. */
export function overlap(changes: EntryChanges, before: Entry, now: Entry): string[] {
  const meanwhile = changesBetween(editableOf(before), editableOf(now));
  return Object.keys(changes).filter((name) => Object.hasOwn(meanwhile, name));
}
