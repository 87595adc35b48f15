import type { Client } from '../../../client/client.ts';
import { Problem } from '../../../problem.ts';
import type { Measure } from '../../kit/display-width.ts';
import { Cancelled, WentBack } from '../../kit/prompts.ts';
import type { Screen } from '../../kit/screen.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Canvas } from './canvas.ts';
import type { Keyboard } from './keyboard.ts';

/** Somebody at a terminal who reads mail. */
export interface Reading {
  readonly terminal: Terminal;
  readonly measure: Measure;
  readonly keyboard: Keyboard;
  readonly canvas: Canvas;
  /** Runs work with a connection of its own. A store that is opened in this process is closed while the person reads. */
  readonly use: <T>(work: (client: Client) => Promise<T>) => Promise<T>;
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
  try {
    return await work();
  } catch (error) {
    if (error instanceof WentBack) return '';
    if (error instanceof Cancelled || !(error instanceof Problem)) throw error;
    return error.message;
  }
}
