import { readFile, stat } from 'node:fs/promises';
import { mailLimits } from '../../contract/mail/limits.ts';
import { Problem } from '../../base/problem.ts';
import { unreadable } from '../kit/file-reasons.ts';
import type { Terminal } from '../kit/terminal.ts';

/**
 * A text from a file, or from standard input for `-`.
 *
 * @throws Problem invalid INPUT_UNREADABLE, INPUT_INVALID; tooLarge PAYLOAD_TOO_LARGE
 */
export async function givenText(terminal: Terminal, file: string): Promise<string> {
  const name = file === '-' ? 'Standard input' : file;
  const bytes = file === '-' ? await allOf(terminal) : await contentOf(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('invalid', 'INPUT_INVALID', `${name} is not text in UTF-8. Attach it with --attach.`);
  }
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size > mailLimits.body) throw tooLarge(file);
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

async function allOf({ stdin }: Terminal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > mailLimits.body) throw tooLarge('Standard input');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

function tooLarge(name: string): Problem {
  const message = `${name} is larger than 10 MiB, the limit of a text. Attach it with --attach.`;
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', message);
}
