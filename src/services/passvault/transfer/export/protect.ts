import { systemRandom, toHex, utf8, type Random } from '../../../../crypto/bytes.ts';
import { sha256 } from '../../../../crypto/hash.ts';
import { argon2id } from '../../../../crypto/password.ts';
import type { Work } from '../../../../service/ports/task.ts';
import { sealEncString, stretchKey } from '../import/bitwarden-enc-string.ts';
import type { ProtectJob } from './protect-task.ts';

export interface ProtectOptions {
  readonly random: Random;
  /** Lower costs are only for tests. */
  readonly parameters?: { readonly memoryMiB: number; readonly passes: number; readonly lanes: number };
}

/** Bitwarden's own defaults. */
const PARAMETERS = { memoryMiB: 64, passes: 3, lanes: 4 };

/**
 * Encrypts a JSON export in Bitwarden's password-protected form. Bitwarden, KeePassXC and `parseImport` can open it.
 *
 * @param password used unchanged, in UTF-8
 * @throws CryptoError when it is not well-formed Unicode
 */
export async function protectExport(
  json: string,
  password: string,
  { random, parameters = PARAMETERS }: ProtectOptions,
): Promise<string> {
  const { memoryMiB, passes, lanes } = parameters;
  const secret = utf8(password);
  // The salt is the base64 text itself, not the decoded bytes.
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

/** Runs in a thread. */
export const protectWork: Work<ProtectJob, string> = async ({ json, password }, thread) =>
  await thread.native(async () => await protectExport(json, password, { random: systemRandom }));
