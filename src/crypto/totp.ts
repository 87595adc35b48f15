import { createHmac } from 'node:crypto';
import { fromBase32, toBase32 } from './base32.ts';
import { constantTimeEqual, utf8 } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { parsedUrl } from '../base/parsed-url.ts';

export type TotpAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface TotpSecret {
  readonly key: Uint8Array;
  readonly algorithm: TotpAlgorithm;
  /** 6 to 8; 5 for Steam */
  readonly digits: number;
  /** seconds, 1 to 300 */
  readonly period: number;
  /** The codes are those of Steam: 5 letters and digits, with SHA-1 and 30 s. */
  readonly steam?: true;
}

export interface TotpCode {
  readonly code: string;
  /** of the current period */
  readonly remainingSeconds: number;
}

const PERIOD = 30;
const DIGITS = 6;
/** Steam's (https://github.com/keepassxreboot/keepassxc/blob/develop/src/core/Totp.cpp). */
const STEAM_ALPHABET = '23456789BCDFGHJKMNPQRTVWXY';
const STEAM_DIGITS = 5;
const algorithms = new Map<string, TotpAlgorithm>([
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
]);

/** HOTP (RFC 4226) with the hashes that RFC 6238 adds. @param counter a whole number from 0 */
export function hotp(key: Uint8Array, counter: number, digits = DIGITS, algorithm: TotpAlgorithm = 'sha1'): string {
  return String(truncatedMac(key, counter, algorithm) % 10 ** digits).padStart(digits, '0');
}

/** The 31 bits of RFC 4226, section 5.3. */
function truncatedMac(key: Uint8Array, counter: number, algorithm: TotpAlgorithm): number {
  const moving = Buffer.alloc(8);
  moving.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac(algorithm, key).update(moving).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  return mac.readUInt32BE(offset) & 0x7fff_ffff;
}

/** The least significant character comes first. */
function steamCode(key: Uint8Array, counter: number): string {
  let number = truncatedMac(key, counter, 'sha1');
  let code = '';
  while (code.length < STEAM_DIGITS) {
    code += STEAM_ALPHABET.charAt(number % STEAM_ALPHABET.length);
    number = Math.floor(number / STEAM_ALPHABET.length);
  }
  return code;
}

function codeAt({ key, steam, digits, algorithm }: TotpSecret, step: number): string {
  return steam ? steamCode(key, step) : hotp(key, step, digits, algorithm);
}

/**
 * Parses a base-32 secret, or an `otpauth://totp/` URI with its algorithm, digits and period. Digits below 6 or above 8, and periods
 * below 1 s or above 300 s, are changed to the nearest allowed value. Secrets of Steam are `steam://SECRET` (Bitwarden), or URIs with
 * `encoder=steam` (KeePassXC) or `issuer=Steam`, whose algorithm, digits and period don't count.
 *
 * @throws CryptoError when it can't be read; the message doesn't contain the secret
 */
export function parseTotpSecret(text: string): TotpSecret {
  const trimmed = text.trim();
  if (/^steam:\/\//i.test(trimmed)) return steamSecret(trimmed.slice('steam://'.length));
  if (!/^otpauth:/i.test(trimmed)) {
    return { key: fromBase32(trimmed), algorithm: 'sha1', digits: DIGITS, period: PERIOD };
  }
  const uri = parsedUrl(trimmed);
  if (uri?.host.toLowerCase() !== 'totp') throw new CryptoError('is not an otpauth://totp/ URI');
  const isSteam = ['encoder', 'issuer'].some((name) => uri.searchParams.get(name)?.toLowerCase() === 'steam');
  if (isSteam) return steamSecret(uri.searchParams.get('secret') ?? '');
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

function steamSecret(text: string): TotpSecret {
  return { key: fromBase32(text), algorithm: 'sha1', digits: STEAM_DIGITS, period: PERIOD, steam: true };
}

/** `steam://SECRET`, the only form that Bitwarden reads, for each secret of Steam. Any other text is returned unchanged. */
export function withSteamScheme(text: string): string {
  try {
    const { steam, key } = parseTotpSecret(text);
    return steam ? `steam://${toBase32(key)}` : text;
  } catch (error) {
    if (error instanceof CryptoError) return text;
    throw error;
  }
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
    code: codeAt(secret, step),
    remainingSeconds: secret.period - (seconds % secret.period),
  };
}

/** Whether the code belongs to a step at most `window` steps away. All these codes are computed and compared in constant time. */
export function checkTotp(secret: TotpSecret, code: string, nowMs: number, window: number): boolean {
  const now = Math.floor(nowMs / 1000 / secret.period);
  const given = utf8(code.toUpperCase());
  let right = false;
  for (let step = Math.max(0, now - window); step <= now + window; step += 1) {
    if (constantTimeEqual(given, utf8(codeAt(secret, step)))) right = true;
  }
  return right;
}
