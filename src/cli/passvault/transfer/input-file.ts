import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** @param file a path, or - for standard input. @throws Problem invalid INPUT_UNREADABLE, USAGE if standard input is a terminal */
export async function readTemplate({ stdin }: Terminal, file: string): Promise<string> {
  if (file !== '-') return (await readInputFile(file, Number.POSITIVE_INFINITY)).toString('utf8');
  if (stdin.isTTY === true)
    throw new Problem('invalid', 'USAGE', 'The template is missing. Give it with --in, or on standard input.');
  return (await buffer(stdin)).toString('utf8');
}

/** @param most limit in bytes. @throws Problem invalid INPUT_UNREADABLE, tooLarge INPUT_TOO_LARGE */
export async function readInputFile(file: string, most: number): Promise<Buffer> {
  let size: number;
  try {
    ({ size } = await stat(file));
    if (size <= most) return await readFile(file);
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
  throw new Problem('tooLarge', 'INPUT_TOO_LARGE', `${file} has ${size} bytes. At most ${most} are allowed.`);
}
