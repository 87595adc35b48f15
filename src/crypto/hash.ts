import { createHash, createHmac, hash as hashAtOnce } from 'node:crypto';
import { assertLengthBetween, plain, toHex } from './bytes.ts';

/** SHA-256 (FIPS 180-4) over the parts in order: 32 bytes. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return digest('sha256', parts);
}

/** The same as 64 hexadecimal digits, in half the time: bytes are only copied when somebody needs bytes. */
export function sha256Hex(...parts: readonly Uint8Array[]): string {
  return hashAtOnce('sha256', parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts), 'hex');
}

/** SHA-256 over a text as UTF-8, 64 hexadecimal digits. A text need not become bytes first. */
export function sha256HexOfText(text: string): string {
  return hashAtOnce('sha256', text, 'hex');
}

/** SHA-512 (FIPS 180-4) over the parts in order: 64 bytes. */
export function sha512(...parts: readonly Uint8Array[]): Uint8Array {
  return digest('sha512', parts);
}

/** SHA3-512 (FIPS 202) over the parts in order: 64 bytes. It uses OpenSSL, which is 17 times faster than JavaScript here. */
export function sha3_512(...parts: readonly Uint8Array[]): Uint8Array {
  return digest('sha3-512', parts);
}

/** The content hash of a block: SHA3-512, 128 hexadecimal digits. It blocks the thread for about 4 ms per MiB. */
export function contentHash(bytes: Uint8Array): string {
  return toHex(sha3_512(bytes));
}

/**
 * HMAC-SHA256 (RFC 2104) over the parts in order: 32 bytes.
 *
 * @param key at least 16 bytes
 * @throws CryptoError
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  return plain(macOver(key, parts).digest());
}

/** The same as 64 hexadecimal digits. */
export function hmacSha256Hex(key: Uint8Array, ...parts: readonly Uint8Array[]): string {
  return macOver(key, parts).digest('hex');
}

function macOver(key: Uint8Array, parts: readonly Uint8Array[]): ReturnType<typeof createHmac> {
  assertLengthBetween('HMAC key', key, 16, 1024);
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac;
}

function digest(algorithm: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return plain(hash.digest());
}
