import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../base/problem.ts';

const LENGTH = 32;

export interface NodeSecretOptions {
  /** create the secret if the file does not exist */
  readonly create: boolean;
  readonly random?: (size: number) => Uint8Array;
}

/**
 * Reads the node secret, 32 bytes, from a file that only its owner may open.
 *
 * @throws Problem missing NODE_SECRET_MISSING, invalid NODE_SECRET_INVALID or NODE_SECRET_EXPOSED
 */
export async function openNodeSecret(
  file: string,
  { create, random = randomBytes }: NodeSecretOptions,
): Promise<Uint8Array> {
  const found = await readSecret(file);
  if (found !== undefined) return found;
  if (!create) {
    throw new Problem(
      'missing',
      'NODE_SECRET_MISSING',
      `${file}: the node secret is missing. Without it, this node cannot open anything that it issued or encrypted.`,
    );
  }
  await createSecret(file, random(LENGTH));
  // Another process may have created the file first. Then its secret is used.
  return await openNodeSecret(file, { create: false });
}

async function readSecret(file: string): Promise<Uint8Array | undefined> {
  let handle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Problem('invalid', 'NODE_SECRET_INVALID', `${file}: the node secret can't be read (${code}).`);
  }
  try {
    const { mode, size } = await handle.stat();
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Problem(
        'invalid',
        'NODE_SECRET_EXPOSED',
        `${file}: other users can read the node secret. Run: chmod 600 ${file}`,
      );
    }
    if (size !== LENGTH) {
      throw new Problem(
        'invalid',
        'NODE_SECRET_INVALID',
        `${file}: a node secret has ${LENGTH} bytes, but this file has ${size}. Restore it from a backup.`,
      );
    }
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** Writes the secret to disk before the file gets its name, so that a crash leaves no partial secret. `link` never replaces a file. */
async function createSecret(file: string, secret: Uint8Array): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.node.secret-${randomBytes(8).toString('hex')}`);
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(secret);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary);
  }
  await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder for syncing, and doesn't need it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
