import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { filtered, toCrlf } from '../files/line-ends.ts';
import { splitName, stateOfFlags, type MaildirState } from '../files/maildir.ts';
import { mailboxIn, type Mailbox } from '../files/maildir-folders.ts';
import { messageInMbox, messagesInMbox, stateInMbox } from '../files/mbox.ts';

/** A message in a file of another program. */
export interface Source {
  /** for people: the file, and in an mbox the position */
  readonly name: string;
  readonly state: MaildirState;
  /** milliseconds since 1970 */
  readonly receivedAt: number | undefined;
  /** where its Maildir has it, or the trash, where an mbox has it as deleted */
  readonly mailbox?: Mailbox | undefined;
  /** bytes of its file before its end, from the beginning of the file */
  readonly reached: number;
  /** with CRLF; each call reads it again */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** A file or a Maildir folder that is read as a whole. */
export interface SourceFile {
  readonly bytes: number;
  readonly messages: () => AsyncIterable<Source>;
}

const newState: MaildirState = { read: false, keywords: [] };
const trash: Mailbox = { folder: 'trash' };

/**
 * What is at a path: an mbox, a message, a Maildir with its folders, or a folder with files of messages.
 *
 * @throws Problem invalid INPUT_UNREADABLE
 */
export async function sourcesAt(path: string): Promise<SourceFile[]> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return [await fileAt(path, found)];
    if (await isMaildir(path)) return await maildirAt(path);
    const names = (await readdir(path)).filter((name) => /\.(?:eml|mbox)$/i.test(name)).toSorted();
    if (names.length === 0) {
      const words = `${path} is no Maildir, and has no files that end with .eml or .mbox.`;
      throw new Problem('invalid', 'INPUT_INVALID', words);
    }
    return await Promise.all(names.map(async (name) => await fileAt(join(path, name), await stat(join(path, name)))));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  }
}

async function fileAt(path: string, { size, mtimeMs }: { size: number; mtimeMs: number }): Promise<SourceFile> {
  if (await isMbox(path)) return { bytes: size, messages: () => ofMbox(path) };
  const one = { name: path, state: newState, receivedAt: mtimeMs, reached: size, pieces: () => crlfOf(path) };
  return { bytes: size, messages: () => only(one) };
}

async function isMbox(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(5), 0, 5, 0);
  return bytesRead === 0 || buffer.toString('latin1') === 'From ';
}

async function* ofMbox(path: string): AsyncGenerator<Source> {
  let position = 0;
  for await (const place of messagesInMbox(path)) {
    position += 1;
    const { inTrash, ...state } = await stateInMbox(path, place);
    yield {
      name: `${path}, message ${position} (byte ${place.start})`,
      state,
      receivedAt: place.receivedAt,
      mailbox: inTrash ? trash : undefined,
      reached: place.end,
      pieces: () => messageInMbox(path, place),
    };
  }
}

async function* only(one: Source): AsyncGenerator<Source> {
  yield one;
}

async function isMaildir(path: string): Promise<boolean> {
  const parts = await Promise.all(['cur', 'new'].map((part) => stat(join(path, part)).catch(() => undefined)));
  return parts.every((part) => part?.isDirectory() === true);
}

/** A Maildir and the folders in it. Those of which nothing is known stay where they are. */
async function maildirAt(path: string): Promise<SourceFile[]> {
  const all: SourceFile[] = [];
  for (const name of ['', ...(await readdir(path)).filter((one) => one.startsWith('.')).toSorted()]) {
    const mailbox = mailboxIn(name);
    if (mailbox === undefined || !(await isMaildir(join(path, name)))) continue;
    for (const part of ['new', 'cur']) {
      const folder = join(path, name, part);
      for (const file of (await readdir(folder)).filter((one) => !one.startsWith('.')).toSorted())
        all.push(await maildirFile(join(folder, file), file, name === '' ? undefined : mailbox));
    }
  }
  return all;
}

async function maildirFile(path: string, name: string, mailbox: Mailbox | undefined): Promise<SourceFile> {
  const { size, mtimeMs } = await stat(path);
  const { inTrash, ...state } = stateOfFlags(splitName(name).flags);
  const at = mailbox ?? (inTrash ? trash : undefined);
  const one = { name: path, state, receivedAt: mtimeMs, mailbox: at, reached: size, pieces: () => crlfOf(path) };
  return { bytes: size, messages: () => only(one) };
}

async function* crlfOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* filtered(createReadStream(path) as AsyncIterable<Uint8Array>, toCrlf());
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  }
}
