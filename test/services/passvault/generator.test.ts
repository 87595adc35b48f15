import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effWords } from '../../../src/services/passvault/tools/eff-words.ts';
import {
  characters,
  generatePassword,
  type PasswordWishes,
  randomBelow,
} from '../../../src/services/passvault/tools/generator.ts';
import { characterClasses, estimatedEntropy, strengthOf } from '../../../src/services/passvault/tools/strength.ts';
import { Problem } from '../../../src/base/problem.ts';
import type { Context } from '../../../src/service/context.ts';
import { inStage } from '../../support/stage.ts';

const random = (size: number) => randomBytes(size);
const ctx = { random } as unknown as Context;
const guest = { kind: 'guest', address: '', userAgent: '' } as const;
const generate = async (wishes: PasswordWishes) => (await generatePassword(ctx, guest, wishes)).password;
const counts = (text: string, members: string) => Array.from(text).filter((one) => members.includes(one)).length;

/** Pearson's statistic of how often each of `size` values came up. */
function chiSquare(values: Iterable<number>, size: number): number {
  const seen = Array.from({ length: size }, () => 0);
  let total = 0;
  for (const value of values) {
    seen[value]! += 1;
    total += 1;
  }
  return seen.reduce((sum, count) => sum + (count - total / size) ** 2 / (total / size), 0);
}

/** The statistic has mean `k` and variance `2k`; seven deviations come up once in 10^11 tests. */
const bound = (size: number) => size - 1 + 7 * Math.sqrt(2 * (size - 1));

describe('the generator', () => {
  it('chooses every character equally often', { tags: 'soak' }, () => {
    const all = Object.values(characterClasses).join('');
    const drawn = Array.from({ length: 1_500 }, () => characters(random, { length: 128 }).password).join('');
    expect(
      chiSquare(
        Array.from(drawn, (one) => all.indexOf(one)),
        all.length,
      ),
    ).toBeLessThan(bound(all.length));
    expect(drawn).toHaveLength(192_000);
  });

  it('would be noticed if it took a byte modulo the number of characters', () => {
    const size = Object.values(characterClasses).join('').length;
    const biased = Array.from(randomBytes(192_000), (byte) => byte % size);
    expect(chiSquare(biased, size)).toBeGreaterThan(bound(size));
  });

  it('puts minimums anywhere', () => {
    const places = Array.from({ length: 4_000 }, () =>
      characters(random, {
        length: 8,
        uppercase: false,
        symbols: false,
        numbers: true,
        minDigits: 1,
        lowercase: true,
      }).password.search(/\d/),
    );
    expect(new Set(places)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  });

  it('holds what was asked for', () => {
    const flag = fc.option(fc.boolean(), { nil: undefined });
    const least = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined });
    const wishes = fc.record({
      length: fc.integer({ min: 8, max: 128 }),
      uppercase: flag,
      lowercase: flag,
      numbers: flag,
      symbols: flag,
      minUppercase: least,
      minDigits: least,
      minSpecialChars: least,
    });
    fc.assert(
      fc.property(wishes, (wish) => {
        const { minUppercase = 0, minDigits = 0, minSpecialChars = 0 } = wish;
        const impossible =
          minUppercase + minDigits + minSpecialChars > wish.length ||
          (wish.uppercase === false && minUppercase > 0) ||
          (wish.numbers === false && minDigits > 0) ||
          (wish.symbols === false && minSpecialChars > 0) ||
          [wish.uppercase, wish.lowercase, wish.numbers, wish.symbols].every((on) => on === false);
        if (impossible) {
          expect(() => characters(random, wish)).toThrow(Problem);
          return;
        }
        const { password, entropy, strength } = characters(random, wish);
        expect(password).toHaveLength(wish.length);
        expect(counts(password, characterClasses.uppercase)).toBeGreaterThanOrEqual(minUppercase);
        expect(counts(password, characterClasses.numbers)).toBeGreaterThanOrEqual(minDigits);
        expect(counts(password, characterClasses.symbols)).toBeGreaterThanOrEqual(minSpecialChars);
        let size = 0;
        for (const [name, members] of Object.entries(characterClasses)) {
          const on = wish[name as keyof typeof characterClasses];
          if (on === false) expect(counts(password, members)).toBe(0);
          else size += members.length;
        }
        expect(entropy).toBe(Math.floor(wish.length * Math.log2(size)));
        expect(strength).toBe(strengthOf(entropy));
      }),
    );
  });

  it('has each class that was asked for by name', () => {
    for (let round = 0; round < 300; round += 1) {
      const { password } = characters(random, {
        length: 8,
        uppercase: true,
        lowercase: true,
        digits: true,
        symbols: true,
      });
      for (const members of Object.values(characterClasses)) expect(counts(password, members)).toBeGreaterThan(0);
    }
  });

  it('takes `digits` for `numbers`, and refuses two opinions', async () => {
    expect((await generate({ digits: false, length: 128 })).password).not.toMatch(/\d/);
    await expect(generate({ digits: true, numbers: false })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('has 20 characters unless told otherwise', async () => {
    expect((await generate({})).password).toHaveLength(20);
  });

  it('makes passphrases of the EFF list, each word equally likely', async () => {
    const list = effWords.trim().split(/\s/);
    expect(list).toHaveLength(7776);
    expect(new Set(list).size).toBe(7776);
    const made = await generate({ words: 6 });
    expect(made.entropy).toBe(77);
    expect(made.password).toMatch(/^[a-z]+(?:-[a-z]+){5,11}$/);
    // Four words of the list have a hyphen.
    const words = (await generate({ words: 6, separator: ' ' })).password.split(' ');
    expect(words).toHaveLength(6);
    expect(words.filter((word) => !list.includes(word))).toEqual([]);
    const drawn = Array.from({ length: inStage(30_000, 30_000, 200_000) }, () => randomBelow(random, 7776));
    expect(chiSquare(drawn, 7776)).toBeLessThan(bound(7776));
    await expect(generate({ words: 5, length: 20 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('strength', () => {
  it.each([
    [0, 'weak'],
    [39, 'weak'],
    [40, 'fair'],
    [59, 'fair'],
    [60, 'strong'],
    [79, 'strong'],
    [80, 'very_strong'],
  ])('of %d bits is %s', (entropy, strength) => {
    expect(strengthOf(entropy)).toBe(strength);
  });

  it('of what people choose is not overrated', () => {
    expect(estimatedEntropy('')).toBe(0);
    expect(estimatedEntropy('aaaaaaaaaaaaaaaaaaaa')).toBe(0);
    expect(estimatedEntropy('12345678')).toBe(26);
    expect(estimatedEntropy('Tr0ub4dor&3xyzQW')).toBeGreaterThan(80);
  });
});
