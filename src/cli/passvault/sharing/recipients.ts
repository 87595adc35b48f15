import { fieldsProblem, Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

const place = /^(?:recipientMemberIds|trustees)\.(\d+)$/;

/** Removes duplicates, in any spelling. People name members by username, e-mail address or id. */
export function memberNames(argv: readonly string[]): string[] {
  return [...new Map(argv.map((name) => [name.toLowerCase(), name])).values()];
}

/**
 * Performs an operation on named members, so that a problem tells which name is wrong.
 *
 * @throws Problem invalid VALIDATION_ERROR from the operation, with names in place of indices
 */
export async function withNames<T>(names: readonly string[], performed: Promise<T>): Promise<T> {
  try {
    return await performed;
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'VALIDATION_ERROR')) throw error;
    if (error.fields.length === 0) throw error;
    throw fieldsProblem(error.fields.map(({ path, message }) => ({ path: nameAt(names, path), message })));
  }
}

function nameAt(names: readonly string[], path: string): string {
  return names[wholeNumber(place.exec(path)?.[1]) ?? -1] ?? path;
}
