import type { AsHeard } from '../../service/ports/realtime.ts';
import type { Context } from '../../service/context.ts';
import { notificationEvents } from '../../contract/notifications/events.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { countUnread, seenOf } from './seeing.ts';
import { memberOf, shown } from './telling.ts';

const { created, count } = notificationEvents;

function idIn(data: string): string {
  const { _id: id } = (JSON.parse(data) as { readonly notification: Notification }).notification;
  return id;
}

/** Of the past a member hears what the member may see at this moment: notifications as they are in the list, and the number that are unread. */
export function asHeard(ctx: Context): AsHeard {
  return async (topic, events) => {
    const memberId = memberOf(topic);
    const ids = events.map(({ name, data }) => (name === created.name ? idIn(data) : undefined));
    const wanted = new Set(ids.filter((id) => id !== undefined));
    const seen = new Map((await seenOf(ctx, memberId, [...wanted])).map((row) => [row.id, row]));
    const numbers = events.some(({ name }) => name === count.name)
      ? { data: JSON.stringify({ unreadCount: await countUnread(ctx, memberId) }) }
      : undefined;
    return events.map(({ name, data }, at) => {
      const id = ids[at];
      if (name === count.name) return numbers;
      if (id === undefined) return { data };
      const row = seen.get(id);
      return row === undefined ? undefined : { data: JSON.stringify({ notification: shown(row) }) };
    });
  };
}
