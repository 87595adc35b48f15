import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { topicName } from '../../contract/event.ts';
import { notifications } from '../../contract/notifications.ts';
import { notificationsTopic } from '../../contract/notifications/events.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { idOf } from './notification-views.ts';
import { watchTopics, type Watching } from '../kit/topic-watch.ts';

const PAGE = 100;

/** One that others join is told again, and one of which fewer are left is not. */
function isNews(one: Notification, before: Notification | undefined): boolean {
  return before === undefined || one.count > before.count || one.updatedAt !== before.updatedAt;
}

/**
 * Finds notifications that are new, or that others have joined, since the last time. The first call after this one tells those of the time
 * in between, the oldest first.
 */
export async function openNews(client: Client): Promise<() => Promise<Notification[]>> {
  let known = new Map((await newest(client)).map((one) => [idOf(one), one]));
  return async () => {
    const found = await newest(client);
    const news = found.filter((one) => !one.isRead && isNews(one, known.get(idOf(one))));
    known = new Map(found.map((one) => [idOf(one), one]));
    return news.toReversed();
  };
}

async function newest(client: Client): Promise<readonly Notification[]> {
  return (await perform(client, notifications.list, { limit: PAGE })).notifications;
}

/** Looks whenever something happens to the notifications of the caller. */
export async function watchNotifications(client: Client, watching: Watching): Promise<void> {
  await watchTopics(client, (accountId) => [topicName(notificationsTopic, accountId)], watching);
}
