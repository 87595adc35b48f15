import { emitKeypressEvents } from 'node:readline';
import { Cancelled } from './prompts.ts';
import type { Terminal } from './terminal.ts';

/** Keys one by one, without Enter. */
export interface Keyboard {
  /**
   * The next key: a character, or the name of a key such as `up`, `return`, `escape` and `ctrl-g`; `resize` if the size of the terminal
   * changed.
   * @throws Cancelled at Ctrl-C, Ctrl-D and the end of the input
   */
  next(): Promise<string>;
  /** what happened elsewhere comes as a key too, unless it waits there already */
  put(key: string): void;
  /** gives the terminal back, for questions and editors; `next` takes it again */
  release(): void;
}

/** An input that may be a terminal's, which gives a line after Enter unless it is raw. */
type Input = Terminal['stdin'] & { readonly setRawMode?: (raw: boolean) => unknown };

/** The key that says that a message came. */
export const ARRIVED = 'arrived';

const ends = new Set(['c', 'd']);

export function openKeyboard({ stdin, stderr }: Terminal): Keyboard {
  const input: Input = stdin;
  const typed: (string | undefined)[] = [];
  let wake = (): void => {};
  let held = false;
  const take = (key: string | undefined): void => {
    typed.push(key);
    wake();
  };
  const onKey = (text: string | undefined, key: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key.ctrl === true) {
      take(ends.has(key.name ?? '') ? undefined : `ctrl-${key.name ?? ''}`);
      return;
    }
    const isCharacter = text !== undefined && /^[^\p{C}\p{Z}]\p{M}*$/u.test(text);
    take(isCharacter ? text : (key.name ?? ''));
  };
  const onEnd = (): void => take(undefined);
  const onResize = (): void => take('resize');
  const hold = (): void => {
    if (held) return;
    held = true;
    emitKeypressEvents(stdin);
    stdin.on('keypress', onKey);
    stdin.once('end', onEnd);
    stderr.on('resize', onResize);
    input.setRawMode?.(true);
    stdin.resume();
  };
  return {
    async next() {
      hold();
      if (typed.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const key = typed.shift();
      if (key === undefined) throw new Cancelled();
      return key;
    },
    put(key) {
      if (!typed.includes(key)) take(key);
    },
    release() {
      if (!held) return;
      held = false;
      // What was typed ahead was meant for another screen.
      typed.splice(0, typed.length, ...typed.filter((key) => key === ARRIVED));
      stdin.off('keypress', onKey);
      stdin.off('end', onEnd);
      stderr.off('resize', onResize);
      input.setRawMode?.(false);
      stdin.pause();
    },
  };
}
