import type { Terminal } from '../../kit/terminal.ts';

const escape = '\u001b';
const bell = '\u0007';
/** Terminals drop longer sequences than about this many base-64 characters (xterm: 100,000; tmux and others less). */
const longest = 74_994;

/**
 * Asks the terminal itself to take a text into the clipboard of the machine that it runs on (OSC 52), also through tmux and screen.
 *
 * @returns false where no terminal is there, or the text is too long for it
 */
export function setTerminalClipboard({ stdout, stderr, env }: Terminal, text: string): boolean {
  // stdout may hold the answer.
  const output = stderr.isTTY === true ? stderr : stdout.isTTY === true ? stdout : undefined;
  const encoded = Buffer.from(text).toString('base64');
  if (output === undefined || encoded.length > longest || env['TERM'] === 'dumb') return false;
  output.write(clipboardSequence(encoded, env));
  return true;
}

/** @param encoded base 64 */
export function clipboardSequence(encoded: string, env: NodeJS.ProcessEnv): string {
  const sequence = `${escape}]52;c;${encoded}${bell}`;
  // tmux takes the plain one where set-clipboard is on, and the wrapped one where allow-passthrough is.
  if (env['TMUX']) return `${escape}Ptmux;${sequence.replaceAll(escape, escape + escape)}${escape}\\${sequence}`;
  // screen hands on at most 768 bytes at once.
  if (env['STY'])
    return (sequence.match(/[\s\S]{1,700}/g) ?? []).map((part) => `${escape}P${part}${escape}\\`).join('');
  return sequence;
}
