import { relative } from 'node:path';
import { expect, inject } from 'vitest';
import { emptyStock } from './empty-stock.ts';
import { seededRandomness } from './seeded-bytes.ts';

// The stream of a file doesn't depend on which files its worker ran before.
const randomness = seededRandomness();
const file = relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/');
randomness.begin(inject('seed'), file);
emptyStock(randomness);
randomness.begin(inject('seed'), file);
