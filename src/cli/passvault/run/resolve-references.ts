import type { Entry } from '../../../contract/passvault/entry.ts';
import { Problem, type FieldProblem } from '../../../base/problem.ts';
import type { FieldValue } from '../entries/entry-fields.ts';
import { fieldValue } from '../entries/field-value.ts';
import { formatReference, type Reference } from './reference.ts';

export type EntryLookup = (vault: string, entry: string) => Promise<Entry>;

/** Kinds of problems with one name. Any other problem would affect every other reference as well. */
const ofTheName = new Set(['missing', 'conflict']);

/**
 * Reads the values of all references before any of them is used. Each entry is read once.
 *
 * @returns a function that returns the value of one of these references
 * @throws Problem missing REFERENCE_UNRESOLVED, or conflict AMBIGUOUS; it names every failed reference and its problem
 */
export async function resolveReferences(
  references: readonly Reference[],
  lookup: EntryLookup,
  nowMs: number,
): Promise<(reference: Reference) => FieldValue> {
  const entries = new Map<string, Promise<Entry>>();
  const values = new Map<string, FieldValue>();
  const wrong: FieldProblem[] = [];
  let kind: 'missing' | 'conflict' = 'missing';
  for (const reference of references) {
    const name = formatReference(reference);
    if (values.has(name) || wrong.some(({ path }) => path === name)) continue;
    const key = JSON.stringify([reference.vault, reference.entry]);
    try {
      const entry = entries.get(key) ?? lookup(reference.vault, reference.entry);
      entries.set(key, entry);
      values.set(name, await fieldValue(await entry, reference.field, nowMs));
    } catch (error) {
      if (!(error instanceof Problem) || !ofTheName.has(error.kind)) throw error;
      if (error.kind === 'conflict') kind = 'conflict';
      const candidates = error.fields.map(({ path, message }) => `${path} (${message})`).join('; ');
      wrong.push({ path: name, message: candidates === '' ? error.message : `${error.message} ${candidates}` });
    }
  }
  if (wrong.length > 0) {
    const code = kind === 'conflict' ? 'AMBIGUOUS' : 'REFERENCE_UNRESOLVED';
    throw new Problem(kind, code, 'These references were not found:', { fields: wrong });
  }
  return (reference) => {
    const value = values.get(formatReference(reference));
    if (value === undefined) throw new Error('a reference that was not found');
    return value;
  };
}
