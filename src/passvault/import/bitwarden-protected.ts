import { utf8 } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { sha256 } from '../../crypto/hash.ts';
import { argon2id } from '../../crypto/password.ts';
import { pbkdf2 } from '../../crypto/pbkdf2.ts';
import { Problem } from '../../problem.ts';
import { openEncString, stretchKey } from './bitwarden-enc-string.ts';
import type { ImportOptions } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { Slice } from './json-slices.ts';
import { parseSliceOr } from './json-parse.ts';
import { wholeNumber } from '../../whole-number.ts';

/** A file says how much work its key is: these are the most that is done for one. */
const MAX_PBKDF2_ITERATIONS = 2_000_000;
const MAX_ARGON2_MIB = 1024;
const MAX_ARGON2_PASSES = 10;
const MAX_ARGON2_LANES = 16;

/**
 * What a password-protected export of Bitwarden holds. The check value is opened first: it tells a wrong password from a
 * damaged file.
 *
 * @throws Problem IMPORT_PASSWORD_REQUIRED, IMPORT_PASSWORD_WRONG, IMPORT_UNREADABLE
 */
export async function openProtected(root: ReadonlyMap<string, Slice>, options: ImportOptions): Promise<Uint8Array> {
  if (parseSliceOr(root.get('passwordProtected')) !== true) {
    throw notImportable(
      'The export is bound to an account of Bitwarden. Export it again, protected by a password of its own.',
    );
  }
  const derive = derivationOf(root);
  const [check, data] = [textOf(root, 'encKeyValidation_DO_NOT_EDIT'), textOf(root, 'data')];
  if (!options.password) throw passwordRequired();
  const { password, heavy } = options;
  const work = async (): Promise<Uint8Array> => await derive(passwordBytes(password));
  const keys = stretchKey(await (heavy ? heavy.run(work) : work()));
  if (openEncString(check, keys) === undefined) throw wrongPassword();
  options.signal?.throwIfAborted();
  const opened = openEncString(data, keys);
  if (opened === undefined) throw notImportable('The file is damaged: what it protects does not fit its key.');
  return opened;
}

function derivationOf(root: ReadonlyMap<string, Slice>): (password: Uint8Array) => Promise<Uint8Array> {
  // The salt is the text as it stands, not what it is the base64 of.
  const salt = Buffer.from(textOf(root, 'salt'));
  const kind = numberOf(root, 'kdfType', 1, 0);
  if (kind === 0) {
    const iterations = numberOf(root, 'kdfIterations', MAX_PBKDF2_ITERATIONS);
    return async (password) => await pbkdf2('sha256', password, salt, iterations, 32);
  }
  const passes = numberOf(root, 'kdfIterations', MAX_ARGON2_PASSES);
  const lanes = numberOf(root, 'kdfParallelism', MAX_ARGON2_LANES);
  const memoryKiB = 1024 * numberOf(root, 'kdfMemory', MAX_ARGON2_MIB);
  return async (password) => await argon2id(password, sha256(salt), { memoryKiB, passes, lanes }, 32);
}

function numberOf(root: ReadonlyMap<string, Slice>, name: string, max: number, min = 1): number {
  const text = parseSliceOr(root.get(name));
  const value = (typeof text === 'string' ? wholeNumber(text) : undefined) ?? -1;
  if (value < min || value > max)
    throw notImportable(`The file asks for a derivation of its key that is out of bounds (${name}).`);
  return value;
}

function textOf(root: ReadonlyMap<string, Slice>, name: string): string {
  const text = parseSliceOr(root.get(name));
  if (typeof text !== 'string')
    throw notImportable(`The file says that it is protected, and lacks what opens it (${name}).`);
  return text;
}

function passwordBytes(password: string): Uint8Array {
  try {
    return utf8(password);
  } catch (error) {
    if (error instanceof CryptoError) throw wrongPassword();
    throw error;
  }
}

function passwordRequired(): Problem {
  return new Problem('invalid', 'IMPORT_PASSWORD_REQUIRED', 'The file is protected by a password. Give it as well.');
}

function wrongPassword(): Problem {
  return new Problem('invalid', 'IMPORT_PASSWORD_WRONG', 'The password does not open the file.');
}
