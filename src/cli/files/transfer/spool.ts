import { randomBytes } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { unwritable } from '../../kit/body-files.ts';
import type { Content } from './outgoing.ts';

export interface Spooled extends AsyncDisposable {
  readonly content: Content;
}

/**
 * Keeps a stream until it can be sent, because an upload begins with its size. The file is nobody else's, and it loses its name before the
 * first byte is in it: so nothing stays of it, however this process ends.
 *
 * @throws Problem invalid INPUT_INVALID if there is nothing in it, OUTPUT_UNWRITABLE
 */
export async function spool(
  input: AsyncIterable<Uint8Array | string>,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<Spooled> {
  const folder = env['TMPDIR'] || tmpdir();
  const path = join(folder, `conclave-${randomBytes(12).toString('hex')}`);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx+', 0o600);
    // Where an open file can't lose its name, it is removed at the end.
    await rm(path).catch(() => undefined);
    let size = 0;
    for await (const piece of input) {
      signal?.throwIfAborted();
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let done = 0; done < bytes.length;)
        done += (await file.write(bytes, done, bytes.length - done, size + done)).bytesWritten;
      size += bytes.length;
    }
    if (size === 0)
      throw new Problem('invalid', 'INPUT_INVALID', 'Standard input is empty, and a file has at least one byte.');
    const handle = file;
    return {
      content: {
        label: '-',
        size,
        modifiedAt: Date.now(),
        changedAt: Date.now(),
        rereads: true,
        pieces: (start, end) => piecesIn(handle, start, end),
        assertUnchanged: async () => {},
      },
      async [Symbol.asyncDispose]() {
        await handle.close();
        await rm(path, { force: true });
      },
    };
  } catch (error) {
    await file?.close();
    await rm(path, { force: true });
    throw unwritable(path, error);
  }
}

async function* piecesIn(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const buffer = Buffer.alloc(Math.min(256 * 1024, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
