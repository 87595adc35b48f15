import type { Client } from '../../../client/client.ts';
import type { Caller } from '../../../client/perform.ts';
import { inboxTopic } from '../../../contract/chat/inbox/events.ts';
import { topicName } from '../../../contract/event.ts';
import { notificationsTopic } from '../../../contract/notifications/events.ts';
import type { MessageRequest } from '../../../contract/social/message.ts';
import { watchTopics, type Watching } from '../../kit/topic-watch.ts';
import { waitingRequests } from './own-conversations.ts';

/** Finds message requests that came since the last time, the oldest first. The first call after this one tells those of the time in between. */
export async function openRequestNews(caller: Caller): Promise<() => Promise<MessageRequest[]>> {
  const waiting = async () => await waitingRequests(caller);
  const known = new Set((await waiting()).map(idOf));
  return async () => {
    const found = await waiting();
    const news = found.filter((one) => !known.has(idOf(one)));
    for (const one of news) known.add(idOf(one));
    return news.toReversed();
  };
}

function idOf(request: MessageRequest): string {
  return request['_id'];
}

/** Looks whenever something is said to the caller, or somebody asks to write to them: of a request its notification alone tells. */
export async function watchWithRequests(client: Client, watching: Watching): Promise<void> {
  const topics = [inboxTopic, notificationsTopic];
  await watchTopics(client, (accountId) => topics.map((topic) => topicName(topic, accountId)), watching);
}

/** A message request in words. What its sender says has a line of its own. */
export function requestWords({ senderUsername, senderId, messagePreview }: MessageRequest): string {
  const who = senderUsername || senderId;
  const asks =
    messagePreview === null ? `${who} wants to write to you.` : `${who} wants to write to you:\n  ${messagePreview}`;
  return `${asks}\nTo decide, run: conclave social message accept ${who}, or: conclave social message decline ${who}`;
}
