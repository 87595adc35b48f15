import { DAY, wallDay } from './civil.ts';
import { openSeries, originalOf, type Reader } from './open-series.ts';
import type { RecurrenceSet } from './recurrence-set.ts';
import { RuleError } from './rule-error.ts';
import type { Rule } from './rule-text.ts';
import { type RuleTime, ruleTimes } from './rule-times.ts';
import { momentOf, type Override, recurrenceOf, type Series, type When } from './series.ts';
import { untilText } from './until.ts';

export interface SplitSeries<O extends Override> {
  /** without it, the split is at the first instance: the change is one of all */
  readonly before?: Series<O>;
  readonly after: Series<O>;
}

/**
 * Parts a series in two at an instance, which is the first of the second. Together they have the instances that the series had: the first
 * has UNTIL, COUNT of the second is less by what the first keeps, and dates and overrides stay with their instances. So is
 * RANGE=THISANDFUTURE read.
 *
 * Where the instance is an RDATE, the second begins with the next instance of its rule and keeps the RDATE.
 *
 * @throws RuleError NOT_AN_INSTANCE, UNSUPPORTED_RULE for a series of several rules, else as expand()
 */
export function split<O extends Override>(series: Series<O>, at: When, reader: Reader): SplitSeries<O> {
  const { set, replaced } = openSeries(series, reader);
  const { start, frame } = set;
  const point = originalOf(at, set);
  const [item] = set.items({ from: point.key, to: point.key + 1 });
  if (start === undefined || (item?.key !== point.key && !replaced.has(point.key)))
    throw new RuleError('NOT_AN_INSTANCE', 'There is no event of this series at that time.');
  const [rule, ...others] = series.rules;
  if (others.length > 0)
    throw new RuleError(
      'UNSUPPORTED_RULE',
      'A series with several rules cannot be split. Change single events, or all.',
    );
  if (set.lastBefore(point.key) === undefined && [...replaced.keys()].every((key) => key >= point.key))
    return { after: series };
  const rules = rule === undefined ? {} : splitRule(rule, start, point, set);
  const side = sideOf(point, frame);
  const parted = (which: 'before' | 'after', given: Rule | undefined) => ({
    rules: given === undefined ? [] : [given],
    rdates: series.rdates.filter((date) => side(date).includes(which)),
    exdates: series.exdates.filter((date) => side(date).includes(which)),
    overrides: series.overrides.filter(({ recurrence }) => side(recurrence).includes(which)),
  });
  const next = rules.next ?? point;
  return {
    before: { ...series, ...parted('before', rules.before) },
    after: { ...series, start: recurrenceOf(next, frame).at, ...parted('after', rules.after) },
  };
}

interface SplitRule {
  readonly before?: Rule;
  readonly after?: Rule;
  /** the first instance of the rule that the second part has */
  readonly next?: RuleTime;
}

function splitRule(rule: Rule, start: RuleTime, point: RuleTime, { frame, budget }: RecurrenceSet): SplitRule {
  const { count, until, ...parts } = rule;
  // DTSTART is one of them.
  const made = madeBefore(rule, start, point, { frame, budget });
  const before = { ...parts, until: untilText(made.last, frame) };
  const [next] = ruleTimes(rule, start, frame, { from: point.key, to: Number.POSITIVE_INFINITY, budget });
  if (next === undefined) return { before };
  const ending = count === undefined ? { ...(until !== undefined && { until }) } : { count: count - made.count };
  return { before, after: { ...parts, ...ending }, next };
}

/** How many instances a rule has before a moment, if it has a COUNT, and the key of the last one. */
function madeBefore(
  rule: Rule,
  start: RuleTime,
  { key }: RuleTime,
  { frame, budget }: Pick<RecurrenceSet, 'frame' | 'budget'>,
): { readonly count: number; readonly last: number } {
  for (let width = 64 * DAY; ; width *= 8) {
    const from = rule.count === undefined ? key - width : start.key;
    let [count, last] = [1, start.key];
    for (const time of ruleTimes(rule, start, frame, { from, to: key, budget })) {
      count += 1;
      last = time.key;
    }
    if (count > 1 || from <= start.key) return { count, last };
  }
}

/** On which side of the split a date belongs. A day in a series of times may be about instances on both. */
function sideOf(point: RuleTime, frame: RecurrenceSet['frame']): (date: When) => readonly ('before' | 'after')[] {
  return (date) => {
    const { key, wall, wholeDay } = momentOf(date, frame);
    if (wholeDay && wallDay(wall) === wallDay(point.wall)) return ['before', 'after'];
    return [key < point.key ? 'before' : 'after'];
  };
}
