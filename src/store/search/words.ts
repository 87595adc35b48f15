/**
 * Of what this file makes of a text. Whoever changes that counts one up: documents that were indexed before then have an older one, and
 * `outdatedDocuments` finds them.
 */
export const wordsVersion = 1;

/** Longer ones are found by their beginning: nobody types the rest of a hash or a line of base64. */
const longestWord = 64;

/** Letters that Unicode doesn't take apart, and that people without such a keyboard type like this. */
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
 * What stands over and under letters of Latin, Greek, Cyrillic, Hebrew and Arabic, and may be left out. Marks of other scripts are vowels
 * and belong to their words.
 */
const accents = /[\u0300-\u036f]|[\u0483-\u0487]|[\u0591-\u05c7]|[\u0610-\u061a]|\u0640|[\u064b-\u065f]|\u0670/g;
/** Soft hyphens, joiners, directions: nobody sees them. A zero-width space ends a word where others put a space. */
const unseen = /(?!\u200b)\p{Cf}/gu;

const run = /[\p{L}\p{N}\p{M}]+/gu;
const something = /[\p{L}\p{N}]/u;
/** Written without spaces, and without a rule that finds where words end. */
const ideographs = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+/gu;
const ideograph = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
/** Written without spaces; ICU has dictionaries of their words. */
const unspaced = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Text in which spellings that people take for the same are the same: width, case, accents, ligatures. */
export function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(unseen, '').replace(accents, '');
  // Upper case first: ß and ss, ı and i are the same there.
  const lower = bare.toUpperCase().toLowerCase().normalize('NFKD').replace(accents, '');
  return lower.replace(unlike, (letter) => alike[letter] ?? letter).normalize('NFC');
}

/** The words of a text that is to be found, in their order, each as often as it stands there. */
export function wordsOf(text: string): string[] {
  return split(text, (characters) => [...characters, ...pairs(characters)]);
}

/** The words that a text must have to be found by this one. */
export function soughtWords(text: string): string[] {
  return split(text, (characters) => (characters.length === 1 ? characters : pairs(characters)));
}

/**
 * Chinese and Japanese go in as characters and pairs of them: what a dictionary takes for words depends on what stands around them, and a
 * question has other surroundings than its answer.
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
        if (ideograph.test(part)) words.push(...ofIdeographs(Array.from(part)));
        else add(part);
      }
    } else if (unspaced.test(found)) {
      segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
      for (const { segment } of segmenter.segment(found)) add(segment);
    } else add(found);
  }
  return words;
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, before) => `${characters[before]}${character}`);
}

function shortened(word: string): string {
  // A surrogate whose other half is cut off is no text, and no engine stores it.
  return word.length <= longestWord ? word : word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '');
}
