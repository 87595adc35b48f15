import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, systemRandom, toHex } from '../../src/crypto/bytes.ts';
import { CryptoError } from '../../src/crypto/crypto-error.ts';
import { combineShares, splitSecret } from '../../src/crypto/shamir.ts';
import { damaged, expectCryptoRejection } from './damage.ts';
import { runs } from '../support/stage.ts';

const secret = systemRandom(32);

describe('secret sharing', () => {
  it('gives the secret back to any threshold of shares and more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 0, max: 6 }),
        fc.infiniteStream(fc.nat()),
        async (bytes, threshold, more, order) => {
          const shares = await splitSecret(bytes, threshold + more, threshold);
          expect(shares.every((share) => share.length === bytes.length + 1)).toBe(true);
          const keys = new Map(shares.map((share) => [share, order.next().value]));
          const shuffled = shares.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number));
          expect(await combineShares(shuffled.slice(0, threshold))).toEqual(bytes);
          expect(await combineShares(shuffled)).toEqual(bytes);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('tells nothing with fewer', async () => {
    const shares = await splitSecret(secret, 5, 3);
    expect(await combineShares(shares.slice(0, 2))).not.toEqual(secret);
  });

  it('takes up to 255 shares, all of them needed', async () => {
    const shares = await splitSecret(secret.slice(0, 4), 255, 255);
    expect(new Set(shares.map((share) => share.at(-1))).size).toBe(255);
    expect(await combineShares(shares)).toEqual(secret.slice(0, 4));
  });

  it('combines shares that were written down (GF(256), polynomial 0x11b)', async () => {
    // Secret 0x42, polynomial 0x42 + 0x57·x: f(1) = 0x42 ^ 0x57, f(2) = 0x42 ^ 0xae, f(3) = 0x42 ^ 0xf9.
    const shares = ['1501', 'ec02', 'bb03'].map((share) => fromHex(share));
    for (const pair of [shares.slice(0, 2), shares.slice(1), [shares[2], shares[0]] as Uint8Array[]]) {
      expect(toHex(await combineShares(pair))).toBe('42');
    }
  });

  it('takes Buffers, which the library underneath refuses', async () => {
    const shares = await splitSecret(Buffer.from(secret), 2, 2);
    expect(await combineShares(shares.map((share) => Buffer.from(share)))).toEqual(secret);
  });

  it('refuses impossible numbers and empty secrets', async () => {
    for (const [shares, threshold] of [
      [1, 1],
      [3, 1],
      [2, 3],
      [256, 2],
      [0, 0],
      [3, 2.5],
      [Number.NaN, 2],
    ] as [number, number][]) {
      await expectCryptoRejection(splitSecret(secret, shares, threshold));
    }
    await expectCryptoRejection(splitSecret(new Uint8Array(), 3, 2));
  });

  it("refuses shares that can't belong together", async () => {
    const shares = await splitSecret(secret, 3, 2);
    const [first, second] = shares as [Uint8Array, Uint8Array];
    const zero = Uint8Array.from(second);
    zero[32] = 0;
    for (const bad of [
      [],
      [first],
      [first, first],
      [first, second.slice(1)],
      [first, concat(second, Uint8Array.of(1))],
      [first, zero],
      [first, new Uint8Array()],
      [Uint8Array.of(1), Uint8Array.of(2)],
      [first, 'share' as never],
      Array.from({ length: 256 }, () => first),
    ]) {
      await expectCryptoRejection(combineShares(bad));
    }
  });

  it('gives other bytes or an error for a damaged share', async () => {
    const [first, second] = (await splitSecret(secret, 2, 2)) as [Uint8Array, Uint8Array];
    await fc.assert(
      fc.asyncProperty(damaged(second), async (bytes) => {
        const outcome = await combineShares([first, bytes]).catch((error: unknown) => error);
        if (outcome instanceof Uint8Array) expect(outcome).not.toEqual(secret);
        else expect(outcome).toBeInstanceOf(CryptoError);
      }),
    );
  });
});
