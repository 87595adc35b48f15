import { utf8 } from '../../../../crypto/bytes.ts';
import { CryptoError } from '../../../../crypto/crypto-error.ts';
import { sha256 } from '../../../../crypto/hash.ts';
import { argon2id } from '../../../../crypto/password.ts';
import { pbkdf2 } from '../../../../crypto/pbkdf2.ts';
import { Problem } from '../../../../base/problem.ts';
import { openEncString, stretchKey } from './bitwarden-enc-string.ts';
import type { ImportOptions } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { Slice } from './json-slices.ts';
import { parseSliceOr } from './json-parse.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';

/**
 * The file sets the work for its key. These limits keep each derivation below some 3 s on a slow core (measured with two cores under other
 * load: 2,000,000 iterations 1.2 s, 640 MiB × passes 2 to 2.5 s). Memory is the amount that Argon2 takes at once.
 */
const MAX_PBKDF2_ITERATIONS = 2_000_000;
const MAX_ARGON2_MIB = 256;
const MAX_ARGON2_PASSES = 10;
const MAX_ARGON2_LANES = 16;
const MAX_ARGON2_WORK = 640;

/**
 * Opens a password-protected export of Bitwarden. The check value is opened first, because it tells a wrong password from a damaged file.
 *
 * @throws Problem IMPORT_PASSWORD_REQUIRED, IMPORT_PASSWORD_WRONG, IMPORT_UNREADABLE
 */
export async function openProtected(root: ReadonlyMap<string, Slice>, options: ImportOptions): Promise<Uint8Array> {
  if (parseSliceOr(root.get('passwordProtected')) !== true) {
    throw notImportable(
      'The export is encrypted for one account of Bitwarden. Export it again, encrypted with a password.',
    );
  }
  const derive = derivationOf(root);
  const [check, data] = [textOf(root, 'encKeyValidation_DO_NOT_EDIT'), textOf(root, 'data')];
  if (!options.password) throw passwordRequired();
  const { password, native = async (work) => await work() } = options;
  const keys = stretchKey(await native(async () => await derive(passwordBytes(password))));
  if (openEncString(check, keys) === undefined) throw wrongPassword();
  options.signal?.throwIfAborted();
  const opened = openEncString(data, keys);
  if (opened === undefined) throw notImportable('The file is damaged: its content does not match its key.');
  return opened;
}

function derivationOf(root: ReadonlyMap<string, Slice>): (password: Uint8Array) => Promise<Uint8Array> {
  // The salt is the base64 text itself, not the decoded bytes.
  const salt = Buffer.from(textOf(root, 'salt'));
  const kind = numberIn(root, 'kdfType');
  const iterations = numberIn(root, 'kdfIterations');
  if (kind === 0) {
    if (!isWithin(iterations, MAX_PBKDF2_ITERATIONS)) {
      throw outOfBounds(`PBKDF2 with ${said(iterations)} iterations`, `1 to ${MAX_PBKDF2_ITERATIONS} iterations`);
    }
    return async (password) => await pbkdf2('sha256', password, salt, iterations, 32);
  }
  if (kind !== 1) throw outOfBounds(`method ${said(kind)}`, 'PBKDF2 (0) and Argon2id (1)');
  const [memory, lanes] = [numberIn(root, 'kdfMemory'), numberIn(root, 'kdfParallelism')];
  const isAllowed =
    isWithin(memory, MAX_ARGON2_MIB) &&
    isWithin(iterations, MAX_ARGON2_PASSES) &&
    isWithin(lanes, MAX_ARGON2_LANES) &&
    memory * iterations <= MAX_ARGON2_WORK;
  if (!isAllowed) {
    throw outOfBounds(
      `Argon2id with ${said(memory)} MiB, ${said(iterations)} passes and ${said(lanes)} lanes`,
      `up to ${MAX_ARGON2_MIB} MiB, ${MAX_ARGON2_PASSES} passes and ${MAX_ARGON2_LANES} lanes, and memory times passes up to ${MAX_ARGON2_WORK} MiB`,
    );
  }
  const parameters = { memoryKiB: 1024 * memory, passes: iterations, lanes };
  return async (password) => await argon2id(password, sha256(salt), parameters, 32);
}

/** NaN if the value isn't a whole number. */
function numberIn(root: ReadonlyMap<string, Slice>, name: string): number {
  const text = parseSliceOr(root.get(name));
  return (typeof text === 'string' ? wholeNumber(text) : undefined) ?? Number.NaN;
}

function isWithin(value: number, max: number): boolean {
  return value >= 1 && value <= max;
}

function said(value: number): string {
  return Number.isNaN(value) ? 'an unknown number of' : String(value);
}

/** Thrown before any work is done. */
function outOfBounds(asked: string, allowed: string): Problem {
  return notImportable(
    `The key derivation of the file is out of bounds: ${asked}. Allowed: ${allowed}. Export it again with other settings.`,
  );
}

function textOf(root: ReadonlyMap<string, Slice>, name: string): string {
  const text = parseSliceOr(root.get(name));
  if (typeof text !== 'string') throw notImportable(`The file is encrypted, but its field ${name} is missing.`);
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
  return new Problem('invalid', 'IMPORT_PASSWORD_REQUIRED', 'The file is encrypted. Give its password as well.');
}

function wrongPassword(): Problem {
  return new Problem('invalid', 'IMPORT_PASSWORD_WRONG', 'Wrong password for the file.');
}
