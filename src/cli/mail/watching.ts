import type { Client } from '../../client/client.ts';
import { topicName } from '../../contract/event.ts';
import { mailTopic } from '../../contract/mail/events.ts';
import { watchTopics, type Watching } from '../kit/topic-watch.ts';

/** Looks at the mail of the caller whenever something happens in it, and now and then in case an event was lost. */
export async function watchMail(client: Client, watching: Watching): Promise<void> {
  await watchTopics(client, (accountId) => [topicName(mailTopic, accountId)], watching);
}
