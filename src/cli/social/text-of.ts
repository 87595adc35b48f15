import { text } from 'node:stream/consumers';
import { missingInput } from '../kit/missing-input.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/** The text of a post: the argument, or standard input without its last line end. @throws Problem invalid USAGE on a terminal */
export async function textOf(terminal: Terminal, argument: string | undefined): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && isInteractive(terminal))
    throw missingInput({ path: 'text', by: 'TEXT, or - for standard input' });
  return (await text(terminal.stdin)).replace(/\r?\n$/, '');
}
