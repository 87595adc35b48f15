import { Problem } from '../../base/problem.ts';

export interface Candidate {
  readonly id: string;
  /** a label that distinguishes it from other candidates, for people */
  readonly label: string;
}

/**
 * Finds the one candidate whose id begins with the given digits.
 *
 * @throws Problem conflict AMBIGUOUS that lists the candidates, missing NOT_FOUND
 */
export function pick<T extends Candidate>(what: string, prefix: string, candidates: readonly T[]): T {
  const found = candidates.filter(({ id }) => id.startsWith(prefix.toLowerCase()));
  const [one] = found;
  if (prefix === '' || one === undefined)
    throw new Problem('missing', 'NOT_FOUND', `There is no ${what} whose id begins with ${JSON.stringify(prefix)}.`);
  if (found.length > 1) throw ambiguous(prefix, found);
  return one;
}

export function ambiguous(name: string, candidates: readonly Candidate[]): Problem {
  return new Problem('conflict', 'AMBIGUOUS', `${JSON.stringify(name)} matches more than one:`, {
    fields: candidates.map(({ id, label }) => ({ path: id, message: label })),
  });
}
