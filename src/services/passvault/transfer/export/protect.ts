import { systemRandom, toHex, utf8, type Random } from '../../../../crypto/bytes.ts';
import { sha256 } from '../../../../crypto/hash.ts';
import { argon2id } from '../../../../crypto/password.ts';
import type { Work } from '../../../../offload/task.ts';
import { sealEncString, stretchKey } from '../import/bitwarden-enc-string.ts';
import type { ProtectJob } from './protect-task.ts';

export interface ProtectOptions {
  readonly random: Random;
  /** Cheaper ones are for tests alone. */
  readonly parameters?: { readonly memoryMiB: number; readonly passes: number; readonly lanes: number };
}

/** What Bitwarden itself sets out with. */
const PARAMETERS = { memoryMiB: 64, passes: 3, lanes: 4 };

/**
 * A JSON export in Bitwarden's password-protected form, which Bitwarden, KeePassXC and `parseImport` open.
 *
 * @param password taken as it is, in UTF-8
 * @throws CryptoError when it is not well-formed Unicode
 */
export async function protectExport(
  json: string,
  password: string,
  { random, parameters = PARAMETERS }: ProtectOptions,
): Promise<string> {
  const { memoryMiB, passes, lanes } = parameters;
  const secret = utf8(password);
  // The salt is the text itself, not the bytes that it is the base64 of.
  const salt = Buffer.from(random(16)).toString('base64');
  const key = await argon2id(secret, sha256(utf8(salt)), { memoryKiB: 1024 * memoryMiB, passes, lanes }, 32);
  const keys = stretchKey(key);
  const file = {
    encrypted: true,
    passwordProtected: true,
    salt,
    kdfType: 1,
    kdfIterations: passes,
    kdfMemory: memoryMiB,
    kdfParallelism: lanes,
    encKeyValidation_DO_NOT_EDIT: sealEncString(utf8(toHex(random(16))), keys, random),
    data: sealEncString(utf8(json), keys, random),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** In a thread. */
export const protectWork: Work<ProtectJob, string> = async ({ json, password }) =>
  await protectExport(json, password, { random: systemRandom });
