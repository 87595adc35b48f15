import { Problem } from '../../base/problem.ts';
import { writeWhole } from '../kit/body-files.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import type { Terminal } from '../kit/terminal.ts';

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
