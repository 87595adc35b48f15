import type { Readable, Writable } from 'node:stream';

type Input = Readable & { readonly isTTY?: boolean };
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** The streams of a command: stdout is for the answer, stderr for messages and questions. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** the controlling terminal, if the streams are pipes */
  readonly behindPipes?: () => Promise<(Terminal & AsyncDisposable) | undefined>;
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const behindPipes = async () => (await import('./controlling-terminal.ts')).openControllingTerminal(env);
  return {
    // A getter: Node creates stdin on first use, and most commands do not need it.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    env,
    behindPipes,
  };
}

/** Whether a person can answer a question. Questions go to stderr, so stdout may be a pipe. */
export function isInteractive(terminal: Terminal): boolean {
  const { stderr, env } = terminal;
  return stderr.isTTY === true && env['TERM'] !== 'dumb' && terminal.stdin.isTTY === true;
}

/** Whether a person can work on a full screen. Whoever sends stdout to a file or a program wants the answer there. */
export function hasFullScreen(terminal: Terminal): boolean {
  return isInteractive(terminal) && terminal.stdout.isTTY === true;
}

/** The width in columns. Output that is not a terminal has no width. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? Math.max(20, output.columns ?? 80) : Number.POSITIVE_INFINITY;
}

/** ECMA-48 Select Graphic Rendition: the codes that turn a style on and off. */
const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39] } as const;

export type Paint = (style: keyof typeof styles, text: string) => string;

const plain: Paint = (_, text) => text;
const coloured: Paint = (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`;

/** Colours, if the output is a terminal and the user has not disabled them (https://no-color.org). */
export function paintFor(output: Output, env: NodeJS.ProcessEnv): Paint {
  return hasColours(output, env) ? coloured : plain;
}

function hasColours(output: Output, env: NodeJS.ProcessEnv): boolean {
  return env['FORCE_COLOR']
    ? env['FORCE_COLOR'] !== '0'
    : output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** How many colours an output has: none, the 256 of xterm, or all of 24 bits. */
export type Palette = 'none' | '256' | 'all';

/** Terminals with all colours say so in COLORTERM, because the entries of terminfo don't. */
export function paletteOf(output: Output, env: NodeJS.ProcessEnv): Palette {
  if (!hasColours(output, env)) return 'none';
  return /^(?:truecolor|24bit)$/.test(env['COLORTERM'] ?? '') || env['FORCE_COLOR'] === '3' ? 'all' : '256';
}
