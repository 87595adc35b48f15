import { randomBytes } from 'node:crypto';

/** What CONCLAVE_TEST_SEED says, or another one each time. */
export function chooseSeed(given: string | undefined): number {
  if (given === undefined || given === '') return randomBytes(4).readInt32LE();
  const seed = Number(given);
  if (seed !== (seed | 0)) throw new Error(`CONCLAVE_TEST_SEED is ${given}; it is a whole number of 32 bits.`);
  return seed;
}
