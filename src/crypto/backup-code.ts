import {
  assertInteger,
  assertLength,
  concat,
  constantTimeEqual,
  fromHex,
  plain,
  readUint32,
  systemRandom,
  toHex,
  uint32,
  utf8,
  type Random,
} from './bytes.ts';
import { inGroups, randomDigits, readDigits } from './crockford.ts';
import { CryptoError } from './crypto-error.ts';
import { eciesDecrypt, eciesEncrypt } from './ecies.ts';
import { hmacSha256 } from './hash.ts';
import { openWithKey, sealWithKey } from './sealing.ts';
import { argon2id, type Argon2Parameters } from './password.ts';

const CODE_LENGTH = 20;
const GROUP_LENGTH = 5;
const CODES_PER_SET = 10;

const VERSION = 0x01;
const SALT_LENGTH = 32;
const VERIFIER_LENGTH = 32;
/** version, memory, passes, lanes, salt, verifier */
const HEADER_LENGTH = 1 + 4 + 4 + 1 + SALT_LENGTH + VERIFIER_LENGTH;
const CONTEXT = 'conclave/backup-code/v1';

/** New codes of 100 random bits each, as people see them: `XXXXX-XXXXX-XXXXX-XXXXX`. @throws CryptoError */
export function generateBackupCodes(count = CODES_PER_SET, random: Random = systemRandom): string[] {
  assertInteger('number of backup codes', count, 1, 100);
  const codes = Array.from({ length: count }, () => inGroups(randomDigits(CODE_LENGTH, random), GROUP_LENGTH));
  // Two equal codes of 100 bits mean that the random source is broken, and drawing again might never end.
  if (new Set(codes).size < count) throw new CryptoError('random source repeats itself');
  return codes;
}

/**
 * Normalises a code that a person typed: 20 characters, upper case, no dashes or spaces, O read as 0, I and L as 1.
 *
 * @throws CryptoError when it can't be a code
 */
export function normalizeBackupCode(text: string): string {
  const code = readDigits(text, CODE_LENGTH);
  if (code === undefined) throw new CryptoError('backup code is not valid');
  return code;
}

/**
 * 64 hexadecimal digits that identify the row of a code, so that a check runs Argon2 once and not once for each code of the set.
 * The tag is safe to store, even if the key is known, because a code has 100 random bits.
 *
 * @param key held by the node, at least 16 bytes
 * @throws CryptoError when the code can't be one
 */
export function backupCodeTag(key: Uint8Array, memberId: string, code: string): string {
  return toHex(hmacSha256(key, fromHex(memberId, 12), utf8(normalizeBackupCode(code))));
}

/**
 * Makes the record of a code. Argon2id of the code gives a verifier, and a key that encrypts a copy of the private key (AES-256-GCM).
 * The record, `0x01 | memory 4 | passes 4 | lanes 1 | salt 32 | verifier 32 | sealed copy or nothing`, is encrypted to the node's key
 * with ECIES.
 *
 * @param memberId 24 hexadecimal digits; authenticated
 * @param privateKey 32 bytes, or null if the session that makes the codes doesn't hold it
 * @param nodePublicKey 33 or 65 bytes
 * @throws CryptoError
 */
export async function sealBackupCode(
  code: string,
  memberId: string,
  privateKey: Uint8Array | null,
  nodePublicKey: Uint8Array,
  parameters: Argon2Parameters,
  random: Random = systemRandom,
): Promise<Uint8Array> {
  const context = contextOf(memberId);
  if (privateKey !== null) assertLength('private key', privateKey, 32);
  const salt = random(SALT_LENGTH);
  assertLength('salt', salt, SALT_LENGTH);
  const { verifier, key } = await stretch(code, salt, parameters);
  const header = concat(
    Uint8Array.of(VERSION),
    uint32(parameters.memoryKiB),
    uint32(parameters.passes),
    Uint8Array.of(parameters.lanes),
    salt,
    verifier,
  );
  const copy = privateKey === null ? new Uint8Array() : sealWithKey(key, privateKey, concat(header, context), random);
  return eciesEncrypt(nodePublicKey, concat(header, copy), context, 'basic', random);
}

/**
 * @param sealed the result of `sealBackupCode` for the same member
 * @returns the private key, 32 bytes; null when the code is right and its set was made without the private key
 * @throws CryptoError when the code is wrong, or when the record is malformed, damaged, or made for another member or node
 */
export async function openBackupCode(
  code: string,
  memberId: string,
  sealed: Uint8Array,
  nodePrivateKey: Uint8Array,
): Promise<Uint8Array | null> {
  const context = contextOf(memberId);
  const record = eciesDecrypt(nodePrivateKey, sealed, context);
  if (record.length < HEADER_LENGTH || record[0] !== VERSION) throw new CryptoError('backup code record is malformed');
  const header = record.subarray(0, HEADER_LENGTH);
  const parameters = { memoryKiB: readUint32(header, 1), passes: readUint32(header, 5), lanes: header[9] as number };
  const salt = header.subarray(10, 10 + SALT_LENGTH);
  const { verifier, key } = await stretch(code, salt, parameters);
  if (!constantTimeEqual(verifier, header.subarray(10 + SALT_LENGTH)))
    throw new CryptoError('backup code is not valid');
  if (record.length === HEADER_LENGTH) return null;
  const privateKey = openWithKey(key, record.subarray(HEADER_LENGTH), concat(header, context));
  assertLength('private key', privateKey, 32);
  return privateKey;
}

async function stretch(
  code: string,
  salt: Uint8Array,
  parameters: Argon2Parameters,
): Promise<{ verifier: Uint8Array; key: Uint8Array }> {
  const output = await argon2id(utf8(normalizeBackupCode(code)), plain(salt), parameters, VERIFIER_LENGTH + 32);
  return { verifier: output.slice(0, VERIFIER_LENGTH), key: output.slice(VERIFIER_LENGTH) };
}

function contextOf(memberId: string): Uint8Array {
  return concat(utf8(CONTEXT), fromHex(memberId, 12));
}
