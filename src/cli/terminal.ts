import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

type Input = Readable & { readonly isTTY?: boolean };
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** What a command reads from and writes to: stdout is for the answer, stderr for the talk. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
}

export function processTerminal(): Terminal {
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env };
}

/** Whether somebody is there to answer a question. Questions go to stderr, so that stdout can be piped meanwhile. */
export function isInteractive({ stdin, stderr, env }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && env['TERM'] !== 'dumb';
}

/** Columns; output that isn't a terminal has no width. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? Math.max(20, output.columns ?? 80) : Number.POSITIVE_INFINITY;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

const plain: Paint = (_, text) => text;

/** Colours where a terminal shows them and nobody asked for none (https://no-color.org). */
export function paintFor(output: Output, env: NodeJS.ProcessEnv): Paint {
  const colour = env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return colour ? styleText : plain;
}
