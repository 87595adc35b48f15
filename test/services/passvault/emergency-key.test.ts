import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import {
  joinShares,
  makeShares,
  unwrapFromEmergency,
  wrapForEmergency,
} from '../../../src/services/passvault/emergency/emergency-key.ts';
import { runs } from '../../support/stage.ts';

const ctx = { random: (size: number) => new Uint8Array(randomBytes(size)) } as unknown as Context;
const dataKey = new Uint8Array(randomBytes(32));

/** What shares open: the data key, or nothing. */
async function recover(shares: readonly Uint8Array[], epoch: number, threshold: number, wrapped: Uint8Array) {
  try {
    return unwrapFromEmergency('vault', epoch, await joinShares(shares, epoch, threshold), wrapped);
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

const sizes = fc
  .integer({ min: 1, max: 8 })
  .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: 1, max: count })));

describe('emergency shares', () => {
  it('recover the key in every subset of the threshold, and in no smaller one', async () => {
    const pair = generateKeyPair();
    for (const [count, threshold] of [
      [1, 1],
      [3, 1],
      [3, 2],
      [5, 3],
      [5, 5],
      [6, 4],
    ] as const) {
      const wrapped = wrapForEmergency(ctx, 'vault', 1, pair.publicKey, dataKey);
      const shares = await makeShares(pair.privateKey, 1, count, threshold);
      for (let chosen = 1; chosen < 2 ** count; chosen += 1) {
        const subset = shares.filter((_, at) => (chosen >> at) % 2 === 1);
        const found = await recover(subset, 1, threshold, wrapped);
        expect(found, `${subset.length} of ${threshold}/${count}`).toEqual(
          subset.length >= threshold ? dataKey : undefined,
        );
      }
    }
  });

  it('recover in any order, and not with one that is damaged, doubled or of another epoch', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async ([count, threshold], seed, at, flip) => {
          const pair = generateKeyPair();
          const wrapped = wrapForEmergency(ctx, 'vault', 7, pair.publicKey, dataKey);
          const shares = await makeShares(pair.privateKey, 7, count, threshold);
          const rotated = shares.map((_, index) => shares[(index + seed) % count]!).slice(0, threshold);
          expect(await recover(rotated, 7, threshold, wrapped)).toEqual(dataKey);
          expect(await recover(rotated, 8, threshold, wrapped)).toBeUndefined();

          const victim = at % threshold;
          const damaged = rotated.map((share, index) => (index === victim ? damage(share, at, flip) : share));
          expect(await recover(damaged, 7, threshold, wrapped)).toBeUndefined();
          if (threshold > 1) {
            const doubled = [...rotated.slice(0, -1), rotated[0]!];
            expect(await recover(doubled, 7, threshold, wrapped)).toBeUndefined();
          }
          // Shares of another configuration with the same epoch number have the right form, and open nothing.
          const others = await makeShares(generateKeyPair().privateKey, 7, count, threshold);
          expect(await recover([others[0]!, ...rotated.slice(1)], 7, threshold, wrapped)).toBeUndefined();
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('tell nothing of the key when they are too few', async () => {
    const secret = new Uint8Array(32).fill(0xaa);
    const firsts = new Set<string>();
    for (let round = 0; round < 200; round += 1) {
      const [share] = await makeShares(secret, 1, 3, 2);
      firsts.add(Buffer.from(share!).toString('hex'));
      expect(Buffer.from(share!).includes(Buffer.from(secret.subarray(0, 8)))).toBe(false);
    }
    expect(firsts.size).toBe(200);
  });
});

function damage(share: Uint8Array, at: number, flip: number): Uint8Array {
  const changed = share.slice();
  changed[at % share.length]! ^= flip;
  return changed;
}
