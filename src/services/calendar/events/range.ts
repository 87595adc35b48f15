import { fieldProblem } from '../../../base/problem.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { DAY } from '../recurrence/civil.ts';
import type { Zones } from '../recurrence/zones.ts';

/** Milliseconds since 1970; the second is no longer within. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** @param zone in which days begin @throws Problem invalid VALIDATION_ERROR */
export function momentIn(text: string, field: string, zone: string, zones: Zones): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  const at = isDay ? day : Date.parse(text);
  // The 31st of February is the 3rd of March to Date.
  if (Number.isNaN(at) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10))
    throw fieldProblem(field, 'must be a time such as 2026-03-29T14:00:00Z, or a day such as 2026-03-29');
  return isDay ? zones.toUtc(zone, at) : at;
}

/** @throws Problem invalid VALIDATION_ERROR */
export function assertRange({ from, to }: TimeRange, field = 'end'): void {
  if (to <= from) throw fieldProblem(field, 'must be later than the begin');
  if (to - from > calendarLimits.rangeDays * DAY)
    throw fieldProblem(field, `must be at most ${calendarLimits.rangeDays} days later than the begin`);
}
