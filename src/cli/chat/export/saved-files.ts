import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sink } from '../../../client/bodies.ts';
import { Problem } from '../../../base/problem.ts';
import { moveNew, sinkInto, unwritable } from '../../kit/body-files.ts';
import { unfinished } from './own-files.ts';

/** In the folder of a conversation that has files. */
const filesName = 'attachments';

/** Removes what a killed process was writing. @param folder of a conversation */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const place of [folder, join(folder, filesName)])
    for (const name of await readdir(place).catch(() => []))
      if (unfinished.test(name)) await rm(join(place, name), { force: true });
}

/**
 * Writes a file under a name in the folder of files, or under that name with a number where another file has it. The same file, which an
 * earlier run has written, stays as it is.
 * @param name a safe one
 * @returns its path in the folder of the conversation, with slashes
 * @throws Problem invalid OUTPUT_UNWRITABLE, and any error of `write`
 */
export async function saveFile(folder: string, name: string, write: (sink: Sink) => Promise<unknown>): Promise<string> {
  const files = join(folder, filesName);
  const temporary = join(files, `${randomBytes(6).toString('hex')}.${randomBytes(6).toString('hex')}.part`);
  try {
    await mkdir(files, { recursive: true, mode: 0o700 });
    {
      await using file = await open(temporary, 'wx', 0o600);
      await write(sinkInto(file, 0));
      await file.datasync();
    }
    return `${filesName}/${await named(temporary, files, name)}`;
  } catch (error) {
    throw unwritable(join(files, name), error);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function named(temporary: string, files: string, name: string): Promise<string> {
  const [, base = name, extension = ''] = /^(.+?)(\.[A-Za-z0-9]{1,10})?$/.exec(name) ?? [];
  for (let free = name, number = 2; ; free = `${base}-${number}${extension}`, number += 1) {
    const path = join(files, free);
    try {
      await moveNew(temporary, path);
      return free;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'FILE_EXISTS')) throw error;
      if (await isSame(temporary, path)) return free;
    }
  }
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [mine, theirs] = [await lstat(one), await lstat(other).catch(() => undefined)];
  if (theirs?.isFile() !== true || theirs.size !== mine.size) return false;
  const pieces = (createReadStream(other) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let left = Buffer.alloc(0);
  for await (const piece of createReadStream(one) as AsyncIterable<Buffer>) {
    while (left.length < piece.length) {
      const next = await pieces.next();
      if (next.done === true) return false;
      left = Buffer.concat([left, next.value]);
    }
    if (!left.subarray(0, piece.length).equals(piece)) return false;
    left = left.subarray(piece.length);
  }
  return true;
}
