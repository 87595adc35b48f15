import type { Actor, Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { GeneratedPassword } from '../../../contract/passvault/tools.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { characterClasses, entropyOf, strengthOf, type CharacterClass } from './strength.ts';

export interface PasswordWishes {
  readonly length?: number | undefined;
  readonly uppercase?: boolean | undefined;
  readonly lowercase?: boolean | undefined;
  readonly numbers?: boolean | undefined;
  /** the same as `numbers` */
  readonly digits?: boolean | undefined;
  readonly symbols?: boolean | undefined;
  readonly minUppercase?: number | undefined;
  readonly minDigits?: number | undefined;
  readonly minSpecialChars?: number | undefined;
  readonly words?: number | undefined;
  readonly separator?: string | undefined;
}

const DEFAULT_LENGTH = 20;

export async function generatePassword(
  ctx: Context,
  _: Actor | Guest,
  wishes: PasswordWishes,
): Promise<{ password: GeneratedPassword }> {
  return { password: await makePassword(ctx.random, wishes) };
}

/** Makes a password of characters, or of words if a number of words is given. @throws Problem invalid VALIDATION_ERROR */
export async function makePassword(random: Random, wishes: PasswordWishes): Promise<GeneratedPassword> {
  const { words } = wishes;
  return words === undefined ? characters(random, wishes) : await passphrase(random, words, wishes);
}

interface Class {
  readonly name: CharacterClass;
  readonly members: string;
  /** the least number of characters of this class */
  readonly least: number;
}

/** Uniform among the passwords that satisfy the minimums. A class that was requested by name occurs at least once. */
export function characters(random: Random, wishes: PasswordWishes): GeneratedPassword {
  const { length = DEFAULT_LENGTH } = wishes;
  const classes = classesOf(wishes);
  const least = classes.reduce((sum, one) => sum + one.least, 0);
  if (least > length) throw fieldProblem('length', 'must be at least the sum of the minimums');
  const all = classes.map((one) => one.members).join('');
  const wanted = classes.filter((one) => one.least === 0 && isWanted(wishes, one.name));
  const reachable = least + wanted.length <= length;
  for (;;) {
    const chosen = classes.flatMap((one) => choose(random, one.members, one.least));
    const password = shuffle(random, [...chosen, ...choose(random, all, length - least)]).join('');
    if (reachable && wanted.some((one) => !Array.from(password).some((each) => one.members.includes(each)))) continue;
    const entropy = entropyOf(length, all.length);
    return { password, entropy, strength: strengthOf(entropy) };
  }
}

function classesOf(wishes: PasswordWishes): Class[] {
  if (wishes.numbers !== undefined && wishes.digits !== undefined && wishes.numbers !== wishes.digits)
    throw fieldProblem('digits', 'contradicts numbers');
  const least: Record<CharacterClass, readonly [field: string, count: number | undefined]> = {
    uppercase: ['minUppercase', wishes.minUppercase],
    lowercase: ['', undefined],
    numbers: ['minDigits', wishes.minDigits],
    symbols: ['minSpecialChars', wishes.minSpecialChars],
  };
  const classes: Class[] = [];
  for (const [name, members] of Object.entries(characterClasses) as [CharacterClass, string][]) {
    const [field, count = 0] = least[name];
    if (flagOf(wishes, name) !== false) classes.push({ name, members, least: count });
    else if (count > 0) throw fieldProblem(field, `asks for ${name}, which are off`);
  }
  if (classes.length === 0) throw fieldProblem('lowercase', 'leaves no characters to choose from');
  return classes;
}

function flagOf(wishes: PasswordWishes, name: CharacterClass): boolean | undefined {
  return name === 'numbers' ? (wishes.numbers ?? wishes.digits) : wishes[name];
}

function isWanted(wishes: PasswordWishes, name: CharacterClass): boolean {
  return flagOf(wishes, name) === true;
}

function choose(random: Random, members: string, count: number): string[] {
  return Array.from({ length: count }, () => members.charAt(randomBelow(random, members.length)));
}

async function passphrase(random: Random, count: number, wishes: PasswordWishes): Promise<GeneratedPassword> {
  const { words: _, separator = '-', ...others } = wishes;
  const other = Object.entries(others).find(([, value]) => value !== undefined && value !== false);
  if (other !== undefined) throw fieldProblem(other[0], 'does not apply to a passphrase');
  const { effWords } = await import('./eff-words.ts');
  const list = effWords.trim().split(/\s/);
  const words = Array.from({ length: count }, () => list[randomBelow(random, list.length)] ?? '');
  const entropy = entropyOf(count, list.length);
  return { password: words.join(separator), entropy, strength: strengthOf(entropy) };
}

/** @returns `size` random bytes */
export type Random = (size: number) => Uint8Array;

const RANGE = 2 ** 32;

/** A uniform whole number from 0 to `size - 1`. Random values that would favour small numbers are discarded. */
export function randomBelow(random: Random, size: number): number {
  const limit = RANGE - (RANGE % size);
  for (;;) {
    const value = Buffer.from(random(4)).readUInt32BE();
    if (value < limit) return value % size;
  }
}

/** The Fisher–Yates shuffle, in place. */
function shuffle<T>(random: Random, items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = randomBelow(random, at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}
