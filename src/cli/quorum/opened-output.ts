import { open, rm, type FileHandle } from 'node:fs/promises';
import { Problem } from '../../problem.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { unreadable } from '../kit/file-reasons.ts';
import type { Terminal } from '../kit/terminal.ts';

/** Where an opened document goes. What was not written whole is removed at the end. */
export interface OpenedOutput extends AsyncDisposable {
  /** @returns what to say of it; undefined if the document itself was the answer */
  write(content: Uint8Array, json: boolean): Promise<{ readonly out: string; readonly size: number } | undefined>;
}

/**
 * Makes the file before anybody is asked for a share, since nobody should contribute twice because of a wrong path.
 *
 * @param out a new file, for its owner alone; standard output without it
 * @param asText the document is a JSON string, and its text is wanted
 * @throws Problem conflict FILE_EXISTS; invalid OUTPUT_UNWRITABLE, and INPUT_INVALID when it is written
 */
export async function openOutput(
  { stdout }: Terminal,
  out: string | undefined,
  asText: boolean,
): Promise<OpenedOutput> {
  const file = out === undefined ? undefined : await created(out);
  let whole = false;
  return {
    async write(content, json) {
      const bytes = asText ? textIn(content) : content;
      if (file === undefined || out === undefined) {
        const text = Buffer.from(bytes).toString('utf8');
        const isTerminal = stdout.isTTY === true && !json;
        const shown = isTerminal ? `${escapeLinesForTerminal(text)}\n` : bytes;
        await new Promise<void>((resolve, reject) =>
          stdout.write(shown, (error) => (error ? reject(error) : resolve())),
        );
        return undefined;
      }
      await file.writeFile(bytes);
      await file.sync();
      whole = true;
      return { out, size: bytes.length };
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
      if (out !== undefined && !whole) await rm(out, { force: true });
    },
  };
}

async function created(out: string): Promise<FileHandle> {
  try {
    return await open(out, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Problem('conflict', 'FILE_EXISTS', `${out} exists already. It was not changed.`);
    throw new Problem('invalid', 'OUTPUT_UNWRITABLE', unreadable(out, cause), { cause });
  }
}

function textIn(content: Uint8Array): Uint8Array {
  const value: unknown = JSON.parse(Buffer.from(content).toString('utf8'));
  if (typeof value === 'string') return Buffer.from(value);
  throw new Problem('invalid', 'INPUT_INVALID', 'The document is JSON, and no text. Open it without --text.');
}
