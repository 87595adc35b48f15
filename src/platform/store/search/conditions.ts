import { timeFrom } from '../../../base/iso-time.ts';

/** The text of a search with conditions such as `from:bob` in it. */
export interface Conditioned<Name extends string> {
  /** what is no condition, in its order */
  readonly words: readonly string[];
  readonly conditions: readonly { readonly name: Name; readonly value: string }[];
}

/** Tells conditions from words. @param names of conditions, in lower case; they are found in any case */
export function splitConditions<const Name extends string>(q: string, names: readonly Name[]): Conditioned<Name> {
  const words: string[] = [];
  const conditions: { name: Name; value: string }[] = [];
  for (const token of q.split(/\s+/u)) {
    const at = token.indexOf(':');
    const name = names.find((one) => one === token.slice(0, Math.max(at, 0)).toLowerCase());
    const value = token.slice(at + 1);
    if (name !== undefined && value !== '') conditions.push({ name, value });
    else words.push(token);
  }
  return { words, conditions };
}

/** The moment that a condition names, in milliseconds since 1970; undefined if it is none. */
export function momentIn(value: string): number | undefined {
  return timeFrom(value.toUpperCase());
}

export const momentRule = 'takes a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z';
