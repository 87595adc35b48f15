import { open, type FileHandle } from 'node:fs/promises';
import { downloadTo } from '../../../client/bodies.ts';
import type { Caller } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import type { Filter } from '../files/line-ends.ts';
import { patiently } from './patience.ts';

/**
 * Writes a message at the end of a file. What was written of it goes away when the download begins again.
 *
 * @param filters made anew for every beginning
 * @returns the number of bytes that the file has then
 */
export async function appendMessage(
  caller: Caller,
  id: string,
  file: FileHandle,
  from: number,
  filters: () => readonly Filter[],
): Promise<number> {
  let at = from;
  let current = filters();
  const put = async (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at);
      done += bytesWritten;
      at += bytesWritten;
    }
  };
  const through = (bytes: Uint8Array, first: number) =>
    current.slice(first).reduce((so, filter) => filter.push(so), bytes);
  const restart = async () => {
    await file.truncate(from);
    at = from;
    current = filters();
  };
  await patiently(async () => {
    await restart();
    const write = async (bytes: Uint8Array) => await put(through(bytes, 0));
    await downloadTo(caller, mail.showRaw, { messageId: id }, { write, restart });
  });
  for (const [index, filter] of current.entries()) await put(through(filter.end(), index + 1));
  return at;
}

/** Writes a message as a new file that is on the disk afterwards. Only this user can read it. */
export async function writeMessage(
  caller: Caller,
  id: string,
  path: string,
  filters: () => readonly Filter[],
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await appendMessage(caller, id, file, 0, filters);
  await file.sync();
}
