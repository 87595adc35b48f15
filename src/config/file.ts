import { readFile, stat } from 'node:fs/promises';
import { Problem } from '../base/problem.ts';

/**
 * The keys of a `conclave.toml`, dotted, with their values.
 *
 * @returns undefined when the file does not exist
 * @throws Problem invalid CONFIG_INVALID when the file can't be read
 */
export async function readConfigFile(file: string): Promise<Map<string, unknown> | undefined> {
  let source: string;
  try {
    source = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Problem(
      'invalid',
      'CONFIG_INVALID',
      `${file}: can't be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const { parse, TomlError } = await import('smol-toml');
  try {
    const keys = new Map<string, unknown>();
    flatten(parse(source), '', keys);
    return keys;
  } catch (error) {
    // The library's message quotes the source, which may contain a password, so only the position is shown.
    const place = error instanceof TomlError ? `line ${error.line}, column ${error.column}` : 'somewhere';
    throw new Problem('invalid', 'CONFIG_INVALID', `${file}: is not TOML; the mistake is at ${place}.`);
  }
}

/** Whether users other than its owner may read the file. */
export async function isShared(file: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
}

function flatten(table: Readonly<Record<string, unknown>>, prefix: string, into: Map<string, unknown>): void {
  for (const [name, value] of Object.entries(table)) {
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
    if (isTable) flatten(value as Record<string, unknown>, `${prefix}${name}.`, into);
    else into.set(`${prefix}${name}`, value);
  }
}
