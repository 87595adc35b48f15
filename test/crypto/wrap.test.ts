import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, systemRandom, toHex, uint32, utf8 } from '../../src/crypto/bytes.ts';
import { unwrapPrivateKey, wrappedIterations, wrapPrivateKey } from '../../src/crypto/wrap.ts';
import formats from '../vectors/formats.json' with { type: 'json' };
import { damaged, expectCryptoError, expectCryptoRejection } from './damage.ts';
import { runs } from '../support/stage.ts';

const privateKey = systemRandom(32);
const wrapInput = systemRandom(32);
const context = utf8('member/0123');

describe('wrapping a private key', () => {
  it('round trips, never the same twice', async () => {
    const wrapped = await wrapPrivateKey(privateKey, wrapInput, context);
    expect(wrapped).toHaveLength(101);
    expect(wrappedIterations(wrapped)).toBe(100_000);
    expect(await unwrapPrivateKey(wrapped, wrapInput, context)).toEqual(privateKey);
    expect(toHex(await wrapPrivateKey(privateKey, wrapInput, context))).not.toBe(toHex(wrapped));
  });

  it('says when its version is not known', async () => {
    const wrapped = await wrapPrivateKey(privateKey, wrapInput, context);
    wrapped[0] = 2;
    expectCryptoError(() => wrappedIterations(wrapped), 'wrapped key has an unknown version');
    await expectCryptoRejection(unwrapPrivateKey(wrapped, wrapInput, context), 'wrapped key has an unknown version');
  });

  it('keeps its number of iterations with it', async () => {
    const wrapped = await wrapPrivateKey(privateKey, wrapInput, context, 150_000);
    expect(wrappedIterations(wrapped)).toBe(150_000);
    expect(await unwrapPrivateKey(wrapped, wrapInput, context)).toEqual(privateKey);
  });

  it('opens only with the same password and context', async () => {
    const wrapped = await wrapPrivateKey(privateKey, wrapInput, context);
    await expectCryptoRejection(unwrapPrivateKey(wrapped, systemRandom(32), context));
    await expectCryptoRejection(unwrapPrivateKey(wrapped, wrapInput, utf8('member/0124')));
  });

  it('refuses whatever was damaged, without working for hours', async () => {
    const wrapped = await wrapPrivateKey(privateKey, wrapInput, context);
    await fc.assert(
      fc.asyncProperty(damaged(wrapped), async (bytes) => {
        await expectCryptoRejection(unwrapPrivateKey(bytes, wrapInput, context));
      }),
      { numRuns: runs(40) },
    );
    for (const iterations of [0, 99_999, 2_000_001, 0xffffffff]) {
      const changed = Uint8Array.from(wrapped);
      changed.set(uint32(iterations), 1);
      expectCryptoError(() => wrappedIterations(changed));
      await expectCryptoRejection(unwrapPrivateKey(changed, wrapInput, context));
    }
  });

  it('refuses keys and inputs of other lengths and too few iterations', async () => {
    await expectCryptoRejection(wrapPrivateKey(new Uint8Array(31), wrapInput, context));
    await expectCryptoRejection(wrapPrivateKey(privateKey, new Uint8Array(31), context));
    await expectCryptoRejection(wrapPrivateKey(privateKey, wrapInput, context, 99_999));
    await expectCryptoRejection(wrapPrivateKey(privateKey, wrapInput, context, 100_000, () => new Uint8Array(1)));
  });

  it('opens what an earlier version wrapped', async () => {
    const stored = formats.wrap;
    expect(
      toHex(await unwrapPrivateKey(fromHex(stored.wrapped), fromHex(stored.wrapInput), utf8(stored.context))),
    ).toBe(stored.privateKey);
  });
});
