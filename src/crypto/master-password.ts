import { createHash } from 'node:crypto';
import { concat, constantTimeEqual, utf8 } from './bytes.ts';
import { mostBcryptRounds } from './cost-limits.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';
import { argon2id, normalizePassword, type Argon2Parameters } from './password.ts';
import { wholeNumber } from '../whole-number.ts';

/** bcrypt's own limit. Configuration asks for 12 at least. */
const MIN_ROUNDS = 4;
/** Rounds, 22 characters of salt and 31 of hash. The library takes older versions as well, and throws errors of its own. */
const KEPT = /^\$2b\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** `$2b$12$` and 22 characters of salt */
const SALT_LENGTH = 29;

/**
 * bcrypt looks at 72 bytes and stops at a zero byte; base 64 of SHA-384 has 64 characters and none of them is one. So all of the
 * password counts, in its one spelling (NFKC).
 */
function digestOf(password: string): string {
  return createHash('sha384')
    .update(utf8(normalizePassword(password)))
    .digest('base64');
}

/**
 * @returns what a master password is checked against, `$2b$…`. Runs on the thread pool: 12 rounds take a quarter of a second.
 * @throws CryptoError
 */
export async function hashMasterPassword(password: string, rounds: number): Promise<string> {
  assertRounds(rounds);
  const { default: bcrypt } = await import('bcrypt');
  return await bcrypt.hash(digestOf(password), rounds);
}

/** @throws CryptoError when there are fewer, or more, than are ever computed here */
export function assertRounds(rounds: number): void {
  if (!Number.isInteger(rounds) || rounds < MIN_ROUNDS || rounds > mostBcryptRounds)
    throw new CryptoError('bcrypt rounds are out of range');
}

/**
 * Compares in constant time.
 *
 * @param kept as `hashMasterPassword` gave it
 * @throws CryptoError when that is malformed, or asks for more rounds than are ever computed
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
