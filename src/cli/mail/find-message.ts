import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { mailReading } from '../../contract/mail/reading.ts';
import { Problem } from '../../problem.ts';
import { idFrom } from '../kit/id-part.ts';

/** Messages whose ids can be shortened. */
const NEWEST = 200;

export const messageArgument = 'id of the message, its first eight or more digits, or its Message-ID';

/**
 * Names a message: a Message-ID as it is, and an id from its first eight or more digits, among the newest messages.
 * @throws Problem missing EMAIL_NOT_FOUND, conflict AMBIGUOUS
 */
export async function messageIdOf(client: Client, text: string): Promise<string> {
  if (text.includes('@')) return text;
  const words = `There is no message ${JSON.stringify(text)}. To list them, run: conclave mail inbox`;
  return await idFrom(
    text,
    async () => {
      const found = await Promise.all(
        (['all', 'spam', 'trash'] as const).map(
          async (folder) => await perform(client, mailReading.listFolder, { folder, pageSize: NEWEST }),
        ),
      );
      return found.flatMap(({ emails }) => emails).map(({ id, subject }) => ({ id, label: subject }));
    },
    () => new Problem('missing', 'EMAIL_NOT_FOUND', words),
  );
}
