import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import { counted } from '../../kit/counted.ts';
import { oneKey } from '../../kit/one-key.ts';
import { editText } from '../../passvault/browse/editor.ts';
import { quotedText } from '../quoted.ts';
import { ownMailbox } from '../sending.ts';
import { aside, type Reading } from './reading.ts';

interface Acted {
  readonly id: string;
  readonly read: boolean;
  readonly keywords: readonly string[];
}

/** What keys do with messages, wherever they are shown. */
export const actionKeys = new Set(['a', 'd', 's', 'u']);

/** @returns what to tell the person */
export async function act(client: Client, key: string, messages: readonly Acted[]): Promise<string> {
  const [first] = messages;
  if (first === undefined) return '';
  const flagged = first.keywords.includes('$flagged');
  const changes = {
    a: { folder: 'archive' as const },
    d: { folder: 'trash' as const },
    s: flagged ? { removeKeywords: ['$flagged'] } : { addKeywords: ['$flagged'] },
    u: { read: !first.read },
  };
  const change = changes[key as keyof typeof changes];
  for (const { id } of messages) await perform(client, mail.changeMessage, { messageId: id, ...change });
  const what = counted(messages.length, 'message');
  if (key === 'a') return `Moved ${what} to the archive.`;
  return key === 'd' ? `Moved ${what} to the trash.` : '';
}

/** Has an answer written in the editor, and sends it if the person wants to. @returns what to tell the person */
export async function answerTo(reading: Reading, messageId: string, replyAll: boolean): Promise<string> {
  const { terminal, use, screen } = reading;
  const at = await screen();
  let text = await use(async (client) => await quotedText(client, at, messageId));
  return await aside(reading, async () => {
    for (;;) {
      const warn = (message: string) => void terminal.stderr.write(`${message}\n`);
      const edited = await editText(terminal, text, { allowDisk: true, warn });
      if (edited === undefined && text.startsWith('\n')) return 'Nothing was written.';
      text = edited ?? text;
      const key = await oneKey(terminal, 'Your answer:', { s: 'send it', e: 'go on writing', x: 'throw it away' });
      if (key === 'x') return 'The answer was thrown away.';
      if (key === 'e') continue;
      const sent = await use(async (client) => {
        const from = await ownMailbox(client);
        return await perform(client, mail.reply, { messageId, from, replyAll, textBody: text });
      });
      return `Sent to ${Object.keys(sent.deliveryStatus).join(', ')}.`;
    }
  });
}
