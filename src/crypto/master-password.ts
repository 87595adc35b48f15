import { createHash } from 'node:crypto';
import { concat, constantTimeEqual, utf8 } from './bytes.ts';
import { mostBcryptRounds } from './cost-limits.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';
import { argon2id, normalizePassword, type Argon2Parameters } from './password.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** The minimum of bcrypt itself. Configuration requires at least 12. */
const MIN_ROUNDS = 4;
/** Rounds, 22 characters of salt, 31 of hash. Checked here because the library also accepts older versions and throws its own errors. */
const KEPT = /^\$2b\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** `$2b$12$` and 22 characters of salt */
const SALT_LENGTH = 29;

/**
 * The input of bcrypt: base 64 of SHA-384 over the normalised password (NFKC). bcrypt reads 72 bytes and stops at a zero byte. Base 64
 * of SHA-384 has 64 characters and no zero byte, so the whole password counts.
 */
function digestOf(password: string): string {
  return createHash('sha384')
    .update(utf8(normalizePassword(password)))
    .digest('base64');
}

/**
 * @returns the hash that a master password is checked against, `$2b$…`. Runs on the thread pool: 12 rounds take a quarter of a second.
 * @throws CryptoError
 */
export async function hashMasterPassword(password: string, rounds: number): Promise<string> {
  assertRounds(rounds);
  const { default: bcrypt } = await import('bcrypt');
  return await bcrypt.hash(digestOf(password), rounds);
}

/** @throws CryptoError when the number of rounds is out of range */
export function assertRounds(rounds: number): void {
  if (!Number.isInteger(rounds) || rounds < MIN_ROUNDS || rounds > mostBcryptRounds)
    throw new CryptoError('bcrypt rounds are out of range');
}

/**
 * Compares in constant time.
 *
 * @param kept the result of `hashMasterPassword`
 * @throws CryptoError when `kept` is malformed, or its number of rounds is above the limit of `cost-limits.ts`
 */
export async function checkMasterPassword(password: string, kept: string): Promise<boolean> {
  assertRounds(wholeNumber(KEPT.exec(kept)?.[1]) ?? 0);
  const { default: bcrypt } = await import('bcrypt');
  const again = await bcrypt.hash(digestOf(password), kept.slice(0, SALT_LENGTH));
  return constantTimeEqual(utf8(again), utf8(kept));
}

/**
 * The key of a password vault: HKDF-SHA256 over the vault's BIP39 seed and Argon2id of the master password, info = vault id.
 *
 * @param seed 64 bytes
 * @param salt 16 to 64 bytes
 * @returns 32 bytes
 * @throws CryptoError
 */
export async function deriveVaultKey(
  seed: Uint8Array,
  password: string,
  salt: Uint8Array,
  parameters: Argon2Parameters,
  vaultId: string,
): Promise<Uint8Array> {
  if (seed.length !== 64) throw new CryptoError('seed must be 64 bytes');
  const stretched = await argon2id(utf8(normalizePassword(password)), salt, parameters, 32);
  return deriveKey(concat(seed, stretched), vaultId);
}
