import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { alertTypes, Notification } from '../../contract/notifications/notification.ts';
import { addressHint, membersNamed } from '../../shared/members/named.ts';
import { notify } from '../../shared/notifications/notify.ts';
import { shown } from '../../shared/notifications/telling.ts';
import { Problem } from '../../base/problem.ts';
import { transactionOnce } from '../../service/repeats.ts';

interface Alert {
  readonly recipientId: string;
  readonly type: (typeof alertTypes)[number];
  readonly content: string;
}

/** The node itself speaks, so the notification names no actor. An administrator can notify themselves. */
export async function sendAlert(
  ctx: Context,
  actor: Actor,
  { recipientId: name, type, content }: Alert,
): Promise<Notification> {
  requireRole(actor, { any: ['Admin'] });
  return await transactionOnce(ctx, async (tx) => {
    const [recipient] = await membersNamed(tx, [name]);
    if (recipient === undefined)
      throw new Problem('missing', 'MEMBER_NOT_FOUND', `There is no such member${addressHint(name)}.`);
    const row = await notify(tx, { recipientId: recipient.id, type, content });
    if (row !== undefined) return shown(row);
    throw new Problem(
      'conflict',
      'NOTIFICATION_UNWANTED',
      `${recipient.username} has switched off notifications of the category system. Tell them in another way.`,
    );
  });
}
