import type { Context } from '../../service/context.ts';
import { stepJob } from '../../service/step-job.ts';
import { enqueue, type JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { recordId } from '../../platform/store/record-id.ts';
import { notifyEach, type ManyNotified } from './notify.ts';
import { visibleTo } from './rules.ts';

/** Members whom one transaction notifies, with one statement for each table. Other requests get their turn between two of them. */
const BATCH = 100;
const MOST_NAMED = 1_000;
const KIND = 'notification-many';

interface Payload {
  readonly id: string;
  readonly about: ManyNotified;
  readonly recipients: readonly string[];
  /** the last one who was looked at */
  readonly after?: string;
}

/**
 * Notifies many members after the commit, in small transactions. In the transaction of what happened it writes one row, however many they
 * are. Each is asked for when their turn comes: whoever may not see the thing then is not notified. The type should have rules.
 */
export async function notifyMany(tx: Context, recipients: readonly string[], about: ManyNotified): Promise<void> {
  const named = [...new Set(recipients)].toSorted();
  if (named.length === 0) return;
  if (named.length > MOST_NAMED) throw new Error(`at most ${MOST_NAMED} members are notified by their ids`);
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const payload: Payload = { id, about, recipients: named };
  await enqueue(tx.db, { id, kind: KIND, payload, runAt: now, now });
}

/** Notifies the next of them, and plans the others. A step is done exactly once. */
export async function manyHandler(ctx: Context): Promise<JobHandler> {
  return stepJob<Payload, string>(ctx, {
    what: 'notifying a member',
    most: BATCH,
    next: async (_, { recipients, after }, most) =>
      recipients.filter((one) => after === undefined || one > after).slice(0, most),
    async work(tx, members, { about }) {
      const seeing = await visibleTo(tx, about, members);
      await notifyEach(
        tx,
        members.filter((memberId) => seeing.has(memberId)),
        about,
      );
    },
    after: (payload, last) => ({ ...payload, after: last }),
    async plan(tx, payload) {
      const now = tx.clock.now();
      await planJob(tx.db, { id: payload.id, kind: KIND, payload, runAt: now, now });
    },
  });
}
