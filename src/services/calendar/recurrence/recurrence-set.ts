import type { Budget } from './budget.ts';
import { type KeyRange, type RuleTime, ruleTimes } from './rule-times.ts';
import { DAY, wallDay } from './civil.ts';
import { RuleError } from './rule-error.ts';
import { type ExtraDate, type Frame, frameOf, type Moment, momentOf, type Series } from './series.ts';
import { untilKey } from './until.ts';
import type { Span } from './span.ts';
import type { Zones } from './zones.ts';

/** One of the recurrence set, before overrides. */
export interface SetItem extends RuleTime {
  /** of a PERIOD: UTC milliseconds, or how long it takes */
  readonly end?: number | Span;
}

/** A series whose dates are read, for one question. */
export interface RecurrenceSet {
  readonly frame: Frame;
  readonly budget: Budget;
  /** DTSTART */
  readonly start?: RuleTime;
  /** DTSTART and RDATE, ascending, each once */
  readonly explicit: readonly SetItem[];
  excludes(item: RuleTime): boolean;
  /** The instances with keys in a range, ascending, without those that EXDATE leaves out. */
  items(range: KeyRange): Generator<SetItem, void, undefined>;
  /** The last of them before a key that passes; of a series without end, before a finite key. */
  lastBefore(key: number, passes?: (item: SetItem) => boolean): SetItem | undefined;
}

/** @throws RuleError INVALID_TIME, INVALID_DURATION, UNKNOWN_ZONE */
export function recurrenceSet(series: Series, zones: Zones, budget: Budget): RecurrenceSet {
  const frame = frameOf(series, zones);
  const start = series.start === undefined ? undefined : startOf(series.start, frame);
  const dates = start === undefined ? [] : series.rdates.map((date) => extraItem(date, start, frame));
  const explicit = sortedOnce(start === undefined ? [] : [...dates, start]);
  const excluded = exclusions(series.exdates.map((date) => momentOf(date, frame)));
  const items = function* ({ from, to }: KeyRange): Generator<SetItem, void, undefined> {
    if (start === undefined) return;
    const rules = series.rules.map((rule) => ruleTimes(rule, start, frame, { from, to, budget }));
    const first = explicit.filter(({ key }) => key >= from && key < to);
    const [only] = rules;
    // Most series have one rule, which gives each time once.
    const all =
      first.length === 0 && rules.length === 1 && only !== undefined
        ? only
        : merged([first[Symbol.iterator](), ...rules]);
    for (const item of all) if (!excluded(item)) yield item;
  };
  return {
    frame,
    budget,
    ...(start !== undefined && { start }),
    explicit,
    excludes: excluded,
    items,
    lastBefore(before, passes = () => true) {
      const [first, latest] = [explicit[0], explicit.at(-1)];
      if (first === undefined || latest === undefined) return undefined;
      const ends = series.rules.map((rule) => (rule.count === undefined ? untilKey(rule, frame) : before));
      const end = Math.min(before, Math.max(latest.key, ...ends) + 1);
      // What is counted is made from the beginning anyway.
      const counted = series.rules.some(({ count }) => count !== undefined);
      for (let width = 64 * DAY; ; width *= 8) {
        const begin = counted ? first.key : end - width;
        let last: SetItem | undefined;
        for (const item of items({ from: begin, to: end })) if (passes(item)) last = item;
        if (last !== undefined || begin <= first.key) return last;
      }
    },
  };
}

function startOf(text: string, frame: Frame): RuleTime {
  const { key, wall, wholeDay } = momentOf({ at: text }, frame);
  if (wholeDay) throw new RuleError('INVALID_TIME', 'A series of times must start with a time.');
  return { key, wall };
}

function extraItem(date: ExtraDate, start: RuleTime, frame: Frame): SetItem {
  const { zone, zones } = frame;
  const { key, wall, wholeDay } = momentOf(date, frame);
  // A day in a series of times is one more of them on that day.
  const time = wall + start.wall - wallDay(start.wall) * DAY;
  const item = wholeDay ? { key: zones.toUtc(zone, time), wall: time } : { key, wall };
  if (date.duration !== undefined) return { ...item, end: date.duration };
  if (date.end === undefined) return item;
  const end = momentOf({ ...date, at: date.end }, frame).key;
  if (end < key) throw new RuleError('INVALID_DURATION', 'A period must not end before it starts.');
  return { ...item, end };
}

/** Of equal ones, one that has an end of its own. */
function sortedOnce(items: readonly SetItem[]): SetItem[] {
  const byKey = new Map<number, SetItem>();
  for (const item of items) if (byKey.get(item.key)?.end === undefined) byKey.set(item.key, item);
  return [...byKey.values()].toSorted((one, other) => one.key - other.key);
}

function exclusions(moments: readonly Moment[]): (item: RuleTime) => boolean {
  const keys = new Set(moments.filter(({ wholeDay }) => !wholeDay).map(({ key }) => key));
  const days = new Set(moments.filter(({ wholeDay }) => wholeDay).map(({ wall }) => wallDay(wall)));
  return ({ key, wall }) => keys.has(key) || (days.size > 0 && days.has(wallDay(wall)));
}

/** Ascending lists as one, each key once: of equal ones, that of the first list. */
function* merged(lists: readonly Iterator<SetItem, unknown, undefined>[]): Generator<SetItem, void, undefined> {
  const heads = lists.map((list) => list.next());
  for (let previous = Number.NaN; ;) {
    let least = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[least];
      if (head.done !== true && (best === undefined || best.done === true || head.value.key < best.value.key))
        least = index;
    }
    const [head, list] = [heads[least], lists[least]];
    if (head === undefined || head.done === true || list === undefined) return;
    if (head.value.key !== previous) yield head.value;
    previous = head.value.key;
    heads[least] = list.next();
  }
}
