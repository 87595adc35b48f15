import { Problem } from '../../problem.ts';
import { tagWord, wordKeys, type SearchSpace } from './document.ts';
import { soughtWords } from './words.ts';

/** The terms that a document must have, as stored in the index. */
export interface Query {
  /** words and tags */
  readonly whole: readonly string[];
  /** the terms of `whole` that count for relevance: tags don't make a document a better answer */
  readonly scored: readonly string[];
  /** the beginning of one of its words */
  readonly beginning: string | undefined;
}

export interface QueryText {
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  /** whether the last word may be a beginning; has no effect in spaces with a key */
  readonly prefix?: boolean | undefined;
}

const mostCharacters = 500;
const mostWords = 32;

/**
 * Parses the text of a search. All characters except letters and digits only separate words. There are no operators, so nothing needs
 * escaping.
 * @returns undefined if the text has no word; such a query finds nothing
 * @throws Problem invalid QUERY_TOO_LONG
 */
export function parseQuery(space: SearchSpace, { text, tags = [], prefix = true }: QueryText): Query | undefined {
  if (text.length > mostCharacters) throw tooLong(`${mostCharacters} characters`);
  const sought = soughtWords(text);
  const words = new Set(sought);
  if (words.size > mostWords) throw tooLong(`${mostWords} words`);
  const last = sought.at(-1);
  if (last === undefined) return undefined;
  const keyed = wordKeys(space);
  // If the last word also stands earlier in the text, it is searched as a whole word.
  const open = prefix && space.key === undefined && sought.indexOf(last) === sought.length - 1;
  if (open) words.delete(last);
  const scored = [...words].map(keyed);
  return {
    whole: [...scored, ...new Set(tags.map((tag) => keyed(tagWord(tag))))],
    scored,
    beginning: open ? last : undefined,
  };
}

function tooLong(most: string): Problem {
  return new Problem('invalid', 'QUERY_TOO_LONG', `The search takes at most ${most}. Leave some of them out.`);
}
