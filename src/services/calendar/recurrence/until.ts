import { DAY, dayText, SECOND, wallText } from './civil.ts';
import { checkRule, type Rule } from './rule-text.ts';
import { type Frame, momentOf } from './series.ts';

/**
 * The key of the last moment at which a rule may begin an instance; without UNTIL, infinity. UNTIL in another form than DTSTART is read as
 * what its writer meant: a local one in the zone of the series, a day on a series of times as its last second, a time on a series of days as
 * its day.
 *
 * @throws RuleError INVALID_TIME
 */
export function untilKey({ until }: Rule, frame: Frame): number {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  const { key, wall, wholeDay } = momentOf({ at: until }, frame);
  return wholeDay ? frame.zones.toUtc(frame.zone, wall + DAY - SECOND) : key;
}

/**
 * The rule with UNTIL as RFC 5545 has it: a day where DTSTART is one, a local time where it is floating, else UTC.
 *
 * @throws RuleError INVALID_RULE, INVALID_TIME
 */
export function normalizeRule(rule: Rule, frame: Frame): Rule {
  const checked = checkRule(rule);
  return checked.until === undefined ? checked : { ...checked, until: untilText(untilKey(checked, frame), frame) };
}

/** UNTIL of a key. */
export function untilText(key: number, { kind }: Frame): string {
  if (kind === 'days') return dayText(key);
  return kind === 'floating' ? wallText(key) : `${wallText(key)}Z`;
}
