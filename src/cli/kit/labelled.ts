import { wrapped } from './display-width.ts';
import { escapeForTerminal } from './escape-for-terminal.ts';

/** Lines that begin with a label or a dash, for people to read before they decide. A long one goes on below its own text. */
export function labelled(lines: readonly string[], width: number): string {
  const shown = lines.map(escapeForTerminal).flatMap((line) => belowItself(line, width));
  return `${shown.join('\n')}\n`;
}

function belowItself(line: string, width: number): string[] {
  const indent = /^(?:- |[A-Z][a-z]+ {2,})/.exec(line)?.[0].length ?? 0;
  return wrapped(line.slice(indent), width - indent).map(
    (part, at) => (at === 0 ? line.slice(0, indent) : ' '.repeat(indent)) + part,
  );
}
