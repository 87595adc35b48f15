import { randomBytes } from 'node:crypto';
import type { Stage } from './stage.ts';

/** Of the stages that everybody runs, so that what failed in one run fails in the next. */
const fixedSeed = 20_261_128;

/** What CONCLAVE_TEST_SEED says, or the same one each time; the soak stage draws a new one. */
export function chooseSeed(given: string | undefined, stage: Stage): number {
  if (given === undefined || given === '') return stage === 'soak' ? randomBytes(4).readInt32LE() : fixedSeed;
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
