import type { Context } from '../../../service/context.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';

export function digestJobId(memberId: string): string {
  return `notification-digest/${memberId}`;
}

/** Plans a member's next digest unless it is planned. The first notification that waits for it decides when it comes. */
export async function planDigest(tx: Context, memberId: string): Promise<void> {
  const now = tx.clock.now();
  const runAt = now + tx.config.notifications.digestMs;
  await enqueue(tx.db, { id: digestJobId(memberId), kind: 'notification-digest', payload: { memberId }, runAt, now });
}
