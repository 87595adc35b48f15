import { open, rm, stat } from 'node:fs/promises';
import { Problem } from '../../problem.ts';
import { writeWhole } from '../kit/body-files.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { unreadable } from '../kit/file-reasons.ts';
import type { Terminal } from '../kit/terminal.ts';

/**
 * Whether a new file can be made, before anybody is asked for a share: nobody should contribute twice because of a wrong path. It leaves
 * nothing behind, so a command that was killed can be run again as it was.
 *
 * @throws Problem conflict FILE_EXISTS; invalid OUTPUT_UNWRITABLE
 */
export async function assertWritable(out: string): Promise<void> {
  if ((await stat(out).catch(() => undefined)) !== undefined)
    throw new Problem('conflict', 'FILE_EXISTS', `${out} exists already. It was not changed.`);
  const trial = `${out}.part`;
  try {
    await using file = await open(trial, 'a', 0o600);
    if ((await file.stat()).size === 0) await rm(trial);
  } catch (cause) {
    throw new Problem('invalid', 'OUTPUT_UNWRITABLE', unreadable(out, cause), { cause });
  }
}

/**
 * Writes an opened document to a new file for its owner alone, or without one to standard output.
 *
 * @param asText the document is a JSON string, and its text is wanted
 * @returns what to say of it; undefined if the document itself was the answer
 * @throws Problem invalid INPUT_INVALID; as `writeWhole`
 */
export async function writeOpened(
  { stdout }: Terminal,
  content: Uint8Array,
  { out, asText, json }: { readonly out: string | undefined; readonly asText: boolean; readonly json: boolean },
): Promise<{ readonly out: string; readonly size: number } | undefined> {
  const bytes = asText ? textIn(content) : content;
  if (out !== undefined) {
    await writeWhole(out, async (sink) => await sink.write(bytes));
    return { out, size: bytes.length };
  }
  const text = Buffer.from(bytes).toString('utf8');
  const isTerminal = stdout.isTTY === true && !json;
  const shown = isTerminal ? `${escapeLinesForTerminal(text)}\n` : bytes;
  await new Promise<void>((resolve, reject) => stdout.write(shown, (error) => (error ? reject(error) : resolve())));
  return undefined;
}

function textIn(content: Uint8Array): Uint8Array {
  const value: unknown = JSON.parse(Buffer.from(content).toString('utf8'));
  if (typeof value === 'string') return Buffer.from(value);
  throw new Problem('invalid', 'INPUT_INVALID', 'The document is JSON, and no text. Open it without --text.');
}
