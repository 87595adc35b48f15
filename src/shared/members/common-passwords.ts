import { normalizePassword } from '../../crypto/password.ts';

/** Rows, columns and patterns on a keyboard. They are read in both directions. */
const walks = [
  '01234567890123456789',
  '00112233445566778899001122',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1a2b3c4d5e6f7g8h9i',
  'a1b2c3d4e5f6g7h8i9',
  'qazwsxedcrfvtgbyhnujmikolp',
  'zaq12wsxcde34rfvbgt56yhn',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  '147258369',
  '789456123',
  '159357',
  '741852963',
].flatMap((walk) => [walk, Array.from(walk).reverse().join('')]);

/** The digits under the signs of the American keyboard, so that `!qaz@wsx` is seen as `1qaz2wsx`. */
const shifted = ')!@#$%^&*(';

/** Characters that stand for letters, as in `p@ssw0rd`. */
const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Digits and signs that people add to a word: up to three digits, a year, or a run from 1; then at most two signs. */
const digits = String.raw`(?:\d{0,3}|19[4-9]\d|20[0-3]\d|1234|12345|123456|1234567|12345678|123456789|1234567890|4321|54321|654321)`;
const signs = String.raw`[!@#$%^&*()_+\-=.,?~]{0,2}`;
const decorated = new RegExp(`^${signs}${digits}${signs}(?<word>.*?)${signs}${digits}${signs}$`, 'su');

const DATE = /^(?:(?:19[4-9]\d|20[0-3]\d)(?:0\d|1[0-2])[0-3]\d|[0-3]\d[0-3]\d(?:19[4-9]\d|20[0-3]\d))$/u;

/**
 * Whether the password is among the first some hundred thousand guesses of an attacker with lists of leaked passwords. Such passwords are:
 * a listed word, also doubled, with the usual digits and signs around it or look-alike characters in it; a keyboard walk; a repetition; a
 * date. Case and Unicode form (NFKC) don't matter.
 *
 * @throws CryptoError for text that `normalizePassword` refuses
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const text = normalizePassword(password).toLowerCase();
  if (isRepetition(text) || isWalk(text) || DATE.test(text)) return true;
  const { commonWords } = await import('./common-password-words.ts');
  return spellings(text).some((spelling) => commonWords.has(spelling) || isDoubled(spelling, commonWords));
}

/** The text as it is, the text without added digits and signs, and both with look-alikes read as letters. */
function spellings(text: string): string[] {
  const bare = [text, text.replaceAll(/[\s._-]+/gu, '')];
  const undecorated = bare.map((each) => decorated.exec(each)?.groups?.['word'] ?? each);
  // The order matters: digits at the end are more often additions than letters.
  const read = [...bare, ...undecorated].map((each) =>
    each.replaceAll(/[\d@$!]/gu, (character) => lookalikes[character] ?? character),
  );
  return [...bare, ...undecorated, ...read].filter((each) => each.length >= 3);
}

function isDoubled(text: string, words: ReadonlySet<string>): boolean {
  const half = text.slice(0, text.length / 2);
  return text === half + half && words.has(half);
}

/** One to four characters that repeat, or at most two different characters. */
function isRepetition(text: string): boolean {
  if (text.length < 2) return true;
  if (new Set(text).size <= 2) return true;
  return [3, 4].some(
    (unit) =>
      text.length >= 2 * unit &&
      text ===
        text
          .slice(0, unit)
          .repeat(Math.ceil(text.length / unit))
          .slice(0, text.length),
  );
}

/** At most three pieces of at least three characters, each of them part of a keyboard walk. */
function isWalk(text: string): boolean {
  const pressed = text.replaceAll(/[!@#$%^&*()]/gu, (sign) => String(shifted.indexOf(sign)));
  return [text, pressed].some((each) => splitsIntoWalks(each, 3));
}

function splitsIntoWalks(text: string, pieces: number): boolean {
  if (text === '') return true;
  if (pieces === 0 || text.length < 3) return false;
  for (let length = text.length; length >= 3; length -= 1) {
    const piece = text.slice(0, length);
    if (walks.some((walk) => walk.includes(piece)) && splitsIntoWalks(text.slice(length), pieces - 1)) return true;
  }
  return false;
}
