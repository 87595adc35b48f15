import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateP256, isP256Point, p256FromSecret, p256KeyPair } from '../../src/crypto/p256.ts';
import { encryptPush, encryptRecord, longestPush, vapidAuthorization } from '../../src/crypto/web-push.ts';
import { decodeAes128gcm, decryptPush, readHeader } from '../shared/notifications/decrypt-push.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
const text = (value: Uint8Array) => Buffer.from(value).toString('base64url');

/** RFC 8291, appendix A */
const example = {
  plaintext: 'When I grow up, I want to be a watermelon',
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  sender: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  senderPublic: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  browser: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  browserPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('the encoding aes128gcm', () => {
  it('is that of the example in RFC 8188, 3.1', () => {
    const body = bytes('I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg');
    const key = bytes('yqdlZ-tYemfogSmv7Ws5PQ');
    const { salt } = readHeader(body);
    const made = encryptRecord(key, { salt, keyId: new Uint8Array() }, Buffer.from('I am the walrus'));
    expect(text(made)).toBe(text(body));
    expect(decodeAes128gcm(body, key).toString()).toBe('I am the walrus');
  });

  it('is read by the tests as the example with two records in RFC 8188, 3.2', () => {
    const body = bytes(
      'uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA',
    );
    expect(decodeAes128gcm(body, bytes('BO3ZVPxUlnLORbVGMpbT1Q')).toString()).toBe('I am the walrus');
    expect(readHeader(body).keyId.toString()).toBe('a1');
  });
});

describe('push messages', () => {
  it('are encrypted as in appendix A of RFC 8291', () => {
    const pair = p256KeyPair(example.sender);
    expect(text(pair.publicKey)).toBe(example.senderPublic);
    expect(text(p256KeyPair(example.browser).publicKey)).toBe(example.browserPublic);
    const keys = { p256dh: bytes(example.browserPublic), auth: example.auth };
    const made = encryptPush(keys, Buffer.from(example.plaintext), { pair, salt: example.salt });
    expect(text(made)).toBe(example.body);
  });

  it('of any length up to the largest arrive, padded ones look the same', () => {
    const browser = p256KeyPair(example.browser);
    const keys = { p256dh: browser.publicKey, auth: example.auth };
    const send = (size: number, padded: number) => {
      const message = randomBytes(size);
      const body = encryptPush(keys, message, { pair: generateP256(randomBytes), salt: randomBytes(16) }, padded);
      expect(decryptPush({ ...browser, auth: example.auth }, body).equals(message) || size === 0).toBe(true);
      return body.length;
    };
    expect([1, 7, 500].map((size) => send(size, 1_000))).toEqual([1_103, 1_103, 1_103]);
    expect(send(longestPush, 0)).toBe(4_096);
    expect(() => send(longestPush + 1, 0)).toThrow(`a push has at most ${longestPush} bytes`);
  });

  it('are refused for keys that are no points of the curve', () => {
    const other = bytes(example.browserPublic);
    other[64] = (other[64] ?? 0) ^ 1;
    expect(isP256Point(other)).toBe(false);
    expect(isP256Point(bytes(example.browserPublic))).toBe(true);
    expect(isP256Point(new Uint8Array(65))).toBe(false);
    const fresh = { pair: p256KeyPair(example.sender), salt: example.salt };
    const send = (keys: object) => encryptPush({ p256dh: other, auth: example.auth, ...keys }, Buffer.of(1), fresh);
    expect(() => send({})).toThrow('public key is not a point of the curve');
    expect(() => send({ p256dh: other.subarray(1) })).toThrow('public key must have 65 bytes, not 64');
    expect(() => send({ auth: new Uint8Array(15) })).toThrow('authentication secret must have 16 bytes, not 15');
  });
});

describe('the sender of push messages', () => {
  it('signs who it is, for one push service and a time (RFC 8292)', () => {
    const keys = p256FromSecret(new Uint8Array(32).fill(7), 'test');
    expect(p256FromSecret(new Uint8Array(32).fill(7), 'test')).toEqual(keys);
    const claims = { audience: 'https://push.example.net', expires: 1_453_523_768, contact: 'mailto:push@example.com' };
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(vapidAuthorization(keys, claims)) ?? [];
    expect(bytes(key)).toEqual(keys.publicKey);
    const [head = '', body = '', signature = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
    const said = { aud: 'https://push.example.net', exp: 1_453_523_768, sub: 'mailto:push@example.com' };
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual(said);
    const [x, y] = [keys.publicKey.subarray(1, 33), keys.publicKey.subarray(33)].map(text);
    const jwk = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } });
    const signed = Buffer.from(`${head}.${body}`);
    expect(verify('sha256', signed, { key: jwk, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(true);
    expect(vapidAuthorization(keys, { ...claims, contact: undefined })).not.toContain('undefined');
  });
});
