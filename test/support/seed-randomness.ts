import { inject } from 'vitest';
import { emptyStock } from './empty-stock.ts';
import { seededRandomness } from './seeded-bytes.ts';
import { testFile } from './test-file.ts';

// The stream of a file doesn't depend on which files its worker ran before.
const randomness = seededRandomness();
randomness.begin(inject('seed'), testFile());
emptyStock(randomness);
randomness.begin(inject('seed'), testFile());
