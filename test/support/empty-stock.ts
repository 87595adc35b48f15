import { systemRandom } from '../../src/crypto/bytes.ts';
import type { SeededRandomness } from './seeded-bytes.ts';

/** What one request for a small number of bytes takes, at most, and how much the product reads at once for such requests. */
const [TAKEN, STOCK] = [64, 2048];

/** Uses up what the product has read ahead for small requests, so that its next one reads anew. */
export function emptyStock(randomness: SeededRandomness): void {
  // After a refill exactly one request is gone; before it, any number may be.
  for (const before = randomness.filled(); randomness.filled() === before;) systemRandom(TAKEN);
  for (let taken = TAKEN; taken < STOCK; taken += TAKEN) systemRandom(TAKEN);
}
