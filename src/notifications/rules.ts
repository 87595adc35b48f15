import type { Context } from '../context.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import type { NotificationRow } from '../store/tables/notifications.ts';
import type { About, NotificationRulesOf } from './notification-rules.ts';

export type NotificationRules = NotificationRulesOf<Context>;

export function rulesOf({ notificationRules }: Context, type: NotificationType): NotificationRules | undefined {
  return notificationRules.find(({ types }) => types.includes(type));
}

/** Without rules a notification is for whoever got it: its service withdraws it when that ends. */
export async function visibleTo(
  ctx: Context,
  about: About,
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = rulesOf(ctx, about.type);
  return own === undefined ? new Set(memberIds) : await own.visibleTo(ctx, about, memberIds);
}

/** Whether the recipient of a notification may see what it is about, at this moment. */
export async function isVisible(
  ctx: Context,
  { type, actor_id: actor, target_id: target, recipient_id: recipient }: NotificationRow,
): Promise<boolean> {
  const about = { type, actorId: actor ?? undefined, targetId: target ?? undefined };
  return (await visibleTo(ctx, about, [recipient])).has(recipient);
}
