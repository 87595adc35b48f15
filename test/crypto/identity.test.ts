import { createECDH, createHash, createHmac } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import {
  deriveDeviceKey,
  deriveIdentity,
  deriveKeyPair,
  deriveSigningKey,
  devicePath,
  identityPath,
  signingPath,
} from '../../src/crypto/identity.ts';
import { generateKeyPair, keyAgreement, keyPairFromSecret, keyPairOf } from '../../src/crypto/key-pair.ts';
import { mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { compressPublicKey, memberIdOf, nodeIdOf, uncompressPublicKey } from '../../src/crypto/public-key.ts';
import { CURVE_ORDER } from '../../src/crypto/secp256k1.ts';
import bip32 from '../vectors/bip32.json' with { type: 'json' };
import { damaged, expectCryptoError, resultOrCryptoError } from './damage.ts';
import { runs } from '../support/stage.ts';

const about = `${'abandon '.repeat(11)}about`;

describe('BIP32 (BIP text, test vectors 1 to 4)', () => {
  const keys = bip32.vectors.flatMap(({ seed, chains }) =>
    chains.map(([path, xprv]) => [seed, path, xprv] as [string, string, string]),
  );

  it.each(keys)('%s %s', (seed, path, xprv) => {
    const expected = HDKey.fromExtendedKey(xprv).privateKey as Uint8Array;
    const { privateKey, publicKey } = deriveKeyPair(fromHex(seed), path);
    expect(toHex(privateKey)).toBe(toHex(expected));
    expect(publicKey).toEqual(keyPairOf(privateKey).publicKey);
  });
});

describe('identities', () => {
  it('has the known answer of the standard phrase', async () => {
    const { privateKey, publicKey } = deriveIdentity(await mnemonicToSeed(about));
    expect(toHex(privateKey)).toBe('1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727');
    expect(toHex(publicKey)).toBe('0237b0bb7a8288d38ed49a524b5dc98cff3eb5ca824c9f9dc0dfdb3d9cd600f299');
    const digest = createHash('sha256').update(publicKey).digest('hex');
    expect(memberIdOf(publicKey)).toBe(digest.slice(0, 24));
  });

  it('derives every documented path, as a derivation written for this test does', async () => {
    const seed = await mnemonicToSeed(about);
    expect(deriveIdentity(seed).privateKey).toEqual(derive(seed, identityPath));
    expect(deriveSigningKey(seed).privateKey).toEqual(derive(seed, "m/44'/60'/0'/2/0"));
    expect(deriveDeviceKey(seed, 0).privateKey).toEqual(derive(seed, "m/44'/60'/0'/1/0"));
    expect(deriveDeviceKey(seed, 7).privateKey).toEqual(derive(seed, "m/44'/60'/0'/1/7"));
    expect([identityPath, devicePath(3), signingPath]).toEqual([
      "m/44'/60'/0'/0/0",
      "m/44'/60'/0'/1/3",
      "m/44'/60'/0'/2/0",
    ]);
  });

  it('refuses impossible paths, device numbers and seeds', () => {
    const seed = new Uint8Array(64).fill(1);
    for (const index of [-1, 0x80000000, 0.5, Number.NaN]) expectCryptoError(() => deriveDeviceKey(seed, index));
    for (const path of ['', '44', 'm/x', 'm/4294967296', "m/0''"]) expectCryptoError(() => deriveKeyPair(seed, path));
    for (const length of [0, 15, 65]) expectCryptoError(() => deriveIdentity(new Uint8Array(length)));
  });
});

describe('key pairs', () => {
  it('come from a secret, the same each time, another for another purpose', () => {
    const secret = new Uint8Array(32).fill(9);
    const pair = keyPairFromSecret(secret, 'node identity');
    expect(keyPairFromSecret(secret, 'node identity')).toEqual(pair);
    expect(keyPairFromSecret(secret, 'other').privateKey).not.toEqual(pair.privateKey);
    // Pinned: a node must keep its identity from one version to the next.
    expect(toHex(pair.publicKey)).toBe('036b4ebb2653203381affa7831971879d44e90041836c2d6a9bc8fb4c430499aaa');
  });

  it('come from random bytes, also the most extreme', () => {
    for (const fill of [0x00, 0xff]) {
      const pair = generateKeyPair((size) => new Uint8Array(size).fill(fill));
      expect(pair).toEqual(keyPairOf(pair.privateKey));
    }
    expect(generateKeyPair().privateKey).not.toEqual(generateKeyPair().privateKey);
    expectCryptoError(() => generateKeyPair(() => new Uint8Array(47)));
  });

  it('exist for every scalar below the order and no other', () => {
    const scalar = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));
    expect(toHex(keyPairOf(scalar(1n)).publicKey)).toBe(
      '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    );
    expect(keyPairOf(scalar(CURVE_ORDER - 1n)).publicKey).toHaveLength(33);
    for (const value of [0n, CURVE_ORDER, CURVE_ORDER + 1n, 2n ** 256n - 1n])
      expectCryptoError(() => keyPairOf(scalar(value)));
    for (const length of [0, 31, 33, 64]) expectCryptoError(() => keyPairOf(new Uint8Array(length).fill(1)));
  });

  it('agree on a secret of 32 bytes', () => {
    fc.assert(
      fc.property(keyPairs(), keyPairs(), (a, b) => {
        const secret = keyAgreement(a.privateKey).agree(b.publicKey);
        expect(keyAgreement(a.privateKey).publicKey).toEqual(a.publicKey);
        expect(secret).toHaveLength(32);
        expect(secret).toEqual(keyAgreement(b.privateKey).agree(uncompressPublicKey(a.publicKey)));
      }),
      { numRuns: runs(20) },
    );
  });

  it('keep the leading zeros of a shared secret', () => {
    // With private key 1 the secret is the other key's x-coordinate; that of 153 is the first to begin with a zero byte.
    const scalar = (value: number): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));
    const { publicKey } = keyPairOf(scalar(153));
    expect(publicKey[1]).toBe(0);
    expect(keyAgreement(scalar(1)).agree(publicKey)).toEqual(publicKey.slice(1));
  });
});

