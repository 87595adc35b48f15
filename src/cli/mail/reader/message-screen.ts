import { perform } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { messageText, type ShownMessage } from '../message-text.ts';
import { act, actionKeys, undo } from './actions.ts';
import { linesWithin } from '../../kit/canvas.ts';
import { messageHelp, showMailKeys } from './help.ts';
import { tried } from '../../kit/full-screen.ts';
import { scrollStep } from '../../kit/scrolling.ts';
import type { Reading } from './reading.ts';
import { saveFiles } from './saving.ts';
import { answerTo, compose, forwardOn, writeOn } from './writing.ts';

/** Shows the messages of a thread one by one. @returns what to tell the person in the list */
export async function readThread(reading: Reading, messageId: string): Promise<string> {
  const { messages } = await reading.use(async (client) => await perform(client, mail.showThread, { messageId }));
  const firstUnread = messages.findIndex(({ read }) => !read);
  let at = firstUnread === -1 ? messages.findIndex(({ id }) => id === messageId) : firstUnread;
  for (;;) {
    const next = await readOne(reading, messages[at]?.id ?? messageId, `${at + 1} of ${messages.length}`);
    if (typeof next === 'string') return next;
    at = Math.max(0, Math.min(messages.length - 1, at + next));
  }
}

/** @returns a step in the thread, or what to tell in the list */
async function readOne(reading: Reading, messageId: string, place: string): Promise<number | string> {
  const { keyboard, canvas, use, measure } = reading;
  let shown = await use(async (client): Promise<ShownMessage> => {
    const message = await perform(client, mail.showMessage, { messageId });
    const content = await perform(client, mail.showContent, { messageId: message.id, as: 'text' });
    if (!message.read) await perform(client, mail.markRead, { messageId: message.id });
    return { message: { ...message, read: true }, content };
  });
  const screen = { ...(await reading.screen()), paint: (_: string, text: string) => text, measure };
  let top = 0;
  let note = '';
  for (;;) {
    const width = canvas.width();
    const lines = linesWithin(messageText({ ...screen, width }, shown), width, measure);
    const room = canvas.height();
    const last = Math.max(0, lines.length - room);
    top = Math.max(0, Math.min(last, top));
    const marks = [shown.message.read ? '' : 'unread', shown.message.keywords.includes('$flagged') ? 'flagged' : ''];
    const title = [`Message ${place} of the thread`, ...marks.filter((mark) => mark !== '')].join(', ');
    canvas.draw(title, lines.slice(top, top + room), escapeForTerminal(note), messageHelp);
    note = '';
    const key = await keyboard.next();
    if (['q', 'escape', 'backspace'].includes(key)) return '';
    if (key === 'h' || key === 'left') return -1;
    if (key === 'l' || key === 'right') return 1;
    top += scrollStep(letters[key] ?? key, { room, top, last });
    if (key === '?') await showMailKeys(reading, 'message');
    const doing = doingOf(reading, key, shown);
    if (doing === undefined) continue;
    let gone = false;
    note = await tried(async () => {
      const { note: told, moved } = await doing();
      gone = moved;
      return told;
    });
    if (gone) return note;
    const after = await use(async (client) => await perform(client, mail.showMessage, { messageId }));
    shown = { content: shown.content, message: after };
  }
}

/** What a key does with the message. @returns what to tell, and whether the message is somewhere else now */
function doingOf(
  reading: Reading,
  key: string,
  { message, content }: ShownMessage,
): (() => Promise<{ readonly note: string; readonly moved: boolean }>) | undefined {
  if (actionKeys.has(key)) return async () => await act(reading, key, [message]);
  const { id } = message;
  const others: Readonly<Record<string, () => Promise<string>>> = {
    r: async () => await answerTo(reading, id, false),
    R: async () => await answerTo(reading, id, true),
    F: async () => await forwardOn(reading, id),
    c: async () => await compose(reading),
    v: async () => await saveFiles(reading, id, content.attachments),
    z: async () => await undo(reading),
  };
  const other = others[key];
  if (other !== undefined) return async () => ({ note: await other(), moved: false });
  // A draft that was sent is no draft any more.
  return key === 'e' ? async () => ({ note: await writeOn(reading, id), moved: true }) : undefined;
}

/** Letters that scroll as other keys do. */
const letters: Readonly<Record<string, string>> = { j: 'down', k: 'up', n: 'pagedown', p: 'pageup' };
