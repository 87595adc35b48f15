import { createCipheriv } from 'node:crypto';
import { assertLength, concat, plain, uint32, utf8 } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';
import { agreeP256, signEs256, type P256KeyPair } from './p256.ts';

/** The keys that a browser gives for its subscription. */
export interface PushKeys {
  /** 65 bytes, on P-256 */
  readonly p256dh: Uint8Array;
  /** 16 bytes that nobody else knows */
  readonly auth: Uint8Array;
}

const SALT_LENGTH = 16;
const TAG_LENGTH = 16;
/** Every push service takes bodies of 4,096 bytes (RFC 8030, 7.2). The header of this encoding has 86. */
const LONGEST_BODY = 4_096;
const HEADER_LENGTH = SALT_LENGTH + 4 + 1 + 65;
/** The last octet of a record is its delimiter. */
export const longestPush = LONGEST_BODY - HEADER_LENGTH - TAG_LENGTH - 1;

/**
 * Encrypts a push message (RFC 8291) as one record of `aes128gcm` (RFC 8188). The push service sees its length alone.
 *
 * @param message at most `longestPush` bytes
 * @param fresh a key pair that is used for this message alone, and 16 random bytes
 * @param size the message is padded to so many bytes, so that its length does not tell what it says
 * @throws CryptoError also for keys of the browser that are none
 */
export function encryptPush(
  { p256dh, auth }: PushKeys,
  message: Uint8Array,
  fresh: { readonly pair: P256KeyPair; readonly salt: Uint8Array },
  size = 0,
): Uint8Array {
  assertLength('authentication secret', auth, 16);
  const shared = agreeP256(fresh.pair.privateKey, p256dh);
  const info = concat(utf8('WebPush: info\0'), p256dh, fresh.pair.publicKey);
  const secret = deriveKey(shared, info, 32, auth);
  if (Math.max(message.length, size) > longestPush) throw new CryptoError(`a push has at most ${longestPush} bytes`);
  return encryptRecord(secret, { salt: fresh.salt, keyId: fresh.pair.publicKey, size }, message);
}

/**
 * One record of the content coding `aes128gcm` (RFC 8188), with its header.
 *
 * @param secret input keying material, at least 16 bytes
 * @param record 16 random bytes of salt, the id of the key, and how long the plaintext is at least after padding
 */
export function encryptRecord(
  secret: Uint8Array,
  { salt, keyId, size = 0 }: { readonly salt: Uint8Array; readonly keyId: Uint8Array; readonly size?: number },
  plaintext: Uint8Array,
): Uint8Array {
  assertLength('salt', salt, SALT_LENGTH);
  if (keyId.length > 255) throw new CryptoError('a key id has at most 255 bytes');
  const key = deriveKey(secret, 'Content-Encoding: aes128gcm\0', 16, salt);
  const nonce = deriveKey(secret, 'Content-Encoding: nonce\0', 12, salt);
  const padding = new Uint8Array(Math.max(0, size - plaintext.length));
  // 2 marks the last record.
  const record = concat(plaintext, Uint8Array.of(2), padding);
  if (record.length + TAG_LENGTH > LONGEST_BODY) throw new CryptoError('the plaintext is too long for one record');
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = concat(plain(cipher.update(record)), plain(cipher.final()), plain(cipher.getAuthTag()));
  return concat(salt, uint32(LONGEST_BODY), Uint8Array.of(keyId.length), keyId, sealed);
}

/**
 * The value of `Authorization` by which a push service knows the sender (VAPID, RFC 8292).
 *
 * @param audience origin of the push service
 * @param expires seconds since 1970, at most a day ahead
 * @param contact `mailto:` or `https:` URL of whoever operates the sender
 */
export function vapidAuthorization(
  keys: P256KeyPair,
  claims: { readonly audience: string; readonly expires: number; readonly contact: string | undefined },
): string {
  const { audience: aud, expires: exp, contact: sub } = claims;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud, exp, ...(sub !== undefined && { sub }) })}`;
  const signature = Buffer.from(signEs256(keys, utf8(signed))).toString('base64url');
  return `vapid t=${signed}.${signature}, k=${Buffer.from(keys.publicKey).toString('base64url')}`;
}
