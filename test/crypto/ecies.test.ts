import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt, type EciesMode } from '../../src/crypto/ecies.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { uncompressPublicKey } from '../../src/crypto/public-key.ts';
import formats from '../vectors/formats.json' with { type: 'json' };
import { damaged, expectCryptoError, flipped } from './damage.ts';
import { runs } from '../support/stage.ts';

const { privateKey, publicKey } = generateKeyPair();
const context = utf8('a test, to its recipient');
const modes: EciesMode[] = ['basic', 'withLength'];

describe.each(modes)('ECIES %s', (mode) => {
  const message = eciesEncrypt(publicKey, utf8('plaintext'), context, mode);

  it('round trips, to either form of the key', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.uint8Array({ maxLength: 50 }),
        (plaintext, about) => {
          const sealed = eciesEncrypt(publicKey, plaintext, about, mode);
          expect(sealed).toHaveLength(3 + 33 + 16 + 16 + (mode === 'basic' ? 0 : 4) + plaintext.length);
          expect(eciesDecrypt(privateKey, sealed, about)).toEqual(plaintext);
          expect(
            eciesDecrypt(privateKey, eciesEncrypt(uncompressPublicKey(publicKey), plaintext, about, mode), about),
          ).toEqual(plaintext);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('has the documented layout and construction', () => {
    expect([...message.subarray(0, 3)]).toEqual([0x01, 0x01, mode === 'basic' ? 0x21 : 0x42]);
    const body = decryptByTheDocument(privateKey, message, context);
    expect(toHex(body)).toBe((mode === 'basic' ? '' : '00000009') + toHex(utf8('plaintext')));
  });

  it('refuses whatever was damaged', () => {
    fc.assert(
      fc.property(damaged(message), (bytes) => {
        expectCryptoError(() => eciesDecrypt(privateKey, bytes, context));
      }),
      { numRuns: runs(60) },
    );
  });

  it('authenticates every bit of its header', () => {
    for (let bit = 0; bit < 8 * 36; bit += 5)
      expectCryptoError(() => eciesDecrypt(privateKey, flipped(message, bit), context));
  });

  it('is for one key and one context', () => {
    expectCryptoError(() => eciesDecrypt(generateKeyPair().privateKey, message, context));
    expectCryptoError(() => eciesDecrypt(privateKey, message, utf8('a test, to its recipients')));
    expectCryptoError(() => eciesDecrypt(privateKey, message, new Uint8Array()));
  });

  it('is never the same twice', () => {
    expect(toHex(eciesEncrypt(publicKey, utf8('plaintext'), context, mode))).not.toBe(toHex(message));
  });

  it('opens what an earlier version sealed', () => {
    const { privateKey: key, context: about, plaintext, ...messages } = formats.ecies;
    expect(toHex(eciesDecrypt(fromHex(key), fromHex(messages[mode]), utf8(about)))).toBe(plaintext);
  });
});

describe('ECIES', () => {
  it('has no empty plaintext', () => {
    for (const mode of modes) expectCryptoError(() => eciesEncrypt(publicKey, new Uint8Array(), context, mode));
    // What would be an empty message, rightly encrypted, is refused by its length alone.
    expectCryptoError(() => eciesDecrypt(privateKey, new Uint8Array(68), context));
  });

  it('refuses recipients that are no points, and other keys', () => {
    for (const bad of [new Uint8Array(33), new Uint8Array(65).fill(4), Uint8Array.of(0), new Uint8Array()]) {
      expectCryptoError(() => eciesEncrypt(bad, utf8('x'), context));
    }
    const message = eciesEncrypt(publicKey, utf8('x'), context);
    for (const bad of [new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(31), new Uint8Array()]) {
      expectCryptoError(() => eciesDecrypt(bad, message, context));
    }
  });

  it('refuses an ephemeral key that is no point', () => {
    const message = eciesEncrypt(publicKey, utf8('x'), context);
    message.set(fromHex(`02${'05'.padStart(64, '0')}`), 3);
    expectCryptoError(() => eciesDecrypt(privateKey, message, context));
  });

  it('says what it does not know: version, suite, type', () => {
    const message = eciesEncrypt(publicKey, utf8('x'), context);
    const read = (byte: number) => eciesDecrypt(privateKey, flipped(message, byte * 8 + 1), context);
    expectCryptoError(() => read(0), 'message has an unknown version or suite');
    expectCryptoError(() => read(1), 'message has an unknown version or suite');
    expectCryptoError(() => read(2), 'message is of another type');
  });

  it.each(['00', '000000', '00000000', '0000000178787878', '0000000578787878', 'ffffffff78787878'])(
    'with a length that is not that of what follows is refused: %s',
    (body) => {
      const honest = encryptByTheDocument(fromHex('0000000478787878'));
      expect(eciesDecrypt(privateKey, honest, context)).toEqual(utf8('xxxx'));
      const wrong = encryptByTheDocument(fromHex(body));
      expectCryptoError(() => eciesDecrypt(privateKey, wrong, context), 'length in the message is wrong');
    },
  );

  it('does not read one mode as the other', () => {
    const basic = eciesEncrypt(publicKey, concat(fromHex('00000001'), utf8('x')), context, 'basic');
    basic[2] = 0x42;
    expectCryptoError(() => eciesDecrypt(privateKey, basic, context));
  });
});

/** A message with a length, of a sender who may put anything where the length belongs. */
function encryptByTheDocument(body: Uint8Array): Uint8Array {
  const ephemeral = generateKeyPair();
  const x = secp256k1.getSharedSecret(ephemeral.privateKey, publicKey, true).subarray(1);
  const aesKey = new Uint8Array(hkdfSync('sha256', x, concat(ephemeral.publicKey, publicKey), 'conclave/ecies/v1', 32));
  const header = concat(Uint8Array.of(1, 1, 0x42), ephemeral.publicKey);
  const iv = new Uint8Array(16).fill(3);
  const cipher = createCipheriv('aes-256-gcm', aesKey, iv, { authTagLength: 16 }).setAAD(concat(header, context));
  const ciphertext = concat(cipher.update(body), cipher.final());
  return concat(header, iv, cipher.getAuthTag(), ciphertext);
}

/** Decrypts as the layout is written down, over other code than that under test. */
function decryptByTheDocument(key: Uint8Array, message: Uint8Array, about: Uint8Array): Uint8Array {
  const ephemeral = message.subarray(3, 36);
  const x = secp256k1.getSharedSecret(key, ephemeral, true).subarray(1);
  const salt = concat(ephemeral, secp256k1.getPublicKey(key, true));
  const aesKey = new Uint8Array(hkdfSync('sha256', x, salt, 'conclave/ecies/v1', 32));
  const decipher = createDecipheriv('aes-256-gcm', aesKey, message.subarray(36, 52), { authTagLength: 16 });
  decipher.setAAD(concat(message.subarray(0, 36), about));
  decipher.setAuthTag(message.subarray(52, 68));
  return concat(decipher.update(message.subarray(68)), decipher.final());
}
