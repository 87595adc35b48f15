import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../support/seeded.ts';
import { inStage } from '../../../support/stage.ts';
import { mutated, refusedByBoth } from './mutations.ts';
import { openSecondVerifier } from './second-verifier.ts';
import { fileProofVectors } from './vectors.ts';

describe('check 33, a change of any byte of a proof about a file', async () => {
  const { nonAccess, destruction, key } = await fileProofVectors();

  it.each([
    ['of non-access', nonAccess],
    ['of destruction', destruction],
  ])('%s is refused by both verifiers', { timeout: 600_000 }, async (_, text) => {
    await using second = await openSecondVerifier();
    const random = testRandom();
    // A prime number, so that over the parts of a proof every place of a word is met.
    const step = inStage(61, 17, 1);
    const bytes = Buffer.from(text);
    expect(bytes.length).toBeGreaterThan(2_000);
    for (let at = 0; at < bytes.length; at += step) await refusedByBoth(second, mutated(bytes, at, random), key);
  });
});
