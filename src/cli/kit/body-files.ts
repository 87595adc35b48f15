import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import type { DownloadOptions, SentContent, Sink } from '../../client/bodies.ts';
import { Problem } from '../../base/problem.ts';
import { fileReasons, isFileReason, unreadable } from './file-reasons.ts';
import { openPart } from './kept-part.ts';
import type { Terminal } from './terminal.ts';

/** Bytes that are read, hashed and sent at a time. */
const PIECE = 64 * 1024;

/**
 * A file, or standard input for `-`, as content to send. A file is read twice, because its hash is sent first. The hash lets the server
 * check that it received the same bytes.
 *
 * @throws Problem invalid INPUT_UNREADABLE
 */
export async function contentOfFile({ stdin }: Terminal, file: string, type: string): Promise<SentContent> {
  if (file === '-') return { type, pieces: () => stdin as AsyncIterable<Uint8Array> };
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of piecesOf(file)) {
    hash.update(piece);
    size += piece.length;
  }
  return { type, size, digests: { 'sha-256': hash.digest('base64') }, pieces: () => piecesOf(file) };
}

/** The bytes of a file that will be sent. @throws Problem invalid INPUT_UNREADABLE, also for a folder */
export async function sizeOfFile(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    return found.size;
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: PIECE }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

/**
 * Writes a new file under a temporary name in the same folder. The file gets its real name when it is complete and on the disk.
 *
 * @param options `replace`: another file that has the name is replaced then
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE, and any error of `write`
 */
export async function writeWhole(
  path: string,
  write: (sink: Sink) => Promise<unknown>,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  if (!replace && (await stat(path).catch(() => undefined)) !== undefined) throw alreadyThere(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    await write(sinkInto(file, 0));
    await file.datasync();
    await (replace ? rename(temporary, path) : moveNew(temporary, path));
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Whether `writeWhole` can make this file, for who would rather not find out at the end. It leaves nothing behind.
 *
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE
 */
export async function assertWritable(path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) throw alreadyThere(path);
  const trial = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await (await open(trial, 'wx', 0o600)).close();
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await rm(trial, { force: true });
  }
}

/**
 * As `writeWhole`, for a download that a later run of the same command can continue after an interruption. The received part stays in the
 * same folder.
 *
 * @param what the request and its server
 * @throws Problem as `writeWhole`
 */
export async function writeInRuns(
  path: string,
  what: unknown,
  write: (sink: Sink, options: Pick<DownloadOptions, 'kept' | 'onBegin'>) => Promise<unknown>,
): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) throw alreadyThere(path);
  try {
    const part = await openPart(path, what);
    await using file = part.file;
    try {
      await write(sinkInto(file, part.kept?.done ?? 0), {
        kept: part.kept,
        onBegin: async (content) => await part.begin(content),
      });
      await file.datasync();
      await moveNew(part.path, path);
      await part.remove();
    } catch (error) {
      if (part.staysUseful && isPassing(error)) throw goesOnLater(error);
      await part.remove();
      throw error;
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Whether the rest can be requested later. It cannot if the content is gone, or if the content is complete but different. */
function isPassing(error: unknown): error is Problem {
  if (!(error instanceof Problem) || error.code === 'DIGEST_MISMATCH') return false;
  return ['network', 'unavailable', 'tooMany', 'unauthenticated', 'internal'].includes(error.kind);
}

function goesOnLater({ kind, code, message, fields, retryAfterSeconds }: Problem): Problem {
  const kept = `${message} The received part is kept. Run the same command again to continue.`;
  return new Problem(kind, code, kept, { fields, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

export function sinkInto(file: FileHandle, from: number): Sink {
  let at = from;
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    },
    async restart() {
      await file.truncate();
      at = 0;
    },
  };
}

/** `link` fails if another file got the name in the meantime. File systems without hard links need a second check instead. */
export async function moveNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (await stat(to).catch(() => undefined)) !== undefined) throw alreadyThere(to);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(from, to);
  }
}

export function alreadyThere(path: string): Problem {
  return new Problem('conflict', 'FILE_EXISTS', `${path} exists already. It was not changed.`);
}

/** Says of an error of the file system which file it is about. Other errors stay what they are. */
export function unwritable(path: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof Problem || !isFileReason(code)) return cause;
  const message = `${path} cannot be written: ${fileReasons[code]}.`;
  return new Problem('invalid', 'OUTPUT_UNWRITABLE', message, { cause });
}
