import { inject, onTestFailed } from 'vitest';

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

/** Randomness of the test that runs, which says how to have it again when it fails. */
export function testRandom(): () => number {
  const seed = inject('seed');
  onTestFailed(({ task }) => console.error(`CONCLAVE_TEST_SEED=${seed} repeats what was random in: ${task.name}`));
  return seeded(seed);
}
