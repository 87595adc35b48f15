import { text } from 'node:stream/consumers';
import { Problem } from '../../base/problem.ts';
import { readInput } from './call-input.ts';
import { missingInput } from './missing-input.ts';
import { isInteractive, type Terminal } from './terminal.ts';

/**
 * A text that somebody writes: the argument, a file, or standard input, without the last line end of these.
 *
 * @throws Problem invalid INPUT_MISSING on a terminal, INPUT_UNREADABLE, and USAGE for both an argument and a file
 */
export async function textOf(terminal: Terminal, argument: string | undefined, file?: string): Promise<string> {
  if (file !== undefined) {
    if (argument !== undefined) throw new Problem('invalid', 'USAGE', 'Give either a text or --file.');
    return withoutEnd(await readInput(terminal, file, '--file'));
  }
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && isInteractive(terminal))
    throw missingInput({ path: 'text', by: 'TEXT, or - for standard input' });
  return withoutEnd(await text(terminal.stdin));
}

function withoutEnd(read: string): string {
  return read.replace(/\r?\n$/, '');
}
