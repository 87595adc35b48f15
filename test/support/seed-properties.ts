import fc from 'fast-check';
import { inject } from 'vitest';
import { runs } from './stage.ts';

// What fails prints its seed; as CONCLAVE_TEST_SEED it makes every property begin there again.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject('seed'), numRuns: runs(100) });
