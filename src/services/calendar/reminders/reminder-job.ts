import { transaction, type Context } from '../../../service/context.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { Problem } from '../../../base/problem.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarReminderRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { storedPreferences } from '../../../shared/notifications/preferences.ts';
import { isDoNotDisturb } from '../../../shared/notifications/wishes.ts';
import { componentsOf, propertyOf, textOf } from '../icalendar/jcal.ts';
import { statusIn } from '../invitations/deliver.ts';
import { membersById, partyOfMember } from '../invitations/people.ts';
import { openContent } from '../objects/content.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { instancesFrom, writtenInstances } from '../objects/instances.ts';
import { openContentKey } from '../own-calendars.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { zoneOfMember } from '../zones.ts';
import { NEXT, remindersFor, reminderJob, replaceReminders } from './plan.ts';
import { instanceAt } from '../objects/run-rows.ts';
import type { EventInstance } from '../objects/runs.ts';

/** Reminders of one transaction. */
const TOGETHER = 20;
/** Later than this nobody is interrupted by mail or push any more. */
const LATE_MS = 15 * 60_000;

/** A message of the node for the mailbox of a member, not in the store. */
export interface PreparedMail {
  deliver(tx: Context): Promise<void>;
  drop(): Promise<void>;
}

export type PrepareMail = (
  ctx: Context,
  recipient: { readonly memberId: string; readonly username: string },
  mail: { readonly subject: string; readonly text: string },
) => Promise<PreparedMail>;

const due = writtenQuery<CalendarReminderRow>(`
  select * from calendar_reminders where member_id = $1 and due_at <= $2 order by due_at, object_id limit ${TOGETHER}`);
const next = writtenQuery<{ due_at: number }>(`
  select due_at from calendar_reminders where member_id = $1 order by due_at limit 1`);
const remove = writtenQuery<{ due_at: number }>(`
  delete from calendar_reminders
  where object_id = $1 and recurrence = $2 and alarm = $3 and member_id = $4 returning due_at`);
const objectById = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');
const calendarById = writtenQuery<CalendarRow>('select * from calendars where id = $1');

/** Reminds a member of events: each reminder is one notification, written with the end of its row. */
export function reminderHandler(ctx: Context, prepare: PrepareMail): JobHandler {
  return async (payload, { signal }) => {
    const { memberId } = payload as { readonly memberId: string };
    while (!signal.aborted) {
      const { rows } = await ctx.db.executeQuery(due(memberId, ctx.clock.now()));
      if (rows.length === 0) break;
      const mails = await mailsOf(ctx, memberId, rows, prepare);
      const used = new Set<PreparedMail>();
      try {
        await transaction(ctx, async (tx) => {
          used.clear();
          await lockMembers(tx, [memberId]);
          for (const row of rows) await apart(tx, row, async () => await remind(tx, row, mails.get(row), used));
        });
      } finally {
        for (const mail of mails.values()) if (!used.has(mail)) await mail.drop();
      }
    }
    await transaction(ctx, async (tx) => {
      // Whoever writes an earlier one meanwhile waits, and plans it then.
      await lockMembers(tx, [memberId]);
      const [row] = (await tx.db.executeQuery(next(memberId))).rows;
      const now = tx.clock.now();
      if (row !== undefined) await planJob(tx.db, { ...reminderJob(memberId), runAt: row.due_at, now });
    });
  };
}

/** A reminder of an event that cannot be read keeps nobody from the others. */
async function apart(tx: Context, row: CalendarReminderRow, work: () => Promise<void>): Promise<void> {
  try {
    await savepoint(tx.db, work);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof RuleError)) throw error;
    tx.log.warn('a reminder of an event was left out', { eventId: row.object_id, code: error.code });
    await tx.db.executeQuery(remove(row.object_id, row.recurrence, row.alarm, row.member_id));
  }
}

interface Subject {
  readonly title: string;
  readonly calendar: CalendarRow;
  readonly object: CalendarObjectRow;
  /** what the member answered, if somebody else organizes it */
  readonly declined: boolean;
  /** the instance of a reminder, as the series has it */
  instanceAt(row: CalendarReminderRow): EventInstance | undefined;
}

