import { createHmac } from 'node:crypto';
import { fromBase32 } from './base32.ts';
import { constantTimeEqual, utf8 } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { parsedUrl } from '../base/parsed-url.ts';

export type TotpAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface TotpSecret {
  readonly key: Uint8Array;
  readonly algorithm: TotpAlgorithm;
  /** 6 to 8 */
  readonly digits: number;
  /** seconds, 1 to 300 */
  readonly period: number;
}

export interface TotpCode {
  readonly code: string;
  /** of the current period */
  readonly remainingSeconds: number;
}

const PERIOD = 30;
const DIGITS = 6;
const algorithms = new Map<string, TotpAlgorithm>([
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
]);

/** HOTP (RFC 4226) with the hashes that RFC 6238 adds. @param counter a whole number from 0 */
export function hotp(key: Uint8Array, counter: number, digits = DIGITS, algorithm: TotpAlgorithm = 'sha1'): string {
  const moving = Buffer.alloc(8);
  moving.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac(algorithm, key).update(moving).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Parses a base-32 secret, or an `otpauth://totp/` URI with its algorithm, digits and period. Digits below 6 or above 8, and periods
 * below 1 s or above 300 s, are changed to the nearest allowed value.
 *
 * @throws CryptoError when it can't be read; the message doesn't contain the secret
 */
export function parseTotpSecret(text: string): TotpSecret {
  const trimmed = text.trim();
  if (!/^otpauth:/i.test(trimmed)) {
    return { key: fromBase32(trimmed), algorithm: 'sha1', digits: DIGITS, period: PERIOD };
  }
  const uri = parsedUrl(trimmed);
  if (uri?.host.toLowerCase() !== 'totp') throw new CryptoError('is not an otpauth://totp/ URI');
  const name = (uri.searchParams.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', '');
  const algorithm = algorithms.get(name);
  if (algorithm === undefined) throw new CryptoError('has an algorithm other than SHA1, SHA256 and SHA512');
  return {
    key: fromBase32(uri.searchParams.get('secret') ?? ''),
    algorithm,
    digits: clamped(uri.searchParams.get('digits'), DIGITS, 6, 8),
    period: clamped(uri.searchParams.get('period'), PERIOD, 1, 300),
  };
}

function clamped(text: string | null, fallback: number, min: number, max: number): number {
  const value = wholeNumber(text) ?? fallback;
  return Math.min(max, Math.max(min, value));
}

/** TOTP (RFC 6238). */
export function totp(secret: TotpSecret, nowMs: number): TotpCode {
  const seconds = Math.floor(nowMs / 1000);
  const step = Math.floor(seconds / secret.period);
  return {
    code: hotp(secret.key, step, secret.digits, secret.algorithm),
    remainingSeconds: secret.period - (seconds % secret.period),
  };
}

/** Whether the code belongs to a step at most `window` steps away. All these codes are computed and compared in constant time. */
export function checkTotp(secret: TotpSecret, code: string, nowMs: number, window: number): boolean {
  const now = Math.floor(nowMs / 1000 / secret.period);
  const given = utf8(code);
  let right = false;
  for (let step = Math.max(0, now - window); step <= now + window; step += 1) {
    if (constantTimeEqual(given, utf8(hotp(secret.key, step, secret.digits, secret.algorithm)))) right = true;
  }
  return right;
}
