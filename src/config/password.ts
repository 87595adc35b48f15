import { readFile } from 'node:fs/promises';
import { Problem } from '../base/problem.ts';
import { isShared } from './file.ts';
import { options, type Values } from './options.ts';
import { find, type Sources } from './sources.ts';

/**
 * The password of the PostgreSQL database. It is taken from the URL, from a file, or from PGPASSWORD, in this order.
 *
 * @throws Problem invalid CONFIG_INVALID when other users can see it in the arguments or the file, or when its file can't be read
 */
export async function databasePassword(values: Values, sources: Sources): Promise<string | undefined> {
  const inUrl = values.database?.password;
  if (inUrl !== undefined) {
    const { source } = find(options.database, sources);
    if (source.startsWith('--')) {
      throw invalid(
        `${source} must not contain a password, because other users can see arguments. Use CONCLAVE_DATABASE, conclave.toml or PGPASSWORD.`,
      );
    }
    if (source === sources.file?.path && (await isShared(source))) {
      throw invalid(`${source} contains a password, and other users can read it. Run: chmod 600 ${source}`);
    }
    return inUrl;
  }
  const file = values.databasePasswordFile;
  if (file === undefined) return sources.env['PGPASSWORD'];
  try {
    const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/, 1);
    return line;
  } catch (error) {
    throw invalid(`database_password_file: ${file} can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function invalid(message: string): Problem {
  return new Problem('invalid', 'CONFIG_INVALID', message);
}
