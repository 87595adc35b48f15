import { assertInteger, assertLength, assertLengthBetween, plain, utf8 } from './bytes.ts';
import { mostArgon2 } from './cost-limits.ts';
import { CryptoError } from './crypto-error.ts';

/** Cost of Argon2id. The configuration enforces the minimum for accounts (19 MiB, 2 passes, 1 lane). */
export interface Argon2Parameters {
  /** At least 8 for each lane. */
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

export interface StretchedPassword {
  /** 32 bytes to store; compare them in constant time. */
  readonly verifier: Uint8Array;
  /** 32 bytes from which the key that wraps the private key is derived; never stored. */
  readonly wrapInput: Uint8Array;
}

export interface Argon2Extras {
  readonly secret?: Uint8Array;
  readonly associatedData?: Uint8Array;
}

/** The limit bounds the cost of normalising; hashing does not depend on the length. The rules for members are stricter. */
const MAX_PASSWORD_LENGTH = 4096;

/**
 * Normalises a password (Unicode NFKC), so that it doesn't depend on how the keyboard composed it.
 *
 * @throws CryptoError for a lone surrogate, and above 4096 characters
 */
export function normalizePassword(password: string): string {
  if (typeof password !== 'string' || password.length > MAX_PASSWORD_LENGTH)
    throw new CryptoError('password is too long');
  const normalized = password.normalize('NFKC');
  utf8(normalized);
  return normalized;
}

/**
 * Argon2id of the normalised password. One half is for checking the password, the other half for wrapping the private key. So guessing
 * the password from the wrapped key is exactly as hard as from the hash. It runs on the thread pool and uses `memoryKiB` of memory.
 *
 * @param salt 16 to 64 bytes
 * @throws CryptoError
 */
export async function stretchPassword(
  password: string,
  salt: Uint8Array,
  parameters: Argon2Parameters,
): Promise<StretchedPassword> {
  const output = await argon2id(utf8(normalizePassword(password)), salt, parameters, 64);
  return { verifier: output.slice(0, 32), wrapInput: output.slice(32) };
}

/**
 * Argon2id, version 1.3 (RFC 9106), on the thread pool.
 *
 * @param secret the password, any bytes
 * @param salt 16 to 64 bytes
 * @param length length of the result in bytes, 16 to 1024
 * @throws CryptoError
 */
export async function argon2id(
  secret: Uint8Array,
  salt: Uint8Array,
  parameters: Argon2Parameters,
  length: number,
  extras: Argon2Extras = {},
): Promise<Uint8Array> {
  assertLength('password', secret);
  assertLengthBetween('salt', salt, 16, 64);
  assertArgon2Parameters(parameters);
  assertInteger('hash length', length, 16, 1024);
  // The native module is loaded on first use, because it would slow the start of every command.
  const { argon2id: type, hash } = await import('argon2');
  return plain(
    await hash(Buffer.from(secret), {
      raw: true,
      type,
      version: 0x13,
      salt: Buffer.from(salt),
      memoryCost: parameters.memoryKiB,
      timeCost: parameters.passes,
      parallelism: parameters.lanes,
      hashLength: length,
      secret: Buffer.from(extras.secret ?? []),
      associatedData: Buffer.from(extras.associatedData ?? []),
    }),
  );
}

/** @throws CryptoError when a parameter is not an integer or out of range */
export function assertArgon2Parameters(parameters: Argon2Parameters): void {
  assertInteger('Argon2 lanes', parameters.lanes, 1, mostArgon2.lanes);
  assertInteger('Argon2 memory in KiB', parameters.memoryKiB, 8 * parameters.lanes, mostArgon2.memoryKiB);
  assertInteger('Argon2 passes', parameters.passes, 1, mostArgon2.passes);
}
