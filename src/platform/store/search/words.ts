import { segmentsOf } from './segments.ts';

/**
 * The version of the rules in this file. Increase it when the rules change: documents that were indexed before have an older version, and
 * `outdatedDocuments` finds them.
 */
export const wordsVersion = 2;

/** Longer words are cut to this length and found by their beginning: nobody types the rest of a hash or a line of base64. */
const longestWord = 64;

/** Letters that Unicode doesn't decompose, with the spelling of people whose keyboard lacks them. */
const alike: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  þ: 'th',
  ς: 'σ',
};
const unlike = new RegExp(`[${Object.keys(alike).join('')}]`, 'g');
/**
 * Marks over and under letters of Latin, Greek, Cyrillic, Hebrew and Arabic, which people may leave out. Marks of other scripts are vowels
 * and belong to their words.
 */
const accents = /[\u0300-\u036f]|[\u0483-\u0487]|[\u0591-\u05c7]|[\u0610-\u061a]|\u0640|[\u064b-\u065f]|\u0670/g;
/** Invisible characters: soft hyphens, joiners, directions. A zero-width space is kept, because it ends a word as a space does. */
const unseen = /(?!\u200b)\p{Cf}/gu;

const run = /[\p{L}\p{N}\p{M}]+/gu;
const something = /[\p{L}\p{N}]/u;
/** These scripts are written without spaces, and no rule finds where their words end. */
const ideographs = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+/gu;
const ideograph = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
/** These scripts are written without spaces; ICU has dictionaries of their words. */
const unspaced = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Gives spellings that people treat as equal the same form: width, case, accents, ligatures. */
export function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(unseen, '').replace(accents, '');
  // Upper case makes ß and ss, and ı and i, the same. A capital ẞ is in upper case already, so lower case comes before it.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD').replace(accents, '');
  return lower.replace(unlike, (letter) => alike[letter] ?? letter).normalize('NFC');
}

/** The words of a text to be indexed, in their order; a repeated word is repeated here. */
export function wordsOf(text: string): string[] {
  return split(text, (characters) => [...characters, ...pairs(characters)]);
}

/** The words that a document must have to be found by this text. */
export function soughtWords(text: string): string[] {
  return split(text, (characters) => (characters.length === 1 ? characters : pairs(characters)));
}

/**
 * Chinese and Japanese are split into characters and pairs of characters. A dictionary splits words by their context, and a query has
 * another context than the text that it should find.
 */
function split(text: string, ofIdeographs: (characters: string[]) => string[]): string[] {
  const words: string[] = [];
  let segmenter: Intl.Segmenter | undefined;
  const add = (word: string): void => {
    if (something.test(word)) words.push(shortened(word));
  };
  for (const [found] of fold(text).matchAll(run)) {
    if (ideograph.test(found)) {
      for (const [part] of found.matchAll(ideographs)) {
        if (!ideograph.test(part)) add(part);
        else for (const word of ofIdeographs(Array.from(part))) words.push(word);
      }
    } else if (unspaced.test(found)) {
      segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
      for (const segment of segmentsOf(segmenter, found)) add(segment);
    } else add(found);
  }
  return words;
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, before) => `${characters[before]}${character}`);
}

function shortened(word: string): string {
  // Half of a surrogate pair is no valid text, and no engine stores it.
  return word.length <= longestWord ? word : word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '');
}
