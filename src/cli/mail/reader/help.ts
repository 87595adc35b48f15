import { showKeys } from '../../kit/full-screen.ts';
import type { Reading } from './reading.ts';

/** The last line of the list; it fits into 80 columns, as that of a message. */
export const listHelp = 'enter:read c:write r:reply a:archive d:delete z:undo /:search ?:all keys q:quit';
export const messageHelp = 'space h/l:thread r:reply F:forward v:save a:archive d:delete ?:all keys q:back';

const both = [
  ['c', 'write a message'],
  ['r, R', 'reply to the sender, or to all'],
  ['F', 'forward, with attachments'],
  ['e', 'go on with a draft'],
  ['a, d', 'move to the archive, or to the trash'],
  ['m', 'move to a folder'],
  ['L', 'add and remove labels'],
  ['s, u', 'flag, and mark as unread; again takes it back'],
  ['z', 'undo the last of these, also sending while the message waits'],
  ['?', 'these keys'],
] as const;

const inList = [
  ['j, k, arrows', 'down and up; home and end go to the first and the last'],
  ['n, p', 'next and previous page'],
  ['enter', 'read the thread'],
  ['x', 'mark, so that the next key acts on all that are marked'],
  ['/', 'search; nothing shows all again'],
  ['f', 'go to a folder'],
  ['.', 'look again'],
  ['esc', 'unmark; then back to the inbox'],
  ['q, ctrl-c', 'quit'],
] as const;

const inMessage = [
  ['j, k, arrows', 'down and up by a line; g and G go to the beginning and the end'],
  ['space, b', 'down and up by a page'],
  ['h, l', 'previous and next message of the thread'],
  ['v', 'save attachments'],
  ['q, esc', 'back to the list'],
] as const;

/** Shows all keys until one is pressed. */
export async function showMailKeys(reading: Reading, where: 'list' | 'message'): Promise<void> {
  await showKeys(reading, `Keys of the ${where}`, [...(where === 'list' ? inList : inMessage), ...both]);
}
