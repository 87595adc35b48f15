import { Cancelled } from './prompts.ts';
import type { Terminal } from './terminal.ts';

/** An input that may be a terminal's, which gives a line after Enter unless it is raw. */
type Keyboard = Terminal['stdin'] & { readonly setRawMode?: (raw: boolean) => unknown };

const interrupts = new Set(['\u0003', '\u0004']);

/**
 * Asks a question that one key answers, without Enter.
 *
 * @param keys what each key means, in the order in which they are shown
 * @throws Cancelled at Ctrl-C, Ctrl-D and the end of the input
 */
export async function oneKey<Key extends string>(
  { stdin, stderr }: Terminal,
  message: string,
  keys: Readonly<Record<Key, string>>,
): Promise<Key> {
  const all = Object.entries<string>(keys);
  stderr.write(`${message} ${all.map(([key, does]) => `[${key}] ${does}`).join('  ')} `);
  const input: Keyboard = stdin;
  input.setRawMode?.(true);
  try {
    const key = await new Promise<Key>((resolve, reject) => {
      const done = (finish: () => void) => {
        stdin.off('data', onData);
        stdin.off('end', onEnd);
        finish();
      };
      const onEnd = () => done(() => reject(new Cancelled()));
      const onData = (bytes: Buffer | string) => {
        // What was pasted counts as its first key: the rest must not decide anything.
        const typed = String(bytes).slice(0, 1).toLowerCase();
        if (interrupts.has(typed)) return onEnd();
        const found = all.find(([name]) => name === typed);
        if (found !== undefined) done(() => resolve(found[0] as Key));
      };
      stdin.on('data', onData);
      stdin.once('end', onEnd);
      stdin.resume();
    });
    stderr.write(`${key}\n`);
    return key;
  } catch (error) {
    stderr.write('\n');
    throw error;
  } finally {
    input.setRawMode?.(false);
    stdin.pause();
  }
}
