import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folders } from '../../../contract/mail/limits.ts';
import { filtered, toCrlf } from '../files/line-ends.ts';
import { splitName } from '../files/maildir.ts';
import { directoryOf, mailboxIn } from '../files/maildir-folders.ts';

/** A file of a message in a Maildir. */
export interface LocalFile {
  /** below the Maildir; empty for the inbox */
  readonly directory: string;
  readonly part: 'cur' | 'new';
  /** its name before the flags */
  readonly base: string;
  /** all letters, also those of which nothing is known here */
  readonly flags: string;
  readonly name: string;
}

export function pathOf(root: string, { directory, part, name }: Omit<LocalFile, 'base' | 'flags'>): string {
  return join(root, directory, part, name);
}

/** Makes the folder of a mailbox, as far as it is not there. */
export async function makeDirectory(root: string, directory: string): Promise<void> {
  for (const part of ['cur', 'new', 'tmp']) await mkdir(join(root, directory, part), { recursive: true, mode: 0o700 });
}

/** The files of all folders and labels. Folders of others are not looked at. */
export async function scanMaildir(root: string): Promise<LocalFile[]> {
  for (const folder of folders) await makeDirectory(root, directoryOf({ folder }));
  const found: LocalFile[] = [];
  for (const directory of ['', ...(await readdir(root)).filter((name) => name.startsWith('.')).toSorted()]) {
    if (mailboxIn(directory) === undefined || !(await stat(join(root, directory))).isDirectory()) continue;
    for (const part of ['new', 'cur'] as const) {
      const names = await readdir(join(root, directory, part)).catch(() => []);
      for (const name of names.toSorted())
        if (!name.startsWith('.')) found.push({ directory, part, name, ...splitName(name) });
    }
  }
  return found;
}

/** SHA-256 of a message with CRLF, in hex. So it does not matter how a program ends lines. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of messageOctets(path)) hash.update(piece);
  return hash.digest('hex');
}

export function messageOctets(path: string): AsyncGenerator<Uint8Array> {
  return filtered(createReadStream(path) as AsyncIterable<Uint8Array>, toCrlf());
}
