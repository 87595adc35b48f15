import type { Client } from '../../client/client.ts';
import { Problem } from '../../problem.ts';
import { openCanvas, type Canvas } from './canvas.ts';
import { loadMeasure, type Measure } from './display-width.ts';
import { openKeyboard, type Keyboard } from './keyboard.ts';
import { Cancelled, WentBack } from './prompts.ts';
import type { Unmeasured } from './screen.ts';
import type { Terminal } from './terminal.ts';

/** Somebody at a terminal, who sees one screen and acts by single keys. */
export interface FullScreen {
  readonly terminal: Terminal;
  readonly measure: Measure;
  readonly keyboard: Keyboard;
  readonly canvas: Canvas;
  /** Runs work with a connection of its own. A store that is opened in this process is closed while the person reads. */
  readonly use: <T>(work: (client: Client) => Promise<T>) => Promise<T>;
  /** times as the person has them */
  readonly screen: () => Promise<Unmeasured>;
}

/** Takes the terminal for a while, and gives it back whatever happens. */
export async function withFullScreen<T>(
  terminal: Terminal,
  { connect, screen }: { readonly connect: () => Promise<Client>; readonly screen: () => Promise<Unmeasured> },
  work: (screen: FullScreen) => Promise<T>,
): Promise<T> {
  const measure = await loadMeasure();
  const keyboard = openKeyboard(terminal);
  using canvas = openCanvas(terminal, measure);
  const use: FullScreen['use'] = async (task) => {
    await using client = await connect();
    return await task(client);
  };
  try {
    return await work({ terminal, measure, keyboard, canvas, use, screen });
  } finally {
    keyboard.release();
  }
}

/** Lets a question or an editor use the terminal. */
export async function aside<T>(
  { keyboard, canvas }: Pick<FullScreen, 'keyboard' | 'canvas'>,
  talk: () => Promise<T>,
): Promise<T> {
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
