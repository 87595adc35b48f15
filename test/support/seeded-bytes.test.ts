import { randomBytes, randomFillSync, randomInt, randomUUID, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { systemRandom } from '../../src/crypto/bytes.ts';
import { emptyStock } from './empty-stock.ts';
import { seededRandomness } from './seeded-bytes.ts';

const randomness = seededRandomness();
const { random: draw } = Math;

async function drawn(seed: number, name: string): Promise<unknown[]> {
  randomness.begin(seed, name);
  emptyStock(randomness);
  randomness.begin(seed, name);
  return [
    randomBytes(20).toString('hex'),
    (await promisify(randomBytes)(3000)).toString('hex'),
    [...randomFillSync(new Uint16Array(4), 1, 2)].slice(1, 3),
    randomInt(1000),
    randomInt(-5, 5),
    randomUUID(),
    draw(),
    webcrypto.getRandomValues(new Uint32Array(3)).join(' '),
    Buffer.from(systemRandom(16)).toString('hex'),
    Buffer.from(systemRandom(100)).toString('hex'),
  ];
}

describe('what is random in a test file', () => {
  afterEach(() => randomness.begin(inject('seed'), 'after'));

  it('is the same with the same seed, whatever was drawn before, and other in another file or with another seed', async () => {
    const first = await drawn(1, 'a.test.ts');
    systemRandom(7);
    expect(await drawn(1, 'a.test.ts')).toEqual(first);
    for (const other of [await drawn(2, 'a.test.ts'), await drawn(1, 'b.test.ts')])
      for (const [at, value] of other.entries()) if (at !== 4) expect(value).not.toEqual(first[at]);
  });

  it('has the form that the platform gives it, and its refusals', () => {
    expect(randomUUID()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(randomBytes(0)).toHaveLength(0);
    for (const size of [20, 3000]) expect(randomBytes(size).buffer.byteLength).toBe(size);
    expect([...randomFillSync(new Uint16Array(4), 1, 2)].filter((_, at) => at === 0 || at === 3)).toEqual([0, 0]);
    const numbers = Array.from({ length: 2000 }, () => randomInt(10, 13));
    expect([...new Set(numbers)].toSorted()).toEqual([10, 11, 12]);
    expect(Array.from({ length: 100 }, Math.random).every((number) => number >= 0 && number < 1)).toBe(true);
    expect(() => randomBytes(-1)).toThrow('out of range');
    expect(() => randomInt(5, 5)).toThrow('out of range');
    expect(() => webcrypto.getRandomValues(new Uint8Array(65_537))).toThrow('exceeds');
  });
});
