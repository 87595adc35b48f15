import type { EmailMetadata } from '../../../contract/mail/fields.ts';
import { Problem } from '../../../base/problem.ts';
import { openArrivals } from '../arrivals.ts';
import { watchMail } from '../watching.ts';
import type { Reading } from './reading.ts';

/** Messages that came into the inbox while somebody reads, since they were last taken. */
export interface News extends AsyncDisposable {
  take(): EmailMetadata[];
}

const nothing: News = { take: () => [], [Symbol.asyncDispose]: async () => {} };

/**
 * Watches the inbox beside the person, from the moment when this resolves. Without a server nothing comes, and the store can't be open twice.
 * @param arrived called when something has come
 */
export async function openNews({ use, connect }: Reading, arrived: () => void): Promise<News> {
  if (await use(async (client) => client.connection.kind === 'process')) return nothing;
  const ending = new AbortController();
  const found: EmailMetadata[] = [];
  const client = await connect();
  const look = await openArrivals(client, 'inbox').catch(async (error: unknown) => {
    await client[Symbol.asyncDispose]();
    throw error;
  });
  const watching = watchMail(client, {
    signal: ending.signal,
    trouble: () => undefined,
    look: async () => {
      const news = await look();
      found.push(...news);
      if (news.length > 0) arrived();
      return !ending.signal.aborted;
    },
  });
  // A reader whose session ended hears of it at the next key.
  const ended = watching.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  return {
    take: () => found.splice(0),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended;
      await client[Symbol.asyncDispose]();
    },
  };
}
