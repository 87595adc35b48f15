import { open } from 'node:fs/promises';
import { Problem } from '../../base/problem.ts';

/** Nobody's password is longer, and a wrong file may be of any size. */
const LONGEST = 1_024;

/**
 * The password for the mail relay: the first line of its file. It is read whenever it is needed, so that nothing keeps it, and a new one counts
 * at once.
 * @param file undefined: the relay wants no sign-in
 * @throws Problem invalid CONFIG_INVALID that names the file and never what is in it
 */
export async function relayPassword(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const bytes = Buffer.alloc(LONGEST + 1);
  let length: number;
  try {
    await using opened = await open(file);
    length = (await opened.read(bytes, 0, bytes.length, 0)).bytesRead;
  } catch (error) {
    throw unusable(file, `can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const text = bytes.toString('utf8', 0, length);
  bytes.fill(0);
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw unusable(file, 'has an empty first line');
  if (Buffer.byteLength(line) > LONGEST || line.includes('\0'))
    throw unusable(file, 'has no password in its first line');
  return line;
}

function unusable(file: string, what: string): Problem {
  const message = `mail.relay.password_file: ${file} ${what}. Write the password of mail.relay.user into its first line, for the user that runs the server.`;
  return new Problem('invalid', 'CONFIG_INVALID', message);
}
