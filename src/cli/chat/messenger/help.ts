import { commandWords } from './command-words.ts';
import type { Panel } from './state.ts';

const keys = [
  ['enter', 'send; in the list: open'],
  ['ctrl-j, alt-enter', 'another line in the message'],
  ['tab, esc', 'between list and conversation; tab completes /commands and @names; esc leaves a thread'],
  ['alt-up, alt-down', 'the conversation above or below'],
  ['up (empty line)', 'change your last message; esc leaves'],
  ['ctrl-p, ctrl-n', 'mark a message for /reply, /react, /edit, /remove, /pin, /thread and /save'],
  ['pageup, pagedown', 'older and newer messages; home and end (empty line) go farther'],
  ['ctrl-a, e, u, k, w', 'as in a shell'],
  ['j, k, /, ., ?, q', 'in the list: down, up, filter, look again, these keys, quit'],
  ['f1', 'these keys'],
  ['ctrl-c', 'quit'],
] as const;

export const helpPanel: Panel = { title: 'Keys and commands', text: helpText(), top: 0 };

function helpText(): string {
  const commands = Object.entries(commandWords).map(([name, [form, does]]) => `/${`${name} ${form}`.trim()}: ${does}`);
  return [
    ...keys.map(([key, does]) => `${key}: ${does}`),
    '',
    ...commands,
    '',
    '//text sends "/text". ID is the beginning of an id, as the marked message shows it. Without an ID, commands are about the marked message.',
  ].join('\n');
}
