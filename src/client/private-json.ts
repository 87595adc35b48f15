/**
 * Replaces a private file with a value as JSON. The file is replaced completely or not at all. The folder must exist.
 *
 * @throws the error of the file system, with the path of the file instead of the temporary file
 */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  // Loaded here, because most commands only read.
  const [{ randomBytes }, { rename, rm }] = await Promise.all([import('node:crypto'), import('node:fs/promises')]);
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeNew(temporary, `${JSON.stringify(value, null, 2)}\n`);
    await rename(temporary, path);
  } catch (error) {
    // The temporary file may contain tokens.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw saidOf(path, error);
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const { open } = await import('node:fs/promises');
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces the path of the temporary file in a file system error with the path that the person knows. */
export function saidOf(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  const { code, syscall } = error;
  const said = new Error(`${String(code)}: ${String(syscall)} '${path}'`, { cause: error });
  return Object.assign(said, { code, syscall, path });
}
