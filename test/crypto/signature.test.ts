import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { generateKeyPair, keyPairOf } from '../../src/crypto/key-pair.ts';
import { memberIdOf, uncompressPublicKey } from '../../src/crypto/public-key.ts';
import { CURVE_ORDER } from '../../src/crypto/secp256k1.ts';
import { recoverMemberKey, recoverPublicKeys, sign, verify } from '../../src/crypto/signature.ts';
import rfc6979 from '../vectors/rfc6979-secp256k1.json' with { type: 'json' };
import { damaged, expectCryptoError, resultOrCryptoError } from './damage.ts';
import { runs } from '../support/stage.ts';

const { privateKey, publicKey } = generateKeyPair();
const data = utf8('what was signed');
const signature = sign(privateKey, data);

describe('ECDSA on secp256k1 (RFC 6979, SHA-256, low S)', () => {
  it.each(rfc6979.vectors as [string, string, string][])('%.8s… %.40s', (key, text, expected) => {
    const pair = keyPairOf(fromHex(key));
    expect(toHex(sign(pair.privateKey, utf8(text)))).toBe(expected);
    expect(verify(pair.publicKey, utf8(text), fromHex(expected))).toBe(true);
  });

  it('signs and verifies anything, with either form of the key, as noble does', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ minLength: 48, maxLength: 48 }),
        (message, seed) => {
          const pair = generateKeyPair(() => seed);
          const made = sign(pair.privateKey, message);
          expect(made).toHaveLength(64);
          expect(verify(pair.publicKey, message, made)).toBe(true);
          expect(verify(uncompressPublicKey(pair.publicKey), message, made)).toBe(true);
          expect(secp256k1.verify(made, message, pair.publicKey)).toBe(true);
          expect(verify(pair.publicKey, concat(message, Uint8Array.of(0)), made)).toBe(false);
          expect(verify(publicKey, message, made)).toBe(false);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('refuses high S, which OpenSSL takes', () => {
    const s = BigInt(`0x${toHex(signature.subarray(32))}`);
    const high = concat(signature.subarray(0, 32), fromHex((CURVE_ORDER - s).toString(16).padStart(64, '0')));
    expect(secp256k1.verify(high, data, publicKey, { lowS: false })).toBe(true);
    expect(verify(publicKey, data, high)).toBe(false);
    expectCryptoError(() => recoverPublicKeys(high, data));
  });

  it('refuses zero and what is not below the order', () => {
    const order = fromHex(CURVE_ORDER.toString(16));
    const zero = new Uint8Array(32);
    const r = signature.subarray(0, 32);
    const s = signature.subarray(32);
    for (const bad of [concat(zero, s), concat(r, zero), concat(order, s), concat(r, order), concat(zero, zero)]) {
      expect(verify(publicKey, data, bad)).toBe(false);
      expectCryptoError(() => recoverPublicKeys(bad, data));
    }
  });

  it('is false for damaged signatures and keys, without throwing', () => {
    fc.assert(
      fc.property(damaged(signature), (bytes) => {
        expect(verify(publicKey, data, bytes)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.oneof(damaged(publicKey), damaged(uncompressPublicKey(publicKey))), (bytes) => {
        expect(verify(bytes, data, signature)).toBe(false);
      }),
    );
    expect(verify(publicKey, data, toHex(signature) as never)).toBe(false);
    expect(verify(undefined as never, undefined as never, undefined as never)).toBe(false);
  });

  it('refuses impossible private keys', () => {
    for (const key of [
      new Uint8Array(32),
      new Uint8Array(32).fill(0xff),
      new Uint8Array(31).fill(1),
      new Uint8Array(),
    ]) {
      expectCryptoError(() => sign(key, data));
    }
  });
});

describe('recovery', () => {
  it('finds the signer among the candidates, and all candidates verify', () => {
    const keys = recoverPublicKeys(signature, data);
    expect(keys.map(toHex)).toContain(toHex(publicKey));
    for (const key of keys) expect(verify(key, data, signature)).toBe(true);
    expect(recoverMemberKey(signature, data, memberIdOf(publicKey))).toEqual(publicKey);
    expect(recoverMemberKey(signature, data, memberIdOf(generateKeyPair().publicKey))).toBeUndefined();
    expect(recoverMemberKey(signature, utf8('other'), memberIdOf(publicKey))).toBeUndefined();
  });

  it('gives other keys or an error for damaged signatures', () => {
    fc.assert(
      fc.property(damaged(signature), (bytes) => {
        const keys = resultOrCryptoError(() => recoverPublicKeys(bytes, data)) ?? [];
        expect(keys.map(toHex)).not.toContain(toHex(publicKey));
        if (bytes.length !== 64) expect(keys).toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });
});

it('hashes with SHA-256 before signing', () => {
  const digest = Uint8Array.from(createHash('sha256').update(data).digest());
  expect(secp256k1.verify(signature, digest, publicKey, { prehash: false })).toBe(true);
});