async function subjectOf(
  ctx: Context,
  { object_id: id, member_id: memberId }: CalendarReminderRow,
): Promise<Subject | undefined> {
  const [object] = (await ctx.db.executeQuery(objectById(id))).rows;
  const [calendar] = object === undefined ? [] : (await ctx.db.executeQuery(calendarById(object.calendar_id))).rows;
  if (object === undefined || calendar?.owner_id !== memberId) return undefined;
  const key = openContentKey(ctx, calendar);
  try {
    const content = openContent(key, object);
    const [event] = componentsOf(content, 'vevent');
    const title = event === undefined ? '' : textOf(propertyOf(event, 'summary'));
    const declined = statusIn(content, await partyOfMember(ctx, memberId)) === 'declined';
    return {
      title: title.replaceAll(/\s+/g, ' ').trim() || 'Event',
      calendar,
      object,
      declined,
      instanceAt: ({ recurrence, start_at: start }) => {
        const zones = zonesOfObject(zonesOf(ctx), calendar.zone, content);
        const place = { ...object, ownerId: calendar.owner_id };
        return instancesFrom(place, content, zones, start).find((row) => row.recurrence === recurrence);
      },
    };
  } finally {
    key.fill(0);
  }
}

/** Mail takes long to make, so it is made before the transaction. */
async function mailsOf(
  ctx: Context,
  memberId: string,
  rows: readonly CalendarReminderRow[],
  prepare: PrepareMail,
): Promise<Map<CalendarReminderRow, PreparedMail>> {
  const mails = new Map<CalendarReminderRow, PreparedMail>();
  const now = ctx.clock.now();
  const wanted = rows.filter((row) => row.action === 'EMAIL' && row.alarm !== NEXT && now - row.due_at < LATE_MS);
  if (wanted.length === 0) return mails;
  const member = (await membersById(ctx, [memberId])).get(memberId);
  const preferences = await storedPreferences(ctx, memberId);
  if (member?.active !== true || (preferences !== undefined && isDoNotDisturb(preferences, now))) return mails;
  for (const row of wanted) {
    const subject = await subjectOf(ctx, row).catch(unreadable);
    if (subject === undefined || subject.declined) continue;
    const when = await timeOf(ctx, row);
    const mail = {
      subject: `Reminder: ${Array.from(subject.title).slice(0, 200).join('')}`,
      text: `${subject.title}\n\nIt begins ${when}.\n`,
    };
    mails.set(row, await prepare(ctx, { memberId, username: member.username }, mail));
  }
  return mails;
}

/** What is left out then, the log says with the reminder itself. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

async function remind(
  tx: Context,
  row: CalendarReminderRow,
  mail: PreparedMail | undefined,
  used: Set<PreparedMail>,
): Promise<void> {
  const { object_id: id, recurrence, alarm, member_id: memberId, due_at: dueAt } = row;
  // It may have been moved meanwhile: then it has another row, or will have one.
  const [gone] = (await tx.db.executeQuery(remove(id, recurrence, alarm, memberId))).rows;
  if (gone === undefined) return;
  const subject = await subjectOf(tx, row);
  if (subject === undefined) return;
  if (alarm === NEXT) return await renew(tx, subject, dueAt);
  const instance = await instanceAt(tx, id, recurrence);
  // Of what happens very often, or while rows are made anew, not all instances are rows.
  const found = instance ?? subject.instanceAt(row);
  if (found?.start_at !== row.start_at || found.status === 'CANCELLED' || subject.declined) return;
  const now = tx.clock.now();
  const late = now - dueAt >= LATE_MS;
  await notify(tx, {
    recipientId: memberId,
    type: 'event_reminder',
    targetId: id,
    content: `An event begins ${await timeOf(tx, row)}.`,
    alone: true,
    late,
  });
  if (mail === undefined) return;
  await mail.deliver(tx);
  used.add(mail);
}

/** While the node was down nothing was written: what should have been is, and comes late. */
async function renew(tx: Context, { calendar, object }: Subject, since: number): Promise<void> {
  const key = openContentKey(tx, calendar);
  try {
    const content = openContent(key, object);
    const zones = zonesOfObject(zonesOf(tx), calendar.zone, content);
    const { rows } = writtenInstances({ ...object, ownerId: calendar.owner_id }, content, zones, tx.clock.now());
    await replaceReminders(tx, object.id, remindersFor(tx, calendar, object.id, content, rows, since));
  } finally {
    key.fill(0);
  }
}

/** `on 23 March 2026 at 09:00 (Europe/Berlin)`, in the zone of the member. */
async function timeOf(ctx: Context, { start_at: at, member_id: memberId }: CalendarReminderRow): Promise<string> {
  const timeZone = await zoneOfMember(ctx, memberId);
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric' });
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `on ${day.format(at)} at ${time.format(at)} (${timeZone})`;
}
