import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { chooseSeed, seeded } from './run-seed.ts';
import { testRandom } from './seeded.ts';
import type { Stage } from './stage.ts';

const draw = (random: () => number) => Array.from({ length: 20 }, random);

describe('what is random in tests', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(draw(seeded(7))).toEqual(draw(seeded(7)));
    expect(draw(seeded(7))).not.toEqual(draw(seeded(8)));
    expect(draw(testRandom())).toEqual(draw(seeded(inject('seed'))));
    for (const number of draw(seeded(-1))) expect(number >= 0 && number < 1).toBe(true);
  });

  it('begins where CONCLAVE_TEST_SEED says, or at one place, and in the soak stage somewhere else each time', () => {
    const seeds = (stage: Stage, given?: string) => new Set(Array.from({ length: 5 }, () => chooseSeed(given, stage)));
    for (const stage of ['quick', 'all', 'soak'] as const) {
      expect([...seeds(stage, '12'), ...seeds(stage, '-2147483648')]).toEqual([12, -2147483648]);
      for (const wrong of ['x', '1.5', '2147483648'])
        expect(() => chooseSeed(wrong, stage)).toThrow('CONCLAVE_TEST_SEED is');
    }
    expect([...seeds('quick')]).toEqual([...seeds('all')]);
    expect(seeds('soak').size).toBe(5);
  });

  it('draws alike in every property, and a property that fails says from where', () => {
    const drawn = () => {
      const found: number[] = [];
      fc.assert(fc.property(fc.integer(), (number) => void found.push(number)));
      return found;
    };
    expect(drawn()).toEqual(drawn());
    const wrong = fc.property(fc.integer(), () => false);
    expect(() => fc.assert(wrong)).toThrow(`seed: ${inject('seed')}`);
  });
});
