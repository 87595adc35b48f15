import { type Budget, STEPS } from './budget.ts';
import { DAY, wallDay } from './civil.ts';
import {
  type Bounds,
  boundsOf,
  type Clock,
  type InstanceTimes,
  instanceTimes,
  type StartTime,
  startTimeOf,
} from './instance-times.ts';
import { type RecurrenceSet, recurrenceSet, type SetItem } from './recurrence-set.ts';
import type { RuleTime } from './rule-times.ts';
import {
  type Frame,
  frameOf,
  momentOf,
  type Override,
  type Recurrence,
  recurrenceOf,
  type Series,
  type When,
} from './series.ts';
import type { Span } from './span.ts';
import { wallAround, type Zones } from './zones.ts';

export interface Instance<O extends Override = Override> extends InstanceTimes {
  readonly recurrence: Recurrence;
  readonly override?: O;
}

export interface Reader {
  readonly zones: Zones;
  /** where days begin and floating times are; UTC without it */
  readonly zone?: string;
  /** the work that may be done, as in Budget */
  readonly steps?: number;
  /** the same, of several questions together */
  readonly budget?: Budget;
}

/** A series that is read once, to answer one question. */
export interface OpenSeries<O extends Override> {
  readonly set: RecurrenceSet;
  /** what stands in place of an instance, by its key; undefined when that is cancelled */
  readonly replaced: ReadonlyMap<number, Instance<O> | undefined>;
  /** UTC milliseconds that an instance takes at most, those of PERIODs and overrides aside */
  readonly longest: number;
  /** Keys that what starts at a moment, in UTC, may have: days and floating times have them without zone. */
  readonly keysAt: (utc: number) => { readonly least: number; readonly most: number };
  readonly instance: (item: SetItem) => Instance<O>;
  /** when it is, of which all else follows */
  readonly bounds: (item: SetItem) => Bounds;
}

/** @throws RuleError INVALID_TIME, INVALID_DURATION, UNKNOWN_ZONE, TOO_COMPLEX */
export function openSeries<O extends Override>(series: Series<O>, reader: Reader): OpenSeries<O> {
  const { zones } = reader;
  const set = recurrenceSet(series, zones, reader.budget ?? { left: reader.steps ?? STEPS });
  const { frame } = set;
  const clock = { zones, zone: reader.zone ?? 'UTC' };
  const replaced = new Map<number, Instance<O> | undefined>();
  for (const override of series.overrides) {
    const original = originalOf(override.recurrence, set);
    const start = startTimeOf(override.start, override.zone ?? series.zone, zones);
    const times = instanceTimes(start, override.duration, clock);
    const shown = { recurrence: recurrenceOf(original, frame), ...times, override };
    replaced.set(original.key, override.cancelled === true ? undefined : shown);
  }
  const startTime = startsOf(series, frame);
  const { days, ms } = series.duration;
  const isExact = frame.kind === 'zoned' && days === 0;
  return {
    set,
    replaced,
    longest: longestOf(series.duration, frame.kind === 'days'),
    keysAt: (utc) =>
      frame.kind === 'zoned' || !Number.isFinite(utc) ? { least: utc, most: utc } : wallAround(zones, clock.zone, utc),
    instance: (item) => shownAt(item, series, frame, clock),
    bounds: (item) =>
      isExact && item.end === undefined
        ? { start: item.key, end: item.key + ms }
        : boundsOf(startTime(item), item.end ?? series.duration, clock),
  };
}

/**
 * Instances of which somebody knows that the rules have them, by their keys: quicker than reading the series for it.
 * @throws RuleError as openSeries()
 */
export function knownInstances<O extends Override>(
  series: Pick<Series<O>, 'start' | 'zone' | 'duration' | 'overrides'>,
  { zones, zone = 'UTC' }: Reader,
): (key: number) => Instance<O> {
  const frame = frameOf(series, zones);
  return (key) => shownAt({ key, wall: wallOfKey(key, frame) }, series, frame, { zones, zone });
}

/** What the clocks of a series show at a key of it. */
export function wallOfKey(key: number, { kind, zone, zones }: Frame): number {
  return kind === 'zoned' ? zones.toWall(zone, key) : key;
}

function shownAt<O extends Override>(
  item: SetItem,
  series: Pick<Series, 'zone' | 'duration'>,
  frame: Frame,
  clock: Clock,
): Instance<O> {
  const times = instanceTimes(startsOf(series, frame)(item), item.end ?? series.duration, clock);
  return { recurrence: recurrenceOf(item, frame), ...times };
}

function startsOf({ zone }: Pick<Series, 'zone'>, { kind }: Frame): (time: RuleTime) => StartTime {
  return ({ key, wall }) => ({ wall, allDay: kind === 'days', zone, ...(kind === 'zoned' && { utc: key }) });
}

function longestOf({ days, ms }: Span, allDay: boolean): number {
  // The clocks are put back by a day at most.
  return days > 0 || allDay ? (Math.max(1, days) + 1) * DAY + ms : ms;
}

/** What a RECURRENCE-ID means. A day in a series of times is the first instance of that day. */
export function originalOf(recurrence: When, set: RecurrenceSet): RuleTime {
  const moment = momentOf(recurrence, set.frame);
  if (!moment.wholeDay) return moment;
  const [first] = set.items({ from: moment.key, to: moment.key + 2 * DAY });
  return first !== undefined && wallDay(first.wall) === wallDay(moment.wall) ? first : moment;
}
