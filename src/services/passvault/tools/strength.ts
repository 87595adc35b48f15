import type { PasswordStrength } from '../../../contract/passvault/tools.ts';

export const characterClasses = {
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  numbers: '0123456789',
  symbols: '!@#$%^&*()-_=+[]{};:,.<>?/|~',
} as const;
export type CharacterClass = keyof typeof characterClasses;

/** Characters outside of all classes, such as ß, count as a class of 100. */
const OTHER_CHARACTERS = 100;

/** Entropy in bits of `length` independent choices from `size` characters. */
export function entropyOf(length: number, size: number): number {
  return size < 2 ? 0 : Math.floor(length * Math.log2(size));
}

export function strengthOf(entropy: number): PasswordStrength {
  if (entropy < 40) return 'weak';
  if (entropy < 60) return 'fair';
  return entropy < 80 ? 'strong' : 'very_strong';
}

/** The upper limit of a password's entropy in bits, by its character classes. A password that a person chose has less. */
export function estimatedEntropy(password: string): number {
  const { length } = Array.from(password);
  // Each character once, because an imported password may be a megabyte long.
  const distinct = [...new Set(password)];
  const classes = Object.values(characterClasses);
  let size = classes
    .filter((members) => distinct.some((character) => members.includes(character)))
    .reduce((sum, members) => sum + members.length, 0);
  if (distinct.some((character) => !classes.some((members) => members.includes(character)))) size += OTHER_CHARACTERS;
  // For `aaaaaaaa`, an attacker only has to guess one letter and the length.
  return entropyOf(length, Math.min(size, distinct.length ** 2));
}
