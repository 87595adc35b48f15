import { describe, expect, it } from 'vitest';
import { fromHex, systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { argon2id, normalizePassword, stretchPassword } from '../../src/crypto/password.ts';
import { expectCryptoError, expectCryptoRejection } from './damage.ts';

/** As small as Argon2 allows: these tests are about wiring, not about cost. */
const cheap = { memoryKiB: 8, passes: 1, lanes: 1 };
const salt = new Uint8Array(16).fill(2);

describe('Argon2id', () => {
  it('gives the tag of RFC 9106, section 5.3', async () => {
    const tag = await argon2id(new Uint8Array(32).fill(1), salt, { memoryKiB: 32, passes: 3, lanes: 4 }, 32, {
      secret: new Uint8Array(8).fill(3),
      associatedData: new Uint8Array(12).fill(4),
    });
    expect(toHex(tag)).toBe('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659');
    expect(tag.constructor).toBe(Uint8Array);
  });

  it('refuses parameters that are impossible, or that only a damaged row asks for', async () => {
    const bad = [
      { ...cheap, memoryKiB: 7 },
      { ...cheap, memoryKiB: 2 ** 21 + 1 },
      { ...cheap, memoryKiB: 8.5 },
      { ...cheap, passes: 0 },
      { ...cheap, passes: 65 },
      { ...cheap, lanes: 0 },
      { ...cheap, lanes: 2 },
      { memoryKiB: 1024, passes: 1, lanes: 17 },
      { memoryKiB: Number.NaN, passes: 1, lanes: 1 },
    ];
    for (const parameters of bad) {
      await expectCryptoRejection(stretchPassword('password', salt, parameters));
    }
    await expectCryptoRejection(stretchPassword('password', new Uint8Array(15), cheap));
    await expectCryptoRejection(stretchPassword('password', new Uint8Array(65), cheap));
    await expectCryptoRejection(argon2id(utf8('x'), salt, cheap, 15));
  });
});

describe('stretching passwords', () => {
  it('gives two different halves, the same each time', async () => {
    const first = await stretchPassword('correct horse', salt, cheap);
    expect(await stretchPassword('correct horse', salt, cheap)).toEqual(first);
    expect(first.verifier).toHaveLength(32);
    expect(first.wrapInput).toHaveLength(32);
    expect(first.verifier).not.toEqual(first.wrapInput);
    const all = toHex(await argon2id(utf8('correct horse'), salt, cheap, 64));
    expect(toHex(first.verifier) + toHex(first.wrapInput)).toBe(all);
  });

  it('depends on password, salt and every parameter', async () => {
    const variants = await Promise.all([
      stretchPassword('correct horse', salt, cheap),
      stretchPassword('correct horsf', salt, cheap),
      stretchPassword('correct horse', fromHex('03'.repeat(16)), cheap),
      stretchPassword('correct horse', salt, { ...cheap, memoryKiB: 16 }),
      stretchPassword('correct horse', salt, { ...cheap, passes: 2 }),
      stretchPassword('correct horse', salt, { ...cheap, memoryKiB: 16, lanes: 2 }),
    ]);
    expect(new Set(variants.map(({ verifier }) => toHex(verifier))).size).toBe(variants.length);
  });

  it('takes a password however the keyboard composed it (NFKC)', async () => {
    const composed = await stretchPassword('p\u00e4ssw\u00f6rd \ufb01', salt, cheap);
    expect(await stretchPassword('pa\u0308sswo\u0308rd fi', salt, cheap)).toEqual(composed);
    expect(await stretchPassword('password fi', salt, cheap)).not.toEqual(composed);
  });

  it('tells long passwords apart at the end, and NUL bytes', async () => {
    const long = 'x'.repeat(256);
    expect(await stretchPassword(`${long}a`, salt, cheap)).not.toEqual(await stretchPassword(`${long}b`, salt, cheap));
    expect(await stretchPassword('pass\0word', salt, cheap)).not.toEqual(await stretchPassword('pass', salt, cheap));
  });

  it('refuses lone surrogates, which would all be one password, and absurd lengths', async () => {
    for (const password of ['secret\ud800', '\udfffsecret', 'x'.repeat(4097)]) {
      expectCryptoError(() => normalizePassword(password));
      await expectCryptoRejection(stretchPassword(password, salt, cheap));
    }
    expect(normalizePassword('\u212b😀')).toBe('\u00c5😀');
  });

  it('leaves the event loop free', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await stretchPassword('password', systemRandom(16), { memoryKiB: 32 * 1024, passes: 3, lanes: 1 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});
