import type { Client } from '../../client/client.ts';
import { topicName } from '../../contract/event.ts';
import { mailTopic } from '../../contract/mail/events.ts';
import { watch, type Watching } from '../kit/watching.ts';

/** Looks at the mail of the caller whenever something happens in it, and now and then in case an event was lost. */
export async function watchMail(client: Client, watching: Watching): Promise<void> {
  await watch(client, (accountId) => [topicName(mailTopic, accountId)], watching);
}
