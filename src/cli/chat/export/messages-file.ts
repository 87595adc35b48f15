import { constants } from 'node:fs';
import { lstat, open, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../../base/problem.ts';
import { alreadyThere, unwritable } from '../../kit/body-files.ts';

const { O_NOFOLLOW, O_RDWR, O_CREAT, O_EXCL } = constants;

const fileName = 'messages.jsonl';
/** Bytes that are read at a time. */
const PIECE = 64 * 1024;
const LF = 10;

const lineForm = v.object({ seq: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) });

type Line = Readonly<Record<string, unknown>> & { readonly seq: number };

/** The messages of a conversation, one a line. While lines are added its name ends in `.part`, so what has its name is whole. */
export interface MessagesFile extends AsyncDisposable {
  /** the number of the last message that is in it; 0: none */
  readonly last: number;
  readonly lines: number;
  add(line: Line): Promise<void>;
  /** All lines are on the disk, and the file gets its name. */
  finish(): Promise<void>;
}

/**
 * Opens the file in a folder of ours, where it goes on behind the last whole line.
 * @throws Problem conflict FILE_EXISTS for something that is no such file; invalid OUTPUT_UNWRITABLE
 */
export async function openMessages(folder: string): Promise<MessagesFile> {
  const path = join(folder, fileName);
  const part = `${path}.part`;
  try {
    const [isWhole, isPart] = [await isThere(path), await isThere(part)];
    // Nobody but another program can have made both.
    if (isWhole && isPart) throw alreadyThere(part);
    const flags = isWhole || isPart ? O_RDWR | O_NOFOLLOW : O_RDWR | O_CREAT | O_EXCL;
    const file = await open(isWhole ? path : part, flags, 0o600);
    try {
      const end = await endOf(file, path);
      // A killed process leaves a line that it did not finish, but none in a file that is whole.
      if (isWhole && end.bytes !== (await file.stat()).size) throw changedFile(path);
      if (isWhole) await rename(path, part);
      else await file.truncate(end.bytes);
      return messagesIn(file, end, { path, part });
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

function messagesIn(
  file: FileHandle,
  { bytes, last: lastBefore, lines: linesBefore }: End,
  { path, part }: { readonly path: string; readonly part: string },
): MessagesFile {
  let at = bytes;
  let last = lastBefore;
  let lines = linesBefore;
  return {
    get last() {
      return last;
    },
    get lines() {
      return lines;
    },
    async add(line) {
      const text = Buffer.from(`${JSON.stringify(line)}\n`);
      try {
        for (let done = 0; done < text.length;)
          done += (await file.write(text, done, text.length - done, at + done)).bytesWritten;
      } catch (error) {
        throw unwritable(path, error);
      }
      at += text.length;
      last = line.seq;
      lines += 1;
    },
    async finish() {
      try {
        await file.datasync();
        if (await isThere(path)) throw alreadyThere(path);
        await rename(part, path);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    [Symbol.asyncDispose]: async () => await file.close(),
  };
}

async function isThere(path: string): Promise<boolean> {
  const found = await lstat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined && !found.isFile()) throw alreadyThere(path);
  return found !== undefined;
}

interface End {
  /** up to the end of the last whole line */
  readonly bytes: number;
  readonly last: number;
  readonly lines: number;
}

async function endOf(file: FileHandle, path: string): Promise<End> {
  const piece = Buffer.alloc(PIECE);
  const ends = [0];
  let lines = 0;
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) break;
    for (let found = piece.indexOf(LF); found !== -1 && found < bytesRead; found = piece.indexOf(LF, found + 1)) {
      lines += 1;
      ends.push(at + found + 1);
      if (ends.length > 2) ends.shift();
    }
    at += bytesRead;
  }
  const [start = 0, end = 0] = ends.length === 1 ? [0, 0] : ends;
  if (end === 0) return { bytes: 0, last: 0, lines: 0 };
  const line = Buffer.alloc(end - start);
  await file.read(line, 0, line.length, start);
  return { bytes: end, last: seqIn(line, path), lines };
}

function seqIn(line: Buffer, path: string): number {
  try {
    const read = v.safeParse(lineForm, JSON.parse(line.toString('utf8')));
    if (read.success) return read.output.seq;
  } catch {
    // Said below.
  }
  throw changedFile(path);
}

function changedFile(path: string): Problem {
  const message = `${path} was changed by another program, so nothing is added to it. Export into a new folder with --to.`;
  return new Problem('conflict', 'FILE_EXISTS', message);
}
