import type { Bounds } from './instance-times.ts';
import { type Instance, type OpenSeries, openSeries, originalOf, type Reader } from './open-series.ts';
import type { SetItem } from './recurrence-set.ts';
import type { Override, Series, When } from './series.ts';

export interface Range {
  /** UTC milliseconds; the second is no longer within */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

export interface Expansion<O extends Override> {
  /** in the order of their starts */
  readonly instances: Instance<O>[];
  /** false: there are more than `limit` */
  readonly complete: boolean;
}

/** When an instance is, for whoever needs no more of it. */
export interface Occurrence<O extends Override> extends Bounds {
  /** as in Recurrence */
  readonly key: number;
  readonly override?: O;
}

/**
 * Instances that overlap a range: those of DTSTART, RRULE and RDATE without EXDATE, with overrides in place of their originals, wherever
 * those are. Overrides whose originals aren't in the set are instances too, so that nothing that somebody entered disappears; cancelled
 * ones are none.
 *
 * @throws RuleError INVALID_TIME, INVALID_DURATION, UNKNOWN_ZONE, TOO_COMPLEX
 */
export function expand<O extends Override>(series: Series<O>, range: Range, reader: Reader): Expansion<O> {
  const open = openSeries(series, reader);
  const { found, complete } = occurrencesOf(open, range);
  return { instances: found.map(({ whole, item }) => whole ?? open.instance(item)), complete };
}

/**
 * The same, of each instance only when it is: several times as quick.
 * @throws RuleError as expand()
 */
export function occurrences<O extends Override>(
  series: Series<O>,
  range: Range,
  reader: Reader,
): { readonly occurrences: readonly Occurrence<O>[]; readonly complete: boolean } {
  const { found, complete } = occurrencesOf(openSeries(series, reader), range);
  return { occurrences: found, complete };
}

type Found<O extends Override> = Occurrence<O> &
  ({ readonly whole: Instance<O>; readonly item?: never } | { readonly whole?: never; readonly item: SetItem });

function occurrencesOf<O extends Override>(
  { set, replaced, longest, keysAt, bounds }: OpenSeries<O>,
  { from, to, limit }: Range,
): { readonly found: readonly Found<O>[]; readonly complete: boolean } {
  const found: Found<O>[] = [];
  const add = (item: SetItem): void => {
    const { start, end } = bounds(item);
    if (overlaps(start, end, from, to)) found.push({ key: item.key, start, end, item });
  };
  const lowest = keysAt(from - longest).least;
  const highest = keysAt(to).most;
  // A PERIOD may take longer than the others.
  for (const item of set.explicit)
    if (item.end !== undefined && item.key < lowest && !set.excludes(item) && !replaced.has(item.key)) add(item);
  for (const item of set.items({ from: lowest, to: highest })) {
    if (found.length > limit) break;
    if (!replaced.has(item.key)) add(item);
  }
  for (const whole of replaced.values()) {
    if (whole === undefined || !overlaps(whole.start, whole.end, from, to)) continue;
    const { start, end, override } = whole;
    found.push({ key: whole.recurrence.key, start, end, whole, ...(override !== undefined && { override }) });
  }
  found.sort(inOrder);
  return { found: found.slice(0, limit), complete: found.length <= limit };
}

function overlaps(start: number, end: number, from: number, to: number): boolean {
  return start < to && (end > from || (start === end && start >= from));
}

function inOrder<O extends Override>(one: Occurrence<O>, other: Occurrence<O>): number {
  return one.start - other.start || one.key - other.key;
}

/**
 * The first instance that starts at a moment or later; without one, the first of all.
 *
 * @param at UTC milliseconds
 * @throws RuleError as expand()
 */
export function nextInstance<O extends Override>(
  series: Series<O>,
  reader: Reader,
  at = Number.NEGATIVE_INFINITY,
): Instance<O> | undefined {
  const { set, replaced, keysAt, instance } = openSeries(series, reader);
  const moved = [...replaced.values()].filter((one) => one !== undefined && one.start >= at).toSorted(inStartOrder);
  const [override] = moved;
  const to = override === undefined ? Number.POSITIVE_INFINITY : keysAt(override.start).most + 1;
  for (const item of set.items({ from: keysAt(at).least, to })) {
    if (replaced.has(item.key)) continue;
    const next = instance(item);
    if (next.start >= at) return override === undefined || next.start <= override.start ? next : override;
  }
  return override;
}

function inStartOrder(one: Instance | undefined, other: Instance | undefined): number {
  return (one?.start ?? 0) - (other?.start ?? 0);
}

/** Whether there is no last instance. */
export function isEndless(series: Pick<Series, 'start' | 'rules'>): boolean {
  return (
    series.start !== undefined && series.rules.some(({ count, until }) => count === undefined && until === undefined)
  );
}

/**
 * The instance that starts last; undefined when there is none, or no last one.
 *
 * @throws RuleError as expand()
 */
export function lastInstance<O extends Override>(series: Series<O>, reader: Reader): Instance<O> | undefined {
  if (isEndless(series)) return undefined;
  const { set, replaced, instance } = openSeries(series, reader);
  let last: Instance<O> | undefined;
  for (const one of replaced.values())
    if (one !== undefined && (last === undefined || one.start > last.start)) last = one;
  const item = set.lastBefore(Number.POSITIVE_INFINITY, ({ key }) => !replaced.has(key));
  if (item === undefined) return last;
  const ordinary = instance(item);
  return last === undefined || ordinary.start > last.start ? ordinary : last;
}

/**
 * The instance with a RECURRENCE-ID, or with the second half of an occurrenceId; undefined when it isn't one, or is cancelled.
 *
 * @throws RuleError as expand()
 */
export function findInstance<O extends Override>(
  series: Series<O>,
  recurrence: When,
  reader: Reader,
): Instance<O> | undefined {
  const { set, replaced, instance } = openSeries(series, reader);
  const { key } = originalOf(recurrence, set);
  if (replaced.has(key)) return replaced.get(key);
  const [item] = set.items({ from: key, to: key + 1 });
  return item?.key === key ? instance(item) : undefined;
}
