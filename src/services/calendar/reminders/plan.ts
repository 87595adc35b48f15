import type { Context } from '../../../service/context.ts';
import { sha256HexOfText } from '../../../crypto/hash.ts';
import type { CalendarReminderRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { reminderKey, remindersOf, type Reminder } from '../icalendar/fields/alarms.ts';
import { componentsOf, type JcalComponent } from '../icalendar/jcal.ts';
import { durationOf, type Duration } from '../icalendar/text/times.ts';
import { zonesOf, zonesOfObject, type ObjectZones } from '../objects/known-zones.ts';
import { seriesOf } from '../objects/series.ts';
import { planEarlier } from '../plan-earlier.ts';
import { openSeries } from '../recurrence/open-series.ts';
import type { EventInstance } from '../objects/runs.ts';

/** The job that reminds a member. */
export function reminderJob(memberId: string) {
  return { id: `calendar-reminders/${memberId}`, kind: 'calendar-reminders', payload: { memberId } };
}

const DAY = 86_400_000;
/** Reminders of a series are rows for so long ahead, and at most so many of one object. Then the next ones are written. */
const AHEAD = 45 * DAY;
const MOST = 500;
/** Of a reminder that says more, the first ones count. */
const MOST_REPEATS = 100;
/** Rows of one statement. */
const TOGETHER = 16;

/** Stands for no reminder, but for the moment at which the next ones of the series are written. */
export const NEXT = '';

const future = writtenQuery('delete from calendar_reminders where object_id = $1 and due_at > $2');
const ofObjects = writtenList(0, (ids) => `delete from calendar_reminders where object_id in ${ids}`);

export async function removeReminders({ db }: Pick<Context, 'db'>, objectIds: readonly string[]): Promise<void> {
  if (objectIds.length > 0) await db.executeQuery(ofObjects(objectIds));
}

export function hasReminders(object: JcalComponent): boolean {
  return componentsOf(object, 'vevent').some((event) => remindersOf(event).length > 0);
}

/**
 * When the owner of a calendar is to be reminded of an event, as far as that is written now.
 * @param since reminders up to then were written before
 */
export function remindersFor(
  ctx: Context,
  calendar: Pick<CalendarRow, 'owner_id' | 'zone'>,
  objectId: string,
  object: JcalComponent,
  instances: readonly EventInstance[],
  since = ctx.clock.now(),
): CalendarReminderRow[] {
  if (!hasReminders(object)) return [];
  const zones = zonesOfObject(zonesOf(ctx), calendar.zone, object);
  const rows = reminderRows({ object, instances, zones, since, now: ctx.clock.now() });
  const of = { object_id: objectId, member_id: calendar.owner_id };
  return rows.map((row) => Object.assign({}, of, row));
}

// What is due and was moved meanwhile is due at its new time. When the next ones are to be written stays: there may be some since then.
const moved = `
  on conflict (object_id, recurrence, alarm, member_id) do update
  set due_at = excluded.due_at, start_at = excluded.start_at, action = excluded.action
  where excluded.alarm <> '${NEXT}'`;

/** Writes when members are to be reminded, in the transaction that writes the events. */
export async function putReminders(tx: Context, rows: readonly CalendarReminderRow[]): Promise<void> {
  const first = new Map<string, number>();
  for (let at = 0; at < rows.length; at += TOGETHER)
    await insertRows(tx.db, 'calendar_reminders', rows.slice(at, at + TOGETHER), moved);
  for (const { member_id: id, due_at: dueAt } of rows) first.set(id, Math.min(dueAt, first.get(id) ?? dueAt));
  for (const [id, runAt] of first) await planEarlier(tx, { ...reminderJob(id), runAt });
}

/** The same for an event that has some. What is due already stays. */
export async function replaceReminders(
  tx: Context,
  objectId: string,
  rows: readonly CalendarReminderRow[],
): Promise<void> {
  await tx.db.executeQuery(future(objectId, tx.clock.now()));
  await putReminders(tx, rows);
}

interface Reminded {
  readonly object: JcalComponent;
  readonly instances: readonly EventInstance[];
  readonly zones: ObjectZones;
  readonly since: number;
  readonly now: number;
}

type ReminderRow = Omit<CalendarReminderRow, 'object_id' | 'member_id'>;

/** Reminders that are to come, the first one first, and when further ones are to be written. */
function reminderRows({ object, instances, zones, since, now }: Reminded): ReminderRow[] {
  const { master, series } = seriesOf(object, zones);
  const { replaced, set } = openSeries(series, { zones: zones.zones, zone: zones.zone });
  const isSeries = series.rules.length > 0 || series.rdates.length > 0;
  const clock = set.frame.kind === 'zoned' ? set.frame.zone : zones.zone;
  const own = master === undefined ? [] : remindersOf(master);
  const found: ReminderRow[] = [];
  const absolute = new Set<string>();
  for (const row of instances.toSorted((one, other) => one.start_at - other.start_at)) {
    if (row.status === 'CANCELLED') continue;
    const override = replaced.get(row.recurrence);
    const reminders = override?.override === undefined ? own : remindersOf(override.override.component);
    for (const reminder of reminders) {
      const name = reminderKey(reminder);
      // A moment comes once, however often the event does.
      if (reminder.relatedTo === undefined) {
        if (absolute.has(name)) continue;
        absolute.add(name);
      }
      for (const [time, due] of duesOf(reminder, row, clock, zones).entries()) {
        if (due <= since) continue;
        const alarm = sha256HexOfText(time === 0 ? name : `${name} again ${time}`).slice(0, 16);
        found.push({ recurrence: row.recurrence, alarm, action: reminder.action, due_at: due, start_at: row.start_at });
      }
    }
  }
  found.sort((one, other) => one.due_at - other.due_at);
  const until = isSeries ? now + AHEAD : Infinity;
  const near = found.filter((row) => row.due_at <= until).slice(0, MOST);
  if (near.length === found.length && !isSeries) return near;
  // The rows of instances go on too, so that a series without an end always has a next time.
  const last = near.length === MOST ? (near.at(-1)?.due_at ?? until) : Math.min(until, found.at(-1)?.due_at ?? until);
  const goesOn = near.length < found.length || isSeries;
  if (!goesOn || found.length === 0) return near;
  return [...near, { recurrence: 0, alarm: NEXT, action: 'DISPLAY', due_at: Math.max(last, now + 1), start_at: last }];
}

/** When a reminder is due, and when again (RFC 5545 3.8.6.2). */
function duesOf(
  { trigger, relatedTo, repeat = 0, duration = '' }: Reminder,
  { start_at: start, end_at: end }: EventInstance,
  clock: string,
  zones: ObjectZones,
): number[] {
  const offset = durationOf(trigger);
  const from = relatedTo === 'END' ? end : start;
  const dues = [offset === undefined ? Date.parse(trigger) : later(from, offset, clock, zones)];
  const between = durationOf(duration);
  if (between === undefined) return dues;
  for (let last = dues.at(-1) ?? 0; dues.length <= Math.min(repeat, MOST_REPEATS);) {
    const due = later(last, between, clock, zones);
    // What goes back, or stays, would be no repetition.
    if (due <= last) break;
    dues.push(due);
    last = due;
  }
  return dues;
}

/** Days are days of the calendar, the rest is exact (RFC 5545 3.3.6). */
function later(from: number, { days, seconds }: Duration, clock: string, { zones }: ObjectZones): number {
  const day = days === 0 ? from : zones.toUtc(clock, zones.toWall(clock, from) + days * DAY);
  return day + seconds * 1000;
}
