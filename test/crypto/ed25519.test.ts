import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { CryptoError } from '../../src/crypto/crypto-error.ts';
import { ed25519KeyPair, signEd25519, verifyEd25519 } from '../../src/crypto/ed25519.ts';

/** RFC 8032, 7.1. */
const vectors = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

describe('Ed25519', () => {
  it.each(vectors)('signs and verifies as RFC 8032 has it, message $message', (vector) => {
    const pair = ed25519KeyPair(fromHex(vector.seed));
    const message = fromHex(vector.message);
    expect(toHex(pair.publicKey)).toBe(vector.publicKey);
    expect(toHex(signEd25519(pair.privateKey, message))).toBe(vector.signature);
    expect(verifyEd25519(pair.publicKey, message, fromHex(vector.signature))).toBe(true);
  });

  it('refuses every other signature, key and message, without throwing', () => {
    const [{ publicKey: key, message: text, signature: right }] = vectors.slice(1) as [(typeof vectors)[0]];
    const [publicKey, message, signature] = [fromHex(key), fromHex(text), fromHex(right)];
    for (let bit = 0; bit < 512; bit += 1) {
      const changed = Uint8Array.from(signature);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifyEd25519(publicKey, message, changed)).toBe(false);
    }
    expect(verifyEd25519(publicKey, fromHex('73'), signature)).toBe(false);
    expect(verifyEd25519(fromHex(vectors[0]!.publicKey), message, signature)).toBe(false);
    expect(verifyEd25519(new Uint8Array(32).fill(255), message, signature)).toBe(false);
    expect(verifyEd25519(publicKey.slice(1), message, signature)).toBe(false);
    expect(verifyEd25519(publicKey, message, signature.slice(1))).toBe(false);
    expect(() => ed25519KeyPair(new Uint8Array(31))).toThrow(CryptoError);
  });
});
