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

/** What is pasted comes as one key that begins so. */
export const PASTED = 'paste:';

/** xterm: the terminal says where what is pasted begins and ends, so that a line end in it is no Enter. */
const bracketedPaste = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;

/** The key that says that a message came. */
export const ARRIVED = 'arrived';

const ends = new Set(['c', 'd']);

/** What `readline` tells of a key. */
interface Pressed {
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  readonly name?: string;
  readonly sequence?: string;
}

/** The key of somebody who writes. @returns undefined for Ctrl-C */
function textKey(text: string | undefined, { ctrl, meta, shift, name = '' }: Pressed): string | undefined {
  if (ctrl === true) return name === 'c' ? undefined : `ctrl-${name}`;
  if (meta === true && name !== 'escape') return `alt-${name}`;
  if (text !== undefined && /^[^\p{Cc}\p{Cs}]+$/u.test(text)) return text;
  return shift === true && name !== '' ? `shift-${name}` : name;
}

/**
 * @param forText whether text is written: each character is a key as it is, also spaces and those that join others; a key with Alt has `alt-`
 * before its name, with Shift `shift-`; what is pasted is one key; and Ctrl-D is one too
 */
export function openKeyboard({ stdin, stderr }: Terminal, forText = false): Keyboard {
  const input: Input = stdin;
  const typed: (string | undefined)[] = [];
  let wake = (): void => {};
  let held = false;
  const take = (key: string | undefined): void => {
    typed.push(key);
    wake();
  };
  let pasted: string | undefined;
  const onText = (text: string | undefined, key: Pressed): void => {
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      if (pasted !== undefined) take(`${PASTED}${pasted}`);
      pasted = undefined;
    } else if (pasted === undefined) take(textKey(text, key));
    else pasted += key.sequence ?? text ?? '';
  };
  const onKey = (text: string | undefined, key: Pressed): void => {
    if (forText) return onText(text, key);
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
    if (!forText) return;
    stderr.write(bracketedPaste.on);
    // An unexpected error must not leave a terminal that marks what is pasted.
    process.on('exit', endPaste);
  };
  const endPaste = (): void => {
    if (forText) stderr.write(bracketedPaste.off);
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
      endPaste();
      process.off('exit', endPaste);
      pasted = undefined;
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
