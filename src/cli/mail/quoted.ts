import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { mail } from '../../contract/mail.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';
import { mailboxText } from './mail-columns.ts';

/** The text of a message, as it is quoted below an answer. */
export async function quotedText(client: Client, screen: Unmeasured, messageId: string): Promise<string> {
  const { id, from, date } = await perform(client, mail.showMessage, { messageId });
  const { textBody } = await perform(client, mail.showContent, { messageId: id, as: 'text' });
  const lines = (textBody ?? '').trimEnd().split(/\r?\n/);
  const quoted = lines.map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`));
  return `\nOn ${moment(screen, date)}, ${mailboxText(from)} wrote:\n${quoted.join('\n')}\n`;
}
