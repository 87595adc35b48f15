import { systemRandom, utf8, type Random } from './bytes.ts';
import { inGroups, randomDigits, readDigits } from './crockford.ts';
import { deriveKey } from './hkdf.ts';
import { keyPairFromSecret, type KeyPair } from './key-pair.ts';

/** 40 bits, so that two passwords of a node rarely draw the same handle. */
const HANDLE_LENGTH = 8;
/** 140 random bits: nobody can try them all, so the check needs no slow hash. */
const SECRET_LENGTH = 28;
/** Short groups are easier to copy by hand to a telephone. */
const GROUP_LENGTH = 4;

const CHECK_INFO = 'conclave/app-password/check/v1';
const TOKEN_INFO = 'conclave/app-password/token/v1';
const KEY_PAIR_INFO = 'conclave/app-password/key-pair/v1';

/** An app password. Only the secret part is secret; the handle says which password it is. */
export interface AppPassword {
  /** the first 8 digits */
  readonly handle: string;
  /** the other 28 digits */
  readonly secret: string;
}

/** A new app password of 140 random bits. @throws CryptoError */
export function generateAppPassword(random: Random = systemRandom): AppPassword {
  return { handle: randomDigits(HANDLE_LENGTH, random), secret: randomDigits(SECRET_LENGTH, random) };
}

/** As people see it: nine groups `XXXX-XXXX-…`, of which two are the handle. */
export function writeAppPassword({ handle, secret }: AppPassword): string {
  return inGroups(handle + secret, GROUP_LENGTH);
}

/** The handle as people see it, `XXXX-XXXX`: the beginning of the password. */
export function writeHandle(handle: string): string {
  return inGroups(handle, GROUP_LENGTH);
}

/** @returns undefined for a text that is no app password */
export function readAppPassword(text: string): AppPassword | undefined {
  const digits = readDigits(text, HANDLE_LENGTH + SECRET_LENGTH);
  if (digits === undefined) return undefined;
  return { handle: digits.slice(0, HANDLE_LENGTH), secret: digits.slice(HANDLE_LENGTH) };
}

/** What the node stores to check an app password. It opens nothing. 32 bytes */
export function appPasswordCheck(password: AppPassword, memberId: string): Uint8Array {
  return derived(password, memberId, CHECK_INFO);
}

/** What opens data of a request with this password, as the jti of a token does. 32 bytes; never stored */
export function appPasswordJti(password: AppPassword, memberId: string): Uint8Array {
  return derived(password, memberId, TOKEN_INFO);
}

/**
 * The key pair of an app password. The node stores the public key, so it can encrypt for the password without knowing it.
 *
 * @param jti what `appPasswordJti` returned. A request that still has it needs the password no more.
 */
export function appPasswordKeyPair(jti: Uint8Array): KeyPair {
  return keyPairFromSecret(jti, KEY_PAIR_INFO);
}

function derived({ handle, secret }: AppPassword, memberId: string, info: string): Uint8Array {
  return deriveKey(utf8(secret), info, 32, utf8(`${memberId}/${handle}`));
}
