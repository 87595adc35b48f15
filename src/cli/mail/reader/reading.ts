import type { Client } from '../../../client/client.ts';
import { Problem } from '../../../problem.ts';
import type { Measure } from '../../kit/display-width.ts';
import { Cancelled, WentBack } from '../../kit/prompts.ts';
import type { Screen } from '../../kit/screen.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Canvas } from './canvas.ts';
import type { Keyboard } from './keyboard.ts';

/** How the last thing is taken back. @returns what to tell the person */
export type Undo = (client: Client) => Promise<string>;

/** Somebody at a terminal who reads mail. */
export interface Reading {
  readonly terminal: Terminal;
  readonly measure: Measure;
  readonly keyboard: Keyboard;
  readonly canvas: Canvas;
  /** Runs work with a connection of its own. A store that is opened in this process is closed while the person reads. */
  readonly use: <T>(work: (client: Client) => Promise<T>) => Promise<T>;
  /** opens a connection that stays; the caller closes it */
  readonly connect: () => Promise<Client>;
  /** what `z` takes back */
  readonly undoing: { last?: Undo | undefined };
  /** times as the person has them */
  readonly screen: () => Promise<Omit<Screen, 'measure'>>;
}

/** Lets a question or an editor use the terminal. */
export async function aside<T>({ keyboard, canvas }: Reading, talk: () => Promise<T>): Promise<T> {
  keyboard.release();
  canvas.leave();
  return await talk();
}

/** Tries something. @returns what to tell the person */
export async function tried(work: () => Promise<string>): Promise<string> {
  const { done, trouble } = await told(async () => ({ done: await work() }));
  return done ?? trouble ?? '';
}

/** Tries something that may be refused. @returns what it answers, or what is wrong; nothing if the person went back */
export async function told(
  work: () => Promise<{ readonly done?: string }>,
): Promise<{ readonly done?: string; readonly trouble?: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WentBack) return {};
    if (error instanceof Cancelled || !(error instanceof Problem)) throw error;
    return { trouble: error.message };
  }
}
