// oxlint-disable-next-line import/default -- it is CommonJS, whose exports Node gives as the default
import rrule from 'rrule';
import { formatRule, type Rule } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import { weekdayOfText } from './random-rules.ts';

/** What `rrule` says, a port of dateutil, of times without zone: the start, and what the rule gives after it. */
export function secondOpinion(rule: Rule, start: string, to: number): string[] {
  const impliesDay =
    rule.byWeekNo !== undefined && [rule.byDay, rule.byMonthDay, rule.byYearDay].every((part) => part === undefined);
  // It takes BYWEEKNO alone for the whole week.
  const days = impliesDay ? { byDay: [weekdayOfText(start)] } : {};
  // It gives times in the order of the parts.
  const sorted = Object.fromEntries(
    (['byHour', 'byMinute', 'bySecond'] as const).flatMap((part) =>
      rule[part] === undefined ? [] : [[part, rule[part].toSorted((one, other) => one - other)]],
    ),
  );
  const other = rrule.rrulestr(formatRule({ ...rule, ...days, ...sorted }), { dtstart: new Date(`${start}Z`) });
  const times = other.between(new Date(`${start}Z`), new Date(to - 1), false);
  // One that two numbers of BYSETPOS select comes twice.
  return [...new Set([start, ...times.map((time) => time.toISOString().slice(0, 19))])];
}
