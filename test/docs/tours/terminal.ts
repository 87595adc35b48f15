import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { slowly } from '../../support/real-time.ts';

/** It draws a terminal as people see it, and tells what stands on it. */
export const hasTmux = (await execa('tmux', ['-V'], { reject: false })).exitCode === 0;

/** Somebody's terminal of 80×24 with a shell. */
export interface Person extends AsyncDisposable {
  /**
   * Types a line, and what is asked then.
   * @returns what stands there afterwards, with what was typed
   */
  type(line: string, answers?: Answers): Promise<Screen>;
  /** Types a line whose command goes on, and waits until it shows something. */
  begin(line: string, until: string): Promise<Screen>;
  /** Presses a key, as tmux names it. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits until the command that was begun shows something. */
  shows(text: string | RegExp): Promise<Screen>;
  /** Waits until the command that was begun has ended. */
  ends(): Promise<Screen>;
}

export interface Screen {
  readonly text: string;
  readonly exitCode: number | undefined;
}

/** What is asked, in its order, and what is typed then: a line, or keys as tmux names them. */
export type Answers = readonly (readonly [question: string, answer: string | readonly string[]])[];

/** Longer than anything in a guide takes on a busy machine. */
const PATIENCE_MS = 100_000;
const LOOK_MS = 100;

/** @param place a folder for what the terminal itself needs @param home where it begins @param env all variables that the shell gets */
export async function openTerminal(
  place: string,
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<Person> {
  const socket = join(place, 'tmux');
  const codes = join(place, 'codes');
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (
      await execa('tmux', ['-u', '-S', socket, ...words], {
        env: { LC_ALL: 'C.UTF-8', TMUX: '' },
        stripFinalNewline: false,
      })
    ).stdout;
  const settings = join(place, 'tmux.conf');
  await writeFile(settings, 'set -g history-limit 5000\nset -g status off\nset -g escape-time 0\n');
  await writeFile(codes, '');
  const shell = {
    ...env,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    PAGER: 'cat',
    PS1: '$ ',
    // Before each prompt the shell notes how the command ended.
    PROMPT_COMMAND: `echo $? >> ${codes}`,
    HISTFILE: '',
  };
  const variables = Object.entries(shell).map(([name, value]) => `${name}=${value}`);
  const start = ['new-session', '-d', '-x', '80', '-y', '24', '-c', home];
  await tmux('-f', settings, ...start, 'env', '-i', ...variables, 'TERM=screen', 'bash', '--norc', '--noprofile');

  const ended = async (): Promise<string[]> => (await readFile(codes, 'utf8')).split('\n').slice(0, -1);
  const look = async (): Promise<string> => (await tmux('capture-pane', '-p', '-S', '-')).trimEnd();
  const until = async <T>(what: string, ask: () => Promise<T | undefined>): Promise<T> => {
    for (let left = PATIENCE_MS / LOOK_MS; left > 0; left -= 1) {
      const found = await ask();
      if (found !== undefined) return found;
      await slowly(LOOK_MS);
    }
    throw new Error(`${what} did not come within ${PATIENCE_MS} ms. On the terminal is:\n${await look()}`);
  };
  const screen = async (code?: string): Promise<Screen> => ({
    text: (await look()).replace(/\n?\$$/, ''),
    exitCode: code === undefined ? undefined : Number(code),
  });
  let begun = 0;
  const atPrompt = async (): Promise<string> =>
    await until('The prompt of the shell', async () => {
      const all = await ended();
      return all.length > begun && (await look()).endsWith('$') ? (all.at(-1) ?? '') : undefined;
    });
  const press = async (...keys: readonly string[]): Promise<void> => void (await tmux('send-keys', ...keys));
  const clear = async (): Promise<void> => {
    await atPrompt();
    begun = (await ended()).length;
    await press('C-l');
    await until('An empty screen', async () =>
      (await tmux('capture-pane', '-p')).trimEnd() === '$' ? true : undefined,
    );
    await tmux('clear-history');
  };
  const enter = async (line: string): Promise<void> => {
    await clear();
    await tmux('send-keys', '-l', line);
    await press('Enter');
  };
  const shows = async (text: string | RegExp): Promise<Screen> =>
    await until(String(text), async () => {
      const shown = await look();
      return (typeof text === 'string' ? shown.includes(text) : text.test(shown)) ? await screen() : undefined;
    });
  await atPrompt();

  return {
    press,
    shows,
    async type(line, answers = []) {
      await enter(line);
      for (const [question, answer] of answers) {
        await until(question, async () => {
          if ((await ended()).length > begun && (await look()).endsWith('$'))
            throw new Error(`It ended before it asked ${question}:\n${await look()}`);
          return (await look()).includes(question) ? true : undefined;
        });
        if (typeof answer === 'string') {
          await tmux('send-keys', '-l', answer);
          await press('Enter');
        } else await press(...answer);
      }
      return await screen(await atPrompt());
    },
    async begin(line, text) {
      await enter(line);
      return await shows(text);
    },
    async ends() {
      return await screen(await atPrompt());
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server');
    },
  };
}
