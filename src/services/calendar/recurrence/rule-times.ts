import { type Budget, spend } from './budget.ts';
import { planOf } from './day-filter.ts';
import { isPlain, libraryTimes } from './library.ts';
import { ownTimes, type WallRange } from './own-expander.ts';
import type { Rule } from './rule-text.ts';
import type { Frame, Moment } from './series.ts';
import { untilKey } from './until.ts';
import { wallAround } from './zones.ts';

/** What a rule gives: a time on the wall and its key in the series. */
export type RuleTime = Pick<Moment, 'key' | 'wall'>;

/** Keys that are asked for, the second no longer. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The instances that a rule adds to DTSTART, ascending, with keys in a range. DTSTART itself isn't among them, but counts: it is the
 * first instance whether the rule matches it or not. Times that the clocks skip are no instances and don't count (RFC 5545 3.3.10).
 *
 * @throws RuleError TOO_COMPLEX
 */
export function* ruleTimes(
  rule: Rule,
  start: RuleTime,
  frame: Frame,
  { from, to, budget }: KeyRange & { readonly budget: Budget },
): Generator<RuleTime, void, undefined> {
  const { zone, zones } = frame;
  const last = untilKey(rule, frame);
  let left = (rule.count ?? Number.POSITIVE_INFINITY) - 1;
  // What is counted is counted from the first one on.
  const begin = rule.count === undefined && from > start.key ? wallAround(zones, zone, from).least : start.wall;
  const until = Math.min(last, to - 1);
  if (left === 0 || until <= start.key) return;
  const end = Number.isFinite(until) ? wallAround(zones, zone, until).most + 1 : until;
  for (const wall of wallTimes(rule, start.wall, frame, { from: begin, to: end, budget })) {
    if (wall <= start.wall) continue;
    spend(budget, 1);
    const key = zones.existing(zone, wall);
    if (key === undefined) continue;
    if (key > until) return;
    if (key >= from) yield { key, wall };
    left -= 1;
    if (left === 0) return;
  }
}

function wallTimes(
  rule: Rule,
  start: number,
  { kind, zone, zones }: Frame,
  { budget, ...range }: WallRange & { readonly budget: Budget },
): Iterable<number> {
  const allDay = kind === 'days';
  if (isPlain(rule) && !isOfDays(rule)) return libraryTimes(rule, { start, allDay }, range, budget);
  return ownTimes(planOf(rule, start, allDay), range, (wall) => zones.existing(zone, wall) !== undefined, budget);
}

/** The own expander has only to count days, which takes a quarter of the library's time. Most series are of this kind, and have most instances. */
function isOfDays({ freq }: Rule): boolean {
  return freq === 'DAILY' || freq === 'WEEKLY';
}
