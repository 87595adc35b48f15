import type { RuleObject } from '../../../contract/calendar/recurrence.ts';
import { jcalRuleOf, ruleObjectOf } from '../icalendar/fields/recurrence.ts';
import { spanOf, type FieldZones } from '../icalendar/fields/times.ts';
import { propertyOf, type JcalComponent } from '../icalendar/jcal.ts';
import { isDay, isTime, wallMs } from '../icalendar/text/times.ts';
import { DAY, wallDay, weekdayOf } from '../recurrence/civil.ts';
import { weekdays } from '../recurrence/rule-text.ts';

/** Wall-clock times are formatted as if they were in UTC. */
const days = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/**
 * When an event is, for whoever reads a mail without a calendar: `Thursday, 24 December 2026, 12:00 to 13:00 (Europe/Berlin), every week`.
 * @returns undefined without a time that can be read
 */
export function whenText(event: JcalComponent, zones: FieldZones): string | undefined {
  const span = spanOf(event, zones);
  if (span === undefined) return undefined;
  const { start, end } = span;
  const rule = jcalRuleOf(propertyOf(event, 'rrule'));
  const repeats = rule === undefined ? '' : `, ${repeatsText(ruleObjectOf(rule), wallMs(start.time))}`;
  const first = dayText(wallMs(start.time));
  if (isDay(start.time)) {
    // The end is the day after the last one.
    const last = dayText(Math.max(wallMs(start.time), wallMs(end.time) - DAY));
    return `${first}${last === first ? '' : ` to ${last}`}, all day${repeats}`;
  }
  const last = dayText(wallMs(end.time));
  const to = end.time === start.time ? '' : ` to ${last === first ? '' : `${last}, `}${timeText(end.time)}`;
  const oneZone = end.zone === start.zone || to === '';
  return `${first}, ${timeText(start.time)}${oneZone ? '' : zoneText(start.zone)}${to}${zoneText(oneZone ? start.zone : end.zone)}${repeats}`;
}

function zoneText(zone: string | undefined): string {
  return zone === undefined ? '' : ` (${zone})`;
}

/** `Thursday, 24 December 2026`: other versions of the formatter leave out the comma. */
function dayText(wall: number): string {
  const part = Object.fromEntries(days.formatToParts(wall).map(({ type, value }) => [type, value]));
  return `${part['weekday']}, ${part['day']} ${part['month']} ${part['year']}`;
}

function timeText(time: string): string {
  return time.slice(11, 16);
}

const units: Readonly<Record<string, string>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
const simple = new Set(['freq', 'interval', 'count', 'until', 'wkst', 'byDay']);

/** A rule in words; of one that needs many, only that there is one. */
function repeatsText(rule: RuleObject, start: number): string {
  const { freq, interval = 1, count, until, byDay } = rule;
  const unit = units[freq];
  const isItsDay =
    byDay === undefined ||
    (freq === 'WEEKLY' && byDay.length === 1 && byDay[0] === weekdays[weekdayOf(wallDay(start))]);
  if (unit === undefined || !isItsDay || Object.keys(rule).some((name) => !simple.has(name)))
    return 'and at other times';
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  if (count !== undefined) return `${every}, ${count} times`;
  return until === undefined || !isTime(until) ? every : `${every}, until ${dayText(wallMs(until.slice(0, 10)))}`;
}
