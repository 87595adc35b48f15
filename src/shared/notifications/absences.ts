import type { Context } from '../../service/context.ts';
import { stepJob } from '../../service/step-job.ts';
import { enqueue, type JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { notify } from './notify.ts';
import { countUnread } from './seeing.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Members whom one transaction reminds. */
const BATCH = 25;
const JOB = { id: 'notification-reminders', kind: 'notification-reminders' };

// A member who has come back since the last reminder can be away anew.
const absent = `
  from members m join member_profiles p on p.member_id = m.id left join absence_reminders r on r.member_id = m.id
  where m.status = 'active' and p.last_active <= $1 and (r.reminded_at is null or r.reminded_at < p.last_active)`;
const countAbsent = writtenQuery<{ count: number }>(`select count(*) as count ${absent}`);
const nextAbsent = writtenQuery<Absent>(`select m.id, p.last_active ${absent} and m.id > $2 order by m.id limit $3`);

/** Plans reminders for those who have not been here for so many days. @returns for how many; none while others are being sent */
export async function planReminders(tx: Context, days: number): Promise<number> {
  const now = tx.clock.now();
  const since = now - days * DAY_MS;
  const { count } = onlyRow((await tx.db.executeQuery(countAbsent(since))).rows);
  if (count === 0) return 0;
  return (await enqueue(tx.db, { ...JOB, payload: { since, after: '' }, runAt: now, now })) ? count : 0;
}

interface Payload {
  readonly since: number;
  /** the last one who was reminded */
  readonly after: string;
}

interface Absent {
  readonly id: string;
  readonly last_active: number;
}

/** Reminds the next of them, and plans the others. */
export function reminderHandler(ctx: Context): JobHandler {
  return stepJob<Payload, Absent>(ctx, {
    what: 'reminding a member',
    most: BATCH,
    next: async (tx, { since, after }, most) => (await tx.db.executeQuery(nextAbsent(since, after, most))).rows,
    async work(tx, members) {
      for (const member of members) await remind(tx, member);
    },
    after: (payload, { id }) => ({ ...payload, after: id }),
    async plan(tx, payload) {
      const now = tx.clock.now();
      await planJob(tx.db, { ...JOB, payload, runAt: now, now });
    },
  });
}

async function remind(tx: Context, { id: memberId, last_active: lastActive }: Absent): Promise<void> {
  const now = tx.clock.now();
  const days = Math.floor((now - lastActive) / DAY_MS);
  const unread = await countUnread(tx, memberId);
  const waiting =
    unread === 0 ? '' : ` ${unread === 1 ? 'One notification is' : `${unread} notifications are`} unread.`;
  await notify(tx, {
    recipientId: memberId,
    type: 'reconnect_reminder',
    content: `You have not been here for ${days} day${days === 1 ? '' : 's'}.${waiting}`,
  });
  const ending = 'on conflict (member_id) do update set reminded_at = excluded.reminded_at';
  await insertRows(tx.db, 'absence_reminders', [{ member_id: memberId, reminded_at: now }], ending);
}
