import { createHmac } from 'node:crypto';
import { wordsOf } from './words.ts';

/** Documents that are searched together, such as all posts, or the mail of one member. */
export interface SearchSpace {
  /** a noun of its service, and an id where there are many: `social.posts`, `mail:<member id>` */
  readonly name: string;
  /** 32 bytes, for a space of one owner: the store then holds words only as their HMAC, so a search finds whole words and no beginnings */
  readonly key?: Uint8Array | undefined;
  /** words with their HMAC, for whoever indexes much at once: most words of a calendar come again and again. It is kept small */
  readonly known?: Map<string, string> | undefined;
}

export interface SearchDocument {
  readonly id: string;
  /** milliseconds since 1970; a search returns the newest documents first */
  readonly at: number;
  /** a title, a subject or a name; its words count more than those of the text */
  readonly title?: string | undefined;
  readonly text: string;
  /** conditions that a search may add, such as `from:<member id>`; typed text never matches them */
  readonly tags?: readonly string[] | undefined;
}

/** A document in the form that the index takes. It is made before the transaction, because long texts take a while. */
export interface IndexedDocument {
  readonly space: string;
  readonly id: string;
  readonly at: number;
  /** words and tags, or their HMAC, each with a digit for its weight in the document */
  readonly weights: ReadonlyMap<string, number>;
}

/** The rest of a text that is longer than this isn't found. */
const mostCharacters = 1_000_000;
const mostWords = 10_000;
const keyBytes = 32;
/** Half of the bytes of SHA-256: two words of an owner are confused only after about 2^48 words. */
const keyedBytes = 12;
const tag = /^[a-z0-9][a-z0-9:.-]{0,99}$/;
const name = /^[a-z][a-z0-9:.-]{0,99}$/;
/** The weight of a word in the title. It is above the weight of the most frequent word of a text. */
const titleWeight = 4;

/** The words and tags of a document, in the form that the index holds. */
export function indexed(space: SearchSpace, { id, at, title = '', text, tags = [] }: SearchDocument): IndexedDocument {
  assertPlace(space, id, at);
  const counts = new Map<string, number>();
  const inTitle = new Set(wordsOf(title.slice(0, mostCharacters)));
  for (const word of inTitle) counts.set(word, 1);
  for (const word of wordsOf(text.slice(0, mostCharacters))) {
    const count = counts.get(word);
    if (count !== undefined || counts.size < mostWords) counts.set(word, (count ?? 0) + 1);
  }
  const keyed = wordKeys(space);
  const weights = new Map<string, number>();
  for (const [word, count] of counts) weights.set(keyed(word), weight(count) + (inTitle.has(word) ? titleWeight : 0));
  for (const one of tags) weights.set(keyed(tagWord(one)), 0);
  return { space: space.name, id, at, weights };
}

/** More than most documents have together. */
const mostKnown = 4_000;

/** The form in which the index holds the words of a space. */
export function wordKeys({ key, known }: SearchSpace): (word: string) => string {
  if (key === undefined) return (word) => word;
  if (key.length !== keyBytes) throw new RangeError(`the key of a search space has ${keyBytes} bytes`);
  const keyed = (word: string): string =>
    createHmac('sha256', key)
      .update('conclave/search/v1\0')
      .update(word)
      .digest()
      .subarray(0, keyedBytes)
      .toString('hex');
  if (known === undefined) return keyed;
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const now = keyed(word);
    if (known.size >= mostKnown) known.clear();
    known.set(word, now);
    return now;
  };
}

/** No word begins with this character. */
export function tagWord(text: string): string {
  if (!tag.test(text))
    throw new RangeError('a tag is at most 100 lower-case letters, digits, colons, dots and hyphens');
  return `#${text}`;
}

/** Once gives 1, twice 2, four times 3, eight times and more 4: the tenth occurrence says little more than the ninth. */
function weight(count: number): number {
  return 1 + Math.min(3, Math.floor(Math.log2(count)));
}

function assertPlace(space: SearchSpace, id: string, at: number): void {
  if (!name.test(space.name))
    throw new RangeError(
      'a search space is named with at most 100 lower-case letters, digits, colons, dots and hyphens',
    );
  if (id.length === 0 || id.length > 200) throw new RangeError('the id of a document has 1 to 200 characters');
  if (!Number.isSafeInteger(at) || at < 0 || at === Number.MAX_SAFE_INTEGER)
    throw new RangeError('the moment of a document is a whole number of milliseconds');
}
