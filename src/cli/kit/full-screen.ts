import type { Client } from '../../client/client.ts';
import { Problem } from '../../base/problem.ts';
import { linesWithin, openCanvas, type Canvas } from './canvas.ts';
import { loadMeasure, type Measure } from './display-width.ts';
import { escapeForTerminal } from './escape-for-terminal.ts';
import { openKeyboard, type Keyboard } from './keyboard.ts';
import { oneKey } from './one-key.ts';
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

interface Needs {
  readonly connect: () => Promise<Client>;
  readonly screen: () => Promise<Unmeasured>;
  /** whether text is written on the screen, see `openKeyboard` */
  readonly forText?: boolean;
}

/** Takes the terminal for a while, and gives it back whatever happens. */
export async function withFullScreen<T>(
  terminal: Terminal,
  { connect, screen, forText = false }: Needs,
  work: (screen: FullScreen) => Promise<T>,
): Promise<T> {
  const measure = await loadMeasure();
  const keyboard = openKeyboard(terminal, forText);
  using canvas = openCanvas(terminal, measure);
  using _ = restoringAtSignals(() => {
    keyboard.release();
    canvas[Symbol.dispose]();
  });
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

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A process that a signal ends has no event `exit`. So the terminal is given back, and then the signal does what it does. */
function restoringAtSignals(restore: () => void): Disposable {
  const stop = (): void => {
    for (const signal of ending) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // Ctrl-C in an editor that runs on top is for the editor.
    if (signal === 'SIGINT' && process.listenerCount(signal) > 1) return;
    stop();
    restore();
    process.kill(process.pid, signal);
  };
  for (const signal of ending) process.on(signal, onSignal);
  return { [Symbol.dispose]: stop };
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
async function told(
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

/**
 * Asks by single keys what to do, until one of them ends it. What the server refuses can be tried again.
 * @param act answers what to tell the person at the end
 */
export async function untilDone<Key extends string>(
  { terminal }: Pick<FullScreen, 'terminal'>,
  message: string,
  keys: Readonly<Record<Key, string>>,
  act: (key: Key) => Promise<string | undefined>,
): Promise<string> {
  for (;;) {
    const key = await oneKey(terminal, message, keys);
    const { done, trouble } = await told(async () => {
      const end = await act(key);
      return end === undefined ? {} : { done: end };
    });
    if (done !== undefined) return done;
    if (trouble !== undefined) terminal.stderr.write(`${escapeForTerminal(trouble)}\n`);
  }
}

/** Shows what keys do until one is pressed. */
export async function showKeys(
  { canvas, keyboard, measure }: Pick<FullScreen, 'canvas' | 'keyboard' | 'measure'>,
  title: string,
  keys: readonly (readonly [key: string, does: string])[],
): Promise<void> {
  const width = Math.max(...keys.map(([key]) => key.length)) + 2;
  const lines = keys.flatMap(([key, does]) =>
    linesWithin(does, Math.max(width, canvas.width() - width), measure).map(
      (line, at) => (at === 0 ? key : '').padEnd(width) + line,
    ),
  );
  canvas.draw(title, lines, '', 'any key goes back');
  await keyboard.next();
}
