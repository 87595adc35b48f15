import { open, rename } from 'node:fs/promises';

/** Replaces a file that its owner alone can read by a value as JSON, whole or not at all. The folder has to be there. */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  // Loaded here, since most commands only read.
  const { randomBytes } = await import('node:crypto');
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
