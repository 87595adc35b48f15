import { inject, onTestFailed } from 'vitest';
import { seeded } from './run-seed.ts';

/** Randomness of the test that runs, which says how to have it again when it fails. */
export function testRandom(): () => number {
  const seed = inject('seed');
  onTestFailed(({ task }) => console.error(`CONCLAVE_TEST_SEED=${seed} repeats what was random in: ${task.name}`));
  return seeded(seed);
}
