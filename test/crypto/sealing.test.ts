import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { openWithKey, openWithSecret, sealWithKey, sealWithSecret } from '../../src/crypto/sealing.ts';
import formats from '../vectors/formats.json' with { type: 'json' };
import { damaged, expectCryptoError } from './damage.ts';

const key = systemRandom(32);
const aad = utf8('whose and what');
const bytes = fc.uint8Array({ maxLength: 200 });

describe('sealing with a key', () => {
  it('round trips, empty included, never the same twice', () => {
    fc.assert(
      fc.property(bytes, bytes, (plaintext, about) => {
        const sealed = sealWithKey(key, plaintext, about);
        expect(sealed).toHaveLength(1 + 16 + 16 + plaintext.length);
        expect(openWithKey(key, sealed, about)).toEqual(plaintext);
        expect(toHex(sealWithKey(key, plaintext, about))).not.toBe(toHex(sealed));
      }),
    );
  });

  it('refuses damage, another key and another context', () => {
    const sealed = sealWithKey(key, utf8('plaintext'), aad);
    fc.assert(
      fc.property(damaged(sealed), (changed) => {
        expectCryptoError(() => openWithKey(key, changed, aad));
      }),
    );
    expectCryptoError(() => openWithKey(systemRandom(32), sealed, aad));
    expectCryptoError(() => openWithKey(key, sealed, utf8('whose and why')));
    expectCryptoError(() => sealWithKey(new Uint8Array(16), aad, aad));
    expectCryptoError(() => sealWithKey(key, aad, aad, () => new Uint8Array(12)));
  });

  it.each([0, 1, 950, 960, 990, 991, 992, 5_000])('opens %i bytes into memory of their own', (length) => {
    const plaintext = systemRandom(length);
    const sealed = sealWithKey(key, plaintext, aad);
    const opened = openWithKey(key, sealed, aad);
    expect(opened).toStrictEqual(plaintext);
    expect(opened.buffer.byteLength).toBe(length);
    const cut = sealed.subarray(0, -1);
    expectCryptoError(() => openWithKey(key, cut, aad));
    for (const at of [1, 17, sealed.length - 1]) {
      const changed = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expectCryptoError(() => openWithKey(key, changed, aad));
    }
    expectCryptoError(() => openWithKey(key, sealed, utf8('whose and whaT')));
    expectCryptoError(() => openWithKey(key, sealed, 'whose and what' as never));
  });

  it('opens what an earlier version sealed', () => {
    const { key: stored, aad: about, plaintext, sealed } = formats.sealWithKey;
    expect(toHex(openWithKey(fromHex(stored), fromHex(sealed), utf8(about)))).toBe(plaintext);
  });
});

describe('sealing with a secret', () => {
  const secret = systemRandom(32);

  it('round trips, empty included, never the same twice', () => {
    fc.assert(
      fc.property(bytes, bytes, (plaintext, about) => {
        const sealed = sealWithSecret(secret, 'session/private-key', plaintext, about);
        expect(sealed).toHaveLength(1 + 32 + 16 + plaintext.length);
        expect(openWithSecret(secret, 'session/private-key', sealed, about)).toEqual(plaintext);
        expect(toHex(sealWithSecret(secret, 'session/private-key', plaintext, about))).not.toBe(toHex(sealed));
      }),
    );
  });

  it('refuses damage, another secret, purpose and context', () => {
    const sealed = sealWithSecret(secret, 'one', utf8('plaintext'), aad);
    fc.assert(
      fc.property(damaged(sealed), (changed) => {
        expectCryptoError(() => openWithSecret(secret, 'one', changed, aad));
      }),
    );
    expectCryptoError(() => openWithSecret(systemRandom(32), 'one', sealed, aad));
    expectCryptoError(() => openWithSecret(secret, 'two', sealed, aad));
    expectCryptoError(() => openWithSecret(secret, 'one', sealed, utf8('other')));
    expectCryptoError(() => sealWithSecret(new Uint8Array(8), 'one', aad, aad));
    expectCryptoError(() => sealWithSecret(secret, 'one', aad, aad, () => new Uint8Array(31)));
  });

  it('is not read as sealed with a key, or the other way round', () => {
    expectCryptoError(() => openWithKey(key, sealWithSecret(key, 'one', aad, aad), aad));
    expectCryptoError(() => openWithSecret(key, 'one', sealWithKey(key, new Uint8Array(64), aad), aad));
  });

  it('opens what an earlier version sealed', () => {
    const { secret: stored, info, aad: about, plaintext, sealed } = formats.sealWithSecret;
    expect(toHex(openWithSecret(fromHex(stored), info, fromHex(sealed), utf8(about)))).toBe(plaintext);
  });
});
