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

/** What a file is known by, whatever its flags are. */
export function placeOf({ directory, base }: Pick<LocalFile, 'directory' | 'base'>): string {
  return `${directory}/${base}`;
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

/** Fields that programs add to a message when they copy it to another folder, as mutt does. */
const ownFields = /^(?:content-length|lines|status|x-keywords|x-status):/i;
/** Bytes of a header section; in a longer one no field is left out. */
const MOST_HEAD = 1024 ** 2;

/** SHA-256 of a message with CRLF and without fields of single programs, in hex. So a message that was copied is still the same. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of messageOctets(path)) {
    if (head === undefined) {
      hash.update(piece);
      continue;
    }
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1 && head.length <= MOST_HEAD) continue;
    hash.update(end === -1 ? head : withoutOwnFields(head.subarray(0, end)));
    if (end !== -1) hash.update(head.subarray(end));
    head = undefined;
  }
  if (head !== undefined) hash.update(withoutOwnFields(head));
  return hash.digest('hex');
}

/** Each octet is one character, so nothing is lost. */
function withoutOwnFields(head: Buffer): Buffer {
  const fields = head.toString('latin1').split(/\r\n(?![ \t])/);
  return Buffer.from(fields.filter((field) => !ownFields.test(field)).join('\r\n'), 'latin1');
}

export function messageOctets(path: string): AsyncGenerator<Uint8Array> {
  return filtered(createReadStream(path) as AsyncIterable<Uint8Array>, toCrlf());
}
