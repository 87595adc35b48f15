import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { notifications } from '../../contract/notifications.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { idOf, sentenceOf } from './notification-views.ts';

/**
 * The id of a notification, from all of it or its first digits.
 * @throws Problem missing NOTIFICATION_NOT_FOUND, conflict AMBIGUOUS
 */
export async function notificationNamed(client: Client, text: string): Promise<string> {
  return await idFrom(
    text,
    async () => {
      const { items } = await collectPages(client, notifications.list, {}, 'notifications');
      return items.map((one) => ({ id: idOf(one), label: sentenceOf(one) }));
    },
    () =>
      new Problem(
        'missing',
        'NOTIFICATION_NOT_FOUND',
        `You have no notification whose id begins with ${JSON.stringify(text)}. To list them, run: conclave social notifications`,
      ),
  );
}
