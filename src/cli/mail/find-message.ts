import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { InboxItem } from '../../contract/mail/fields.ts';
import { mailLimits } from '../../contract/mail/limits.ts';
import { mail } from '../../contract/mail.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';

const part = /^[0-9a-f]{8,31}$/i;

/**
 * What a person calls a message, as the server knows it: a Message-ID, an id, or the first eight or more digits of the id of one of the
 * newest 200 messages. Those of trash and spam count where no other message is meant.
 *
 * @throws Problem missing EMAIL_NOT_FOUND, conflict AMBIGUOUS
 */
export async function messageNamed(client: Client, screen: Unmeasured, text: string): Promise<string> {
  // The server looks for everything else: a Message-ID of another program may have nearly any form.
  if (!part.test(text)) return text;
  const message = `None of your newest ${mailLimits.page} messages has an id that begins with ${JSON.stringify(text)}. To list messages, run: conclave mail inbox`;
  return await idFrom(
    text,
    async () => {
      const begins = ({ id }: InboxItem) => id.startsWith(text.toLowerCase());
      const found = (await newest(client, 'all')).filter(begins);
      const away = found.length > 0 ? [] : [...(await newest(client, 'trash')), ...(await newest(client, 'spam'))];
      return [...found, ...away].map((item) => ({ id: item.id, label: labelOf(screen, item) }));
    },
    () => new Problem('missing', 'EMAIL_NOT_FOUND', message),
  );
}

async function newest(client: Client, folder: 'all' | 'trash' | 'spam'): Promise<readonly InboxItem[]> {
  const { emails } = await perform(client, mail.listFolder, { folder, pageSize: mailLimits.page });
  return emails;
}

function labelOf(screen: Unmeasured, { folder, date, from, subject }: InboxItem): string {
  return `${folder}, ${moment(screen, date)}, ${from.address}: ${subject}`;
}
