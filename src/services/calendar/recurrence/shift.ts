import { civilOf, DAY, dayText, wallDay, wallText, weekdayOf } from './civil.ts';
import { startTimeOf } from './instance-times.ts';
import { openSeries, originalOf, type Reader } from './open-series.ts';
import { recurrenceSet, type RecurrenceSet } from './recurrence-set.ts';
import { STEPS } from './budget.ts';
import { RuleError } from './rule-error.ts';
import { type Rule, weekdays } from './rule-text.ts';
import { type ExtraDate, frameOf, momentOf, type Override, type Series, type When } from './series.ts';
import { untilKey, untilText } from './until.ts';

export interface NewTimes {
  /** DTSTART */
  readonly start: string;
  readonly zone: string;
  readonly duration: Series['duration'];
  /** without it the rules stay, but move with DTSTART */
  readonly rules?: readonly Rule[];
}

export interface ShiftedSeries<O extends Override> {
  readonly series: Series<O>;
  /** overrides, as they were, of instances that there are no longer; the series is without them */
  readonly dropped: readonly O[];
}

/**
 * Moves a series to another DTSTART, zone or duration. RDATE, EXDATE and what overrides are for move by as much on the wall. An override that was
 * at its original time moves too; one that was moved keeps its time. Between days and times, everything moves by days. A weekly rule that names
 * the weekday of DTSTART alone, and a monthly one that names its day alone, name the new one then.
 *
 * @throws RuleError INVALID_TIME for a series without DTSTART, else as expand()
 */
export function shift<O extends Override>(series: Series<O>, times: NewTimes, reader: Reader): ShiftedSeries<O> {
  const { set } = openSeries(series, reader);
  const { start: old, frame } = set;
  const { start, zone, duration } = times;
  const next = frameOf({ start, zone, overrides: [] }, reader.zones);
  const begin = momentOf({ at: start }, next);
  if (old === undefined) throw new RuleError('INVALID_TIME', 'A series without a start cannot be moved.');
  const days = wallDay(begin.wall) - wallDay(old.wall);
  const alike = (frame.kind === 'days') === (next.kind === 'days');
  const moved = (wall: number) =>
    alike ? wall + begin.wall - old.wall : (wallDay(wall) + days) * DAY + begin.wall - wallDay(begin.wall) * DAY;
  const text = (wall: number) =>
    next.kind === 'days' ? dayText(wall) : `${wallText(wall)}${zone === 'utc' ? 'Z' : ''}`;
  const date = (given: When): When => {
    const { wall, wholeDay } = momentOf(given, frame);
    return { at: wholeDay ? dayText(wall + days * DAY) : text(moved(wall)) };
  };
  const period = (given: ExtraDate): ExtraDate => {
    const span = given.end === undefined ? given.duration : { days: 0, ms: lengthOf(given, frame) };
    return { ...date(given), ...(span !== undefined && next.kind !== 'days' && { duration: span }) };
  };
  const override = (given: O): O => {
    const recurrence = date(given.recurrence);
    const at = startTimeOf(given.start, given.zone ?? series.zone, reader.zones);
    const original = originalOf(given.recurrence, set);
    const stayed =
      at.allDay === (frame.kind === 'days') && momentOf({ at: given.start, zone: at.zone }, frame).key === original.key;
    if (!stayed) return { ...given, recurrence, zone: given.zone ?? series.zone };
    const same = given.duration.days === series.duration.days && given.duration.ms === series.duration.ms;
    return {
      ...given,
      recurrence,
      start: text(moved(original.wall)),
      zone,
      duration: same ? duration : given.duration,
    };
  };
  const rule = (given: Rule): Rule => {
    const kept = turned(given, wallDay(old.wall), wallDay(begin.wall));
    if (given.until === undefined) return kept;
    const wall = moved(frame.zones.toWall(frame.zone, untilKey(given, frame)));
    return { ...kept, until: untilText(next.kind === 'zoned' ? next.zones.toUtc(next.zone, wall) : wall, next) };
  };
  const shifted = {
    start,
    zone,
    duration,
    rules: times.rules ?? series.rules.map(rule),
    rdates: series.rdates.map(period),
    exdates: series.exdates.map(date),
    overrides: series.overrides.map(override),
  };
  const had = matches(series.overrides, set);
  const has = matches(shifted.overrides, recurrenceSet(shifted, reader.zones, { left: reader.steps ?? STEPS }));
  const stays = (index: number) => has[index] === true || had[index] !== true;
  return {
    series: { ...shifted, overrides: shifted.overrides.filter((_, index) => stays(index)) },
    dropped: series.overrides.filter((_, index) => !stays(index)),
  };
}

/** A rule that names only the day on which the series began goes along to the day on which it begins now. */
function turned(rule: Rule, from: number, to: number): Rule {
  const { freq, byDay = [], byMonthDay = [] } = rule;
  const weekday = (day: number) => weekdays[weekdayOf(day)] ?? 'MO';
  if (freq === 'WEEKLY' && byDay.length === 1 && byDay[0] === weekday(from)) return { ...rule, byDay: [weekday(to)] };
  const monthly = freq === 'MONTHLY' && byDay.length === 0 && byMonthDay.length === 1;
  if (monthly && byMonthDay[0] === civilOf(from).day) return { ...rule, byMonthDay: [civilOf(to).day] };
  return rule;
}

function lengthOf({ end, ...date }: ExtraDate, frame: RecurrenceSet['frame']): number {
  return momentOf({ ...date, at: end ?? date.at }, frame).key - momentOf(date, frame).key;
}

/** Of each override, whether the set has its original. */
function matches(overrides: readonly Override[], set: RecurrenceSet): boolean[] {
  const keys = overrides.map(({ recurrence }) => originalOf(recurrence, set).key);
  const wanted = new Set(keys);
  const [first, last] = [Math.min(...keys), Math.max(...keys)];
  const found = new Set<number>();
  if (keys.length > 0)
    for (const { key } of set.items({ from: first, to: last + 1 })) if (wanted.has(key)) found.add(key);
  return keys.map((key) => found.has(key));
}
