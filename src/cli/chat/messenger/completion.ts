import { completionsOf } from './command-words.ts';
import { lineOf, type Line } from '../../kit/line.ts';
import type { State, Talk } from './state.ts';

/** The line with a `/` command or an `@name` completed. @returns undefined where there is nothing to complete */
export function completed(
  state: State,
  { line, messages }: Talk,
): { readonly line: Line; readonly note: string } | undefined {
  const commands = completionsOf(line.text);
  if (line.text.startsWith('/') && !/\s/.test(line.text)) {
    if (commands.length === 0) return { line, note: 'There is no such command. /help shows all.' };
    return chosenFrom(commands, line.text.slice(1), (word, isWhole) => lineOf(`/${word}${isWhole ? ' ' : ''}`));
  }
  const before = line.text.slice(0, line.at);
  const [, begun] = /(?:^|\s)@([\w.-]*)$/.exec(before) ?? [];
  if (begun === undefined) return undefined;
  const here = new Set(messages.map(({ senderId, senderName }) => state.names.get(senderId) ?? senderName));
  const known = [...new Set([...here, ...state.names.values()])].filter(
    (name) => name !== '' && name.toLowerCase().startsWith(begun.toLowerCase()),
  );
  if (known.length === 0) return { line, note: 'No name here begins so.' };
  const start = line.at - begun.length;
  return chosenFrom(known, begun, (word, isWhole) => {
    const middle = `${word}${isWhole ? ' ' : ''}`;
    return { text: line.text.slice(0, start) + middle + line.text.slice(line.at), at: start + middle.length };
  });
}

/** The only one, or what all have in common. */
function chosenFrom(
  words: readonly string[],
  begun: string,
  put: (word: string, isWhole: boolean) => Line,
): { readonly line: Line; readonly note: string } {
  const [first = ''] = words;
  if (words.length === 1) return { line: put(first, true), note: '' };
  let common = first;
  while (!words.every((word) => word.toLowerCase().startsWith(common.toLowerCase()))) common = common.slice(0, -1);
  return { line: put(common.length > begun.length ? common : begun, false), note: words.slice(0, 12).join('  ') };
}
