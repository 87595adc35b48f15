import { createHash } from 'node:crypto';
import { lstat, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { moveNew, unwritable } from '../../kit/body-files.ts';
import { openPartFile, type PartFile } from './part-file.ts';
import type { Patience } from './patience.ts';
import type { Moved, Slots } from './slots.ts';
import { piecesOf, type Range, type Source } from './source.ts';

export interface Receiving extends Patience {
  readonly slots: Slots;
  readonly moved: Moved;
}

export interface Incoming {
  readonly source: Source;
  readonly path: string;
  /** milliseconds since 1970 */
  readonly modifiedAt: number;
  /** the name while it arrives, without its ending; that of the file unless said otherwise */
  readonly partName?: string;
  /** called when all bytes are in the part file. @returns whether another file of this name may be replaced @throws instead of giving it its name */
  readonly mayReplace: (part: string) => Promise<boolean>;
}

/** Names in the last place of an ordinary file system are up to 255 bytes, and an ending follows. */
const LONGEST_PART = 200;

/**
 * Receives a file in ranges side by side, each written in its place of a part file. The file gets its name and its time when all of it is
 * on the disk. A later run goes on with the ranges that are there.
 *
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE, and those of the source
 */
export async function receiveFile(receiving: Receiving, incoming: Incoming): Promise<void> {
  const { source, path, partName } = incoming;
  const own = basename(path);
  const short = Buffer.byteLength(own) > LONGEST_PART ? createHash('sha256').update(own).digest('hex') : own;
  try {
    await using part = await openPartFile(join(dirname(path), `${partName ?? short}.part`), source.tag, source.size);
    const missing = part.missing.reduce((sum, { start, end }) => sum + end - start, 0);
    receiving.moved(source.size - missing, true);
    try {
      await receiveRanges(receiving, source, part);
      await finish(part, incoming);
    } catch (error) {
      if (!staysUseful(error) || part.missing.length === 1) await part.remove();
      throw error;
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function receiveRanges({ slots, moved, ...patience }: Receiving, source: Source, part: PartFile): Promise<void> {
  let failed = false;
  const receiveRange = async (range: Range): Promise<void> => {
    const hash = createHash('sha256');
    let at = range.start;
    for await (const piece of piecesOf(source, range, patience)) {
      await writeAt(part, piece, at);
      at += piece.length;
      hash.update(piece);
      moved(piece.length);
    }
    await part.done(range, hash.digest('hex'));
  };
  const all = part.missing.map((range) =>
    slots.run(async () => {
      patience.signal?.throwIfAborted();
      if (failed) return;
      await receiveRange(range).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }),
  );
  for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason;
}

async function writeAt({ file }: PartFile, piece: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < piece.length;) {
    const { bytesWritten } = await file.write(piece, done, piece.length - done, at + done);
    done += bytesWritten;
  }
}

async function finish(part: PartFile, { source, path, modifiedAt, mayReplace }: Incoming): Promise<void> {
  const { size } = await part.file.stat();
  if (size !== source.size)
    throw new Problem('network', 'VERIFY_FAILED', `${path} has ${size} bytes and should have ${source.size}.`);
  await part.file.utimes(secondsOf(modifiedAt), secondsOf(modifiedAt));
  await part.file.sync();
  const replaces = await mayReplace(part.path);
  if (replaces && (await stat(path).catch(() => undefined))?.isDirectory() !== true) await rename(part.path, path);
  else await moveNew(part.path, path);
  await part.remove();
}

/** The system cuts what is finer than a microsecond: half of one more keeps the millisecond whole. */
function secondsOf(milliseconds: number): number {
  return milliseconds / 1_000 + 5e-7;
}

/** Whether what is there of a file helps a later run. */
function staysUseful(error: unknown): boolean {
  if (!(error instanceof Problem)) return true;
  return ['network', 'unavailable', 'tooMany', 'unauthenticated', 'internal'].includes(error.kind);
}

/** Whether a file of this machine has the size and the time of one at the server. A link is no file. */
export async function isThere(path: string, size: number, modifiedAt: number): Promise<boolean | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isFile() && found.size === size && Math.floor(found.mtimeMs) === modifiedAt;
}