describe('public keys', () => {
  const { publicKey } = generateKeyPair();

  it('convert between both forms', () => {
    const long = uncompressPublicKey(publicKey);
    expect(long).toHaveLength(65);
    expect(long[0]).toBe(4);
    expect(uncompressPublicKey(long)).toEqual(long);
    expect(compressPublicKey(long)).toEqual(publicKey);
    expect(compressPublicKey(publicKey)).toEqual(publicKey);
  });

  it('name members and nodes whichever form is given', () => {
    const long = uncompressPublicKey(publicKey);
    expect(memberIdOf(long)).toBe(memberIdOf(publicKey));
    expect(nodeIdOf(long)).toBe(nodeIdOf(publicKey));
    expect(nodeIdOf(publicKey)).toBe(createHash('sha256').update(long).digest('hex').slice(0, 40));
  });

  it('are refused in any other form, off the curve and at infinity', () => {
    const long = uncompressPublicKey(publicKey);
    const hybrid = Uint8Array.from(long);
    hybrid[0] = 6 + ((long[64] as number) & 1);
    const x5 = fromHex(`02${'05'.padStart(64, '0')}`); // 5³ + 7 has no square root in this field
    const infinity = Uint8Array.of(0);
    for (const bad of [
      hybrid,
      x5,
      infinity,
      new Uint8Array(33),
      new Uint8Array(65),
      new Uint8Array(33).fill(0xff),
      new Uint8Array(),
    ]) {
      expectCryptoError(() => compressPublicKey(bad));
      expectCryptoError(() => uncompressPublicKey(bad));
      expectCryptoError(() => memberIdOf(bad));
      expectCryptoError(() => nodeIdOf(bad));
      expectCryptoError(() => keyAgreement(generateKeyPair().privateKey).agree(bad));
    }
  });

  it('damaged, are another key of the curve or an error', () => {
    fc.assert(
      fc.property(fc.oneof(damaged(publicKey), damaged(uncompressPublicKey(publicKey))), (bytes) => {
        const compressed = resultOrCryptoError(() => compressPublicKey(bytes));
        if (compressed !== undefined) expect(toHex(compressed)).toMatch(/^0[23][0-9a-f]{64}$/);
        if (bytes.length !== 33 && bytes.length !== 65) expect(compressed).toBeUndefined();
        else expect(compressed).not.toEqual(publicKey);
      }),
    );
  });
});

function keyPairs(): fc.Arbitrary<ReturnType<typeof generateKeyPair>> {
  return fc.uint8Array({ minLength: 48, maxLength: 48 }).map((seed) => generateKeyPair(() => seed));
}

/** BIP32 private derivation over node:crypto and big integers alone. */
function derive(seed: Uint8Array, path: string): Uint8Array {
  let node = createHmac('sha512', 'Bitcoin seed').update(seed).digest();
  for (const step of path.split('/').slice(1)) {
    const index = Number.parseInt(step, 10) + (step.endsWith("'") ? 0x80000000 : 0);
    const key = node.subarray(0, 32);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(index);
    const ecdh = createECDH('secp256k1');
    ecdh.setPrivateKey(key);
    const start = index >= 0x80000000 ? Buffer.concat([Buffer.alloc(1), key]) : ecdh.getPublicKey(null, 'compressed');
    const child = createHmac('sha512', node.subarray(32)).update(start).update(number).digest();
    const sum =
      (BigInt(`0x${child.subarray(0, 32).toString('hex')}`) + BigInt(`0x${key.toString('hex')}`)) % CURVE_ORDER;
    node = Buffer.concat([Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), child.subarray(32)]);
  }
  return Uint8Array.from(node.subarray(0, 32));
}
