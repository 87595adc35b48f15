import { Problem } from '../../../base/problem.ts';
import { startProgram } from '../../kit/start-program.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** A program that reads and writes the clipboard of a desktop. Texts are passed by pipes, never as arguments. */
export interface ClipboardTool {
  readonly name: string;
  readonly copy: readonly string[];
  readonly paste: readonly string[];
  readonly clear: readonly string[];
}

const wayland: ClipboardTool = {
  name: 'wl-copy',
  copy: ['wl-copy', '--type', 'text/plain'],
  paste: ['wl-paste', '--no-newline'],
  clear: ['wl-copy', '--clear'],
};
const xclip: ClipboardTool = {
  name: 'xclip',
  copy: ['xclip', '-selection', 'clipboard', '-in'],
  paste: ['xclip', '-selection', 'clipboard', '-out'],
  clear: ['xclip', '-selection', 'clipboard', '-in'],
};
const xsel: ClipboardTool = {
  name: 'xsel',
  copy: ['xsel', '--clipboard', '--input'],
  paste: ['xsel', '--clipboard', '--output'],
  clear: ['xsel', '--clipboard', '--clear'],
};
const mac: ClipboardTool = { name: 'pbcopy', copy: ['pbcopy'], paste: ['pbpaste'], clear: ['pbcopy'] };
const windows: ClipboardTool = {
  name: 'clip.exe',
  copy: ['clip.exe'],
  paste: ['powershell.exe', '-NoProfile', '-Command', 'Get-Clipboard -Raw'],
  clear: ['clip.exe'],
};

/** Programs for the clipboard of the person's machine, the likeliest first. Over SSH, that clipboard is not on this machine. */
export function clipboardTools(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): ClipboardTool[] {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return [];
  if (platform === 'darwin') return [mac];
  if (platform === 'win32') return [windows];
  return [
    ...(env['WAYLAND_DISPLAY'] ? [wayland] : []),
    ...(env['DISPLAY'] ? [xclip, xsel] : []),
    ...(env['WSL_DISTRO_NAME'] || env['WSL_INTEROP'] ? [windows] : []),
  ];
}

export function clipboardTool(name: string): ClipboardTool | undefined {
  return [wayland, xclip, xsel, mac, windows].find((tool) => tool.name === name);
}

/** Milliseconds that a clipboard program may take. A program that waits for a missing display never ends. */
const patienceMs = 5_000;

/**
 * Puts a text into the clipboard.
 *
 * @returns the program that took the text; undefined if the text went to the terminal, which cannot be asked for it later
 * @throws Problem unavailable CLIPBOARD_UNAVAILABLE
 */
export async function copyText(
  terminal: Terminal,
  text: string,
  platform: NodeJS.Platform = process.platform,
): Promise<ClipboardTool | undefined> {
  const tools = clipboardTools(terminal.env, platform);
  for (const tool of tools) {
    if (await feed(tool.copy, text, terminal.env)) return tool;
  }
  if (setTerminalClipboard(terminal, text)) return undefined;
  const names = tools.map(({ name }) => name).join(', ') || 'wl-copy, xclip, xsel, pbcopy, clip.exe';
  const message = `There is no clipboard: none of ${names} works, and there is no terminal.`;
  throw new Problem('unavailable', 'CLIPBOARD_UNAVAILABLE', message);
}

/** @returns undefined if nothing can be read, for example because the clipboard is empty or holds a picture */
export async function pasteText(tool: ClipboardTool, env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  return await run(tool.paste, undefined, env);
}

export async function clearClipboard(tool: ClipboardTool, env: NodeJS.ProcessEnv): Promise<void> {
  await feed(tool.clear, '', env);
}

async function feed(command: readonly string[], text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await run(command, text, env)) !== undefined;
}

/** Writes to a program, or reads its output. @returns undefined if the program is missing or fails */
async function run([command = '', ...args]: readonly string[], input: string | undefined, env: NodeJS.ProcessEnv) {
  return await new Promise<Buffer | undefined>((resolve) => {
    // xclip keeps running in the background, so a pipe from it would never end.
    const output = input === undefined ? 'pipe' : 'ignore';
    const child = startProgram(command, args, { env, stdio: ['pipe', output, 'ignore'], timeout: patienceMs });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', () => resolve(undefined));
    child.once(input === undefined ? 'close' : 'exit', (code) =>
      resolve(code === 0 ? Buffer.concat(chunks) : undefined),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

const escape = '\u001b';
const bell = '\u0007';
/** Terminals drop sequences with more base-64 characters than about this number (xterm: 100,000; tmux and others fewer). */
const longest = 74_994;

/**
 * Asks the terminal (OSC 52) to put a text into the clipboard of its own machine. This also works through tmux and screen.
 *
 * @returns false if there is no terminal, or the text is too long
 */
function setTerminalClipboard({ stdout, stderr, env }: Terminal, text: string): boolean {
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
  // tmux accepts the plain sequence if set-clipboard is on, and the wrapped sequence if allow-passthrough is on.
  if (env['TMUX']) return `${escape}Ptmux;${sequence.replaceAll(escape, escape + escape)}${escape}\\${sequence}`;
  // screen forwards at most 768 bytes at a time.
  if (env['STY'])
    return (sequence.match(/[\s\S]{1,700}/g) ?? []).map((part) => `${escape}P${part}${escape}\\`).join('');
  return sequence;
}
