import { describe, expect, it } from 'vitest';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { contentHash, hmacSha256, sha256, sha3_512 } from '../../src/crypto/hash.ts';
import { deriveKey } from '../../src/crypto/hkdf.ts';
import hkdf from '../vectors/hkdf-sha256.json' with { type: 'json' };
import { expectCryptoError } from './damage.ts';

describe('SHA3-512 (NIST, FIPS 202 examples)', () => {
  it.each([
    [
      '',
      'a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26',
    ],
    [
      'abc',
      'b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0',
    ],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '04a371e84ecfb5b8b77cb48610fca8182dd457ce6f326a0fd3d7ec2f1e91636dee691fbe0c985302ba1b0d8dc78c086346b533b49c030d99a27daf1139d6e75e',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'afebb2ef542e6579c50cad06d2e578f9f8dd6881d7dc824d26360feebf18a4fa73e3261122948efcfd492e74e82e2189ed0fb440d187f382270cb455f21dd185',
    ],
    [
      'a'.repeat(1_000_000),
      '3c3a876da14034ab60627c077bb98f7e120a2a5370212dffb3385a18d4f38859ed311d0a9d5141ce9cc5c66ee689b266a8aa18ace8282a0e0db596c90b0a7b87',
    ],
  ])('%.20s', (text, digest) => {
    expect(contentHash(utf8(text))).toBe(digest);
  });

  it('hashes parts as their concatenation', () => {
    expect(sha3_512(utf8('a'), utf8('bc'))).toEqual(sha3_512(utf8('abc')));
  });
});

describe('SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 4231)', () => {
  it('SHA-256 of abc', () => {
    const digest = sha256(utf8('ab'), utf8('c'));
    expect(toHex(digest)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(digest.constructor).toBe(Uint8Array);
  });

  it('test cases 1 and 6', () => {
    expect(toHex(hmacSha256(new Uint8Array(20).fill(0x0b), utf8('Hi '), utf8('There')))).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
    const long = utf8('Test Using Larger Than Block-Size Key - Hash Key First');
    expect(toHex(hmacSha256(new Uint8Array(131).fill(0xaa), long))).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  it('refuses short keys', () => {
    expectCryptoError(() => hmacSha256(new Uint8Array(15), utf8('x')));
  });
});

describe('HKDF-SHA256 (RFC 5869, A.1 to A.3)', () => {
  it.each(hkdf.vectors)('$okm', ({ ikm, salt, info, okm }) => {
    expect(toHex(deriveKey(fromHex(ikm), fromHex(info), okm.length / 2, fromHex(salt)))).toBe(okm);
  });

  it('separates purposes, and takes them as text', () => {
    const secret = new Uint8Array(32).fill(7);
    expect(deriveKey(secret, 'a')).toEqual(deriveKey(secret, utf8('a')));
    expect(deriveKey(secret, 'a')).not.toEqual(deriveKey(secret, 'b'));
    expect(deriveKey(secret, 'a')).toHaveLength(32);
  });

  it('refuses short secrets and impossible lengths', () => {
    const secret = new Uint8Array(32);
    expectCryptoError(() => deriveKey(new Uint8Array(15), 'a'));
    expectCryptoError(() => deriveKey(secret, 'a', 0));
    expectCryptoError(() => deriveKey(secret, 'a', 8161));
    expectCryptoError(() => deriveKey(secret, '\ud800'));
    expectCryptoError(() => deriveKey(secret, concat(new Uint8Array(1025))));
  });
});
