import { Problem } from '../../../problem.ts';
import { startProgram } from '../../kit/start-program.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** A program that has the clipboard of a desktop. Texts go to it and come from it by pipes, never as arguments. */
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

/** The programs that can have the clipboard of whoever sits in front of this, the likeliest first. Over SSH it isn't this machine's. */
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

/** How long a program for the clipboard may take; one that waits for a display that isn't there never ends. */
const patienceMs = 5_000;

/**
 * Puts a text into the clipboard.
 *
 * @returns the program that took it; undefined where it went to the terminal, which can't be asked later what it holds
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

/** @returns undefined where nothing can be read, as where the clipboard is empty or holds a picture */
export async function pasteText(tool: ClipboardTool, env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  return await run(tool.paste, undefined, env);
}

export async function clearClipboard(tool: ClipboardTool, env: NodeJS.ProcessEnv): Promise<void> {
  await feed(tool.clear, '', env);
}

async function feed(command: readonly string[], text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await run(command, text, env)) !== undefined;
}

/** Feeds a program, or reads what it says. @returns undefined where it isn't there or fails */
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
/** Terminals drop longer sequences than about this many base-64 characters (xterm: 100,000; tmux and others less). */
const longest = 74_994;

/**
 * Asks the terminal itself to take a text into the clipboard of the machine that it runs on (OSC 52), also through tmux and screen.
 *
 * @returns false where no terminal is there, or the text is too long for it
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
  // tmux takes the plain one where set-clipboard is on, and the wrapped one where allow-passthrough is.
  if (env['TMUX']) return `${escape}Ptmux;${sequence.replaceAll(escape, escape + escape)}${escape}\\${sequence}`;
  // screen hands on at most 768 bytes at once.
  if (env['STY'])
    return (sequence.match(/[\s\S]{1,700}/g) ?? []).map((part) => `${escape}P${part}${escape}\\`).join('');
  return sequence;
}
