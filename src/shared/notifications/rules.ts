import type { Context } from '../../service/context.ts';
import type { NotificationType } from '../../contract/notifications/notification.ts';
import type { About, NotificationRulesOf } from '../../service/ports/notification-rules.ts';

function rulesOf({ notificationRules }: Context, type: NotificationType): NotificationRulesOf<Context> | undefined {
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
