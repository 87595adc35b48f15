import type { Context } from '../context.ts';
import { notificationEvents } from '../contract/notifications/events.ts';
import { publishAll, said } from '../realtime/publish.ts';
import { scheduled } from '../scheduled.ts';
import { planJob } from '../store/jobs/plans.ts';
import { hiddenOf } from './seeing.ts';
import { tellCount, topicOf } from './telling.ts';

const KIND = 'notification-hidden';
/** The latest are in what a client shows. It reads the others anew. */
const MOST_TOLD = 100;

/** After a member lost sight of something: has the member's clients told, after the commit, which notifications are hidden now. */
export async function planHidden(tx: Context, memberId: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: `${KIND}/${memberId}`, kind: KIND, payload: { memberId }, runAt: now, now });
}

/** What was hidden before is told again, because nothing keeps what was told. */
export const hiddenHandler = scheduled(async (tx, payload) => {
  const { memberId } = payload as { readonly memberId: string };
  const ids = await hiddenOf(tx, memberId, MOST_TOLD);
  if (ids.length === 0) return;
  const gone = ids.map((notificationId) => said(notificationEvents.deleted, { notificationId }));
  await publishAll(tx, topicOf(memberId), gone);
  await tellCount(tx, memberId);
});
