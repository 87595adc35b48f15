import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcmDecrypt, gcmEncrypt } from '../../src/crypto/aes-gcm.ts';
import { fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import wycheproof from '../vectors/aes-256-gcm-iv128.json' with { type: 'json' };
import { damaged, expectCryptoError } from './damage.ts';

type Vector = [id: number, key: string, iv: string, aad: string, message: string, ciphertext: string, tag: string];

const key = new Uint8Array(32).fill(1);
const iv = new Uint8Array(16).fill(2);
const aad = utf8('context');

describe('AES-256-GCM with 16-byte IV (Wycheproof)', () => {
  it.each(wycheproof.vectors as Vector[])('%i', (_id, k, i, a, message, ciphertext, tag) => {
    const sealed = gcmEncrypt(fromHex(k), fromHex(i), fromHex(message), fromHex(a));
    expect(toHex(sealed)).toBe(tag + ciphertext);
    expect(toHex(gcmDecrypt(fromHex(k), fromHex(i), fromHex(tag + ciphertext), fromHex(a)))).toBe(message);
  });
});

describe('AES-256-GCM', () => {
  it('round trips, and is bound to key, IV and additional data', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 50 }), (plaintext, context) => {
        const sealed = gcmEncrypt(key, iv, plaintext, context);
        expect(sealed).toHaveLength(16 + plaintext.length);
        expect(gcmDecrypt(key, iv, sealed, context)).toEqual(plaintext);
        expectCryptoError(() => gcmDecrypt(new Uint8Array(32), iv, sealed, context));
        expectCryptoError(() => gcmDecrypt(key, new Uint8Array(16), sealed, context));
        expectCryptoError(() => gcmDecrypt(key, iv, sealed, Uint8Array.of(...context, 0)));
      }),
    );
  });

  it.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3 * 256 * 1024 + 7])(
    'makes of %i bytes, in pieces, what the cipher makes at once, behind its header',
    (length) => {
      const plaintext = Uint8Array.from({ length }, (_, at) => at % 251);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(aad);
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      const wanted = Buffer.concat([Buffer.of(1, 2, 3), cipher.getAuthTag(), body]);
      const sealed = gcmEncrypt(key, iv, plaintext, aad, Uint8Array.of(1, 2, 3));
      expect(wanted.equals(sealed)).toBe(true);
      expect(Buffer.from(plaintext).equals(gcmDecrypt(key, iv, sealed.subarray(3), aad))).toBe(true);
    },
  );

  it('refuses whatever was damaged, short tags included', () => {
    const sealed = gcmEncrypt(key, iv, utf8('some plaintext'), aad);
    fc.assert(
      fc.property(damaged(sealed), (bytes) => {
        expectCryptoError(() => gcmDecrypt(key, iv, bytes, aad));
      }),
    );
  });

  it('refuses other lengths of key and IV', () => {
    for (const length of [0, 12, 15, 17]) {
      expectCryptoError(() => gcmEncrypt(key, new Uint8Array(length), aad, aad));
      expectCryptoError(() => gcmDecrypt(key, new Uint8Array(length), new Uint8Array(32), aad));
    }
    for (const length of [0, 16, 31, 33]) {
      expectCryptoError(() => gcmEncrypt(new Uint8Array(length), iv, aad, aad));
      expectCryptoError(() => gcmDecrypt(new Uint8Array(length), iv, new Uint8Array(32), aad));
    }
  });
});
