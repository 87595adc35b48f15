import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import type { SentContent, Sink } from '../../client/bodies.ts';
import { Problem } from '../../problem.ts';
import { fileReasons, isFileReason, unreadable } from './file-reasons.ts';
import type { Terminal } from './terminal.ts';

/** What is read, hashed and sent at once, in bytes. */
const PIECE = 64 * 1024;

/**
 * A file, or standard input for `-`, as it is sent. A file is read twice: with its hash the server knows whether what came is what was read.
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

async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: PIECE }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

/**
 * Has a new file written beside its name, which it gets when it is whole and on the disk.
 *
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE, and what the writing throws
 */
export async function writeWhole(path: string, write: (sink: Sink) => Promise<unknown>): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) throw exists(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    let at = 0;
    await write({
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
    });
    await file.datasync();
    await moveNew(temporary, path);
  } catch (error) {
    throw said(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Another file that has come to the name meanwhile stays. Where there are no links of that kind, it is looked at once more. */
async function moveNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (await stat(to).catch(() => undefined)) !== undefined) throw exists(to);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(from, to);
  }
}

function exists(path: string): Problem {
  return new Problem('conflict', 'FILE_EXISTS', `${path} is there already, and is left as it is.`);
}

function said(path: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof Problem || !isFileReason(code)) return cause;
  const message = `${path} cannot be written: ${fileReasons[code]}.`;
  return new Problem('invalid', 'OUTPUT_UNWRITABLE', message, { cause });
}
