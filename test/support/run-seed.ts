import { randomBytes } from 'node:crypto';

/** What CONCLAVE_TEST_SEED says, or another one each time. */
export function chooseSeed(given: string | undefined): number {
  if (given === undefined || given === '') return randomBytes(4).readInt32LE();
  const seed = Number(given);
  if (seed !== (seed | 0)) throw new Error(`CONCLAVE_TEST_SEED is ${given}; it is a whole number of 32 bits.`);
  return seed;
}

/** Numbers from 0 to before 1: the same ones for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
