import type { Context } from '../../../service/context.ts';
import { planMissing } from '../../../platform/store/jobs/plans.ts';

export function digestJobId(memberId: string): string {
  return `notification-digest/${memberId}`;
}

/** Plans the next digests of members unless they are planned. The first notification that waits for one decides when it comes. */
export async function planDigests(tx: Context, memberIds: readonly string[]): Promise<void> {
  const now = tx.clock.now();
  const runAt = now + tx.config.notifications.digestMs;
  const job = { kind: 'notification-digest', runAt, now };
  await planMissing(
    tx.db,
    memberIds.map((memberId) => ({ ...job, id: digestJobId(memberId), payload: { memberId } })),
  );
}
