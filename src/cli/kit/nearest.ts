/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    let left = i + 1;
    let diagonal = i;
    previous = previous.map((above, j) => {
      if (j === 0) return left;
      left = Math.min(diagonal + (letter === b[j - 1] ? 0 : 1), above + 1, left + 1);
      diagonal = above;
      return left;
    });
  }
  return previous.at(-1) ?? 0;
}

/** Pairs of similar words with opposite meanings. A person who types one of them never means the other. */
const opposites: readonly (readonly [string, string])[] = [
  ['lock', 'open'],
  ['add', 'remove'],
  ['add', 'edit'],
  ['approve', 'deny'],
  ['promote', 'demote'],
  ['suspend', 'restore'],
  ['backup', 'restore'],
  ['import', 'export'],
  ['login', 'logout'],
  ['join', 'leave'],
  ['join', 'withdraw'],
  ['create', 'destroy'],
];

const negation = /^(?:no-|un|dis|de)(?=[a-z]{3})/;

/** Whether one word means the opposite of the other. */
export function isOpposite(one: string, other: string): boolean {
  if (opposites.some((pair) => pair.includes(one) && pair.includes(other) && one !== other)) return true;
  const [bare, otherBare] = [one, other].map((word) => word.replace(negation, ''));
  return (bare !== one) !== (otherBare !== other) && distance(bare ?? '', otherBare ?? '') <= 1;
}

/**
 * The most similar words, several if they are equally similar. The result never contains the opposite of the word, or of the most similar
 * word.
 */
export function nearest(word: string, words: readonly string[], most = 3): string[] {
  const near = words
    .map((one) => ({ one, far: distance(word.slice(0, one.length + 3), one) }))
    .filter(({ one, far }) => far <= Math.max(2, one.length / 4) && far < one.length)
    .filter(({ one }) => !isOpposite(lastWord(word), lastWord(one)))
    .sort((a, b) => a.far - b.far);
  const [best] = near;
  return near
    .filter(({ one, far }) => far === best?.far && !isOpposite(lastWord(best.one), lastWord(one)))
    .map(({ one }) => one)
    .slice(0, most);
}

function lastWord(words: string): string {
  return words.slice(words.lastIndexOf(' ') + 1).replace(/^--/, '');
}
