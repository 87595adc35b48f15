import type { PasswordStrength } from '../../../contract/passvault/tools.ts';

export const characterClasses = {
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  numbers: '0123456789',
  symbols: '!@#$%^&*()-_=+[]{};:,.<>?/|~',
} as const;
export type CharacterClass = keyof typeof characterClasses;

/** Characters that are in none of the classes, such as ß, count as if there were 100 of them. */
const OTHER_CHARACTERS = 100;

/** Bits of `length` independent choices among `size`. */
export function entropyOf(length: number, size: number): number {
  return size < 2 ? 0 : Math.floor(length * Math.log2(size));
}

export function strengthOf(entropy: number): PasswordStrength {
  if (entropy < 40) return 'weak';
  if (entropy < 60) return 'fair';
  return entropy < 80 ? 'strong' : 'very_strong';
}

/** The most bits that a password can have, by the classes it draws on. What a person chose has fewer. */
export function estimatedEntropy(password: string): number {
  const { length } = Array.from(password);
  // Each once: what is imported for a password may be a megabyte long.
  const distinct = [...new Set(password)];
  const classes = Object.values(characterClasses);
  let size = classes
    .filter((members) => distinct.some((character) => members.includes(character)))
    .reduce((sum, members) => sum + members.length, 0);
  if (distinct.some((character) => !classes.some((members) => members.includes(character)))) size += OTHER_CHARACTERS;
  // Of `aaaaaaaa`, one letter and the length are all there is to guess.
  return entropyOf(length, Math.min(size, distinct.length ** 2));
}
