import { wrapped } from './display-width.ts';

/** Breaks lines between words, so that a terminal does not break them inside of one. A longer word stays whole. */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

/** Where a message ends with a command, or goes on behind it with another sentence. */
const commandIn = /(?<=:[ \n])conclave .*?(?=\. [A-Z]|$)/gm;

/** The same for what a command says, in which a command to copy stays on one line. @param text without control characters */
export function wrapSaid(text: string, columns: number): string {
  const whole = text.replaceAll(commandIn, (command) => command.replaceAll(' ', '\0'));
  return wrapWords(whole, columns).replaceAll('\0', ' ');
}

/** A line that begins with spaces is a part of what stands above, and so is what it is broken into. */
function wrapLine(line: string, columns: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return wrapped(line.slice(indent.length), columns - indent.length).map((part) => indent + part);
}
