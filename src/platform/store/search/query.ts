import { Problem } from '../../../base/problem.ts';
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
  /** whether a text without words finds everything that has the tags */
  readonly wordless?: boolean | undefined;
}

const mostCharacters = 500;
const mostWords = 32;

/**
 * Parses the text of a search. All characters except letters and digits only separate words. There are no operators, so nothing needs
 * escaping.
 * @returns undefined if the text has no word and `wordless` is not set; such a query finds nothing
 * @throws Problem invalid QUERY_TOO_LONG
 */
export function parseQuery(
  space: SearchSpace,
  { text, tags = [], prefix = true, wordless = false }: QueryText,
): Query | undefined {
  if (text.length > mostCharacters) throw tooLong(`${mostCharacters} characters`);
  const sought = soughtWords(text);
  const words = new Set(sought);
  if (words.size > mostWords) throw tooLong(`${mostWords} words`);
  const last = sought.at(-1);
  if (last === undefined && !wordless) return undefined;
  const keyed = wordKeys(space);
  // If the last word also stands earlier in the text, it is searched as a whole word.
  const beginning = prefix && space.key === undefined && isOnlyOnce(sought, last) ? last : undefined;
  if (beginning !== undefined) words.delete(beginning);
  const scored = [...words].map(keyed);
  return {
    whole: [...scored, ...new Set(tags.map((tag) => keyed(tagWord(tag))))],
    scored,
    beginning,
  };
}

function isOnlyOnce(words: readonly string[], last: string | undefined): boolean {
  return last !== undefined && words.indexOf(last) === words.length - 1;
}

function tooLong(most: string): Problem {
  return new Problem('invalid', 'QUERY_TOO_LONG', `The search takes at most ${most}. Leave some of them out.`);
}
