import fc from 'fast-check';
import { expect, it } from 'vitest';
import { STEPS } from '../../../../src/services/calendar/recurrence/budget.ts';
import { parseTime, wallText } from '../../../../src/services/calendar/recurrence/civil.ts';
import { planOf } from '../../../../src/services/calendar/recurrence/day-filter.ts';
import { isPlain, libraryTimes } from '../../../../src/services/calendar/recurrence/library.ts';
import { ownTimes } from '../../../../src/services/calendar/recurrence/own-expander.ts';
import { RuleError } from '../../../../src/services/calendar/recurrence/rule-error.ts';
import type { Rule } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import { runs } from '../../../support/stage.ts';
import { daysOf, isComparable, rules, rulesWithStart, starts } from './random-rules.ts';
import { secondOpinion } from './second-opinion.ts';
import { seriesOf, startsOf } from './series-of.ts';

const comparable = rulesWithStart.filter(([rule]) => isComparable(rule));

it('a second implementation finds the same instances', () => {
  fc.assert(
    fc.property(comparable, ([rule, start]) => {
      const to = parseTime(start).ms + daysOf[rule.freq] * 86_400_000;
      const series = { ...seriesOf(start, [], { zone: 'floating' }), rules: [rule] };
      const found = startsOf(series, { to: new Date(to).toISOString(), limit: 10_000 });
      expect(found.slice(0, 3000)).toEqual(secondOpinion(rule, start, to).slice(0, 3000));
    }),
    { numRuns: runs(400) },
  );
});

it('an end by COUNT or UNTIL, and a later begin, cut the same instances', () => {
  fc.assert(
    fc.property(
      comparable,
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      fc.nat(20),
      ([rule, start], most, counts, skipped) => {
        const days = daysOf[rule.freq];
        const to = parseTime(start).ms + days * 86_400_000;
        const all = secondOpinion(rule, start, to);
        const last = all[Math.min(most, all.length) - 1] ?? start;
        const ended: Rule = counts ? { ...rule, count: most } : { ...rule, until: last };
        const from = all[Math.min(skipped, all.length - 1)] ?? start;
        const series = { ...seriesOf(start, [], { zone: 'floating', duration: 'PT0S' }), rules: [ended] };
        const found = startsOf(series, { from: `${from}Z`, to: new Date(to).toISOString() });
        expect(found).toEqual(all.slice(0, most).filter((time) => time >= from));
      },
    ),
    { numRuns: runs(300) },
  );
});

it('the library and the own expander agree about what the library is asked for', () => {
  fc.assert(
    fc.property(rules.filter(isPlain), starts, fc.nat(10_000), fc.boolean(), (rule, start, later, allDay) => {
      const begin = parseTime(start).ms - (allDay ? parseTime(start).ms % 86_400_000 : 0);
      const from = begin + later * 86_400_000;
      const first = (times: Iterable<number>) => {
        const found: string[] = [];
        try {
          for (const time of times) {
            if (time >= from && found.push(wallText(time)) >= 20) break;
          }
        } catch (error) {
          // What matches rarely or never, such as each seventh day on another day of the week, ends for each of them at some time of its own.
          if (!(error instanceof RuleError && error.code === 'TOO_COMPLEX')) throw error;
          return { found, whole: false };
        }
        return { found, whole: true };
      };
      const range = { from, to: Number.POSITIVE_INFINITY };
      const own = first(ownTimes(planOf(rule, begin, allDay), range, () => true, { left: STEPS }));
      const library = first(libraryTimes(rule, { start: begin, allDay }, range, { left: STEPS }));
      // Whoever ends earlier has found the same until then.
      const until = own.whole && library.whole ? undefined : Math.min(own.found.length, library.found.length);
      expect(library.found.slice(0, until)).toEqual(own.found.slice(0, until));
    }),
    {
      numRuns: runs(300),
      examples: [[{ freq: 'DAILY', interval: 7, bySecond: [0], byDay: ['MO', 'SU'] }, '1996-12-17T00:00:00', 0, false]],
    },
  );
});
