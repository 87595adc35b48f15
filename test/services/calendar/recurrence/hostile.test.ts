import { describe, expect, it } from 'vitest';
import { expand, lastInstance, nextInstance } from '../../../../src/services/calendar/recurrence/expand.ts';
import { inStage } from '../../../support/stage.ts';
import { RuleError } from '../../../../src/services/calendar/recurrence/rule-error.ts';
import { seriesOf, zones } from './series-of.ts';

const NEVER = [
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=SECONDLY;INTERVAL=60;BYSECOND=5',
  'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1',
  'FREQ=SECONDLY;BYHOUR=3;BYSETPOS=2',
  'FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3',
  'FREQ=MINUTELY;BYMONTH=4;BYMONTHDAY=31',
  'FREQ=HOURLY;INTERVAL=24;BYHOUR=5;BYDAY=MO',
  'FREQ=HOURLY;BYYEARDAY=366;BYMONTH=1',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYHOUR=9,10;BYSETPOS=5',
  'FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2',
  'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2',
  'FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=2MO',
  'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=300',
  'FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=4',
  'FREQ=YEARLY;BYWEEKNO=1;BYMONTH=6',
  'FREQ=YEARLY;BYYEARDAY=1;BYMONTHDAY=2',
  'FREQ=YEARLY;BYDAY=53MO;BYMONTH=1',
  'FREQ=YEARLY;INTERVAL=10000;BYWEEKNO=53;BYYEARDAY=60',
];

/** What is asked, or that it takes more than so many steps. */
function within(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RuleError) return error.code;
    throw error;
  }
}

describe.each(['Europe/Berlin', 'floating'])('a rule that never matches, in %s', (zone) => {
  const start = '1970-01-02T10:00:00';

  it.each(NEVER)('%s costs little in a range of three years', (rule) => {
    const range = { from: Date.parse('2035-01-01'), to: Date.parse('2038-01-01'), limit: 100 };
    const ask = () => expand(seriesOf(start, rule, { zone }), range, { zones, steps: 10_000 });
    expect(within(ask)).toEqual({ instances: [], complete: true });
  });

  it.each(NEVER)('%s has no next instance, or takes too many steps to have one', (rule) => {
    const ask = () => nextInstance(seriesOf(start, rule, { zone }), { zones, steps: 10_000 }, Date.parse('2035-01-01'));
    expect([undefined, 'TOO_COMPLEX']).toContain(within(ask));
  });
});

it('a step is bounded too: all that is allowed takes a moment', () => {
  const worst = NEVER.filter((rule) => !rule.includes('WEEKNO'));
  for (const rule of inStage(worst.slice(0, 1), worst, worst)) {
    const before = process.cpuUsage();
    const series = seriesOf('1970-01-02T10:00:00', rule, { zone: 'Europe/Berlin' });
    within(() => nextInstance(series, { zones }, Date.parse('2035-01-01')));
    // It takes 10 to 20 ms of a quiet machine.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  }
});

describe('a rule that matches rarely or far away', () => {
  const count = (rule: string, from: string, to: string) => {
    const series = seriesOf('1970-01-02T10:00:00', rule, { zone: 'Europe/Berlin', duration: 'PT0S' });
    const range = { from: Date.parse(from), to: Date.parse(to), limit: 10_000 };
    return within(() => expand(series, range, { zones }).instances.length);
  };

  it.each([
    ['FREQ=DAILY', '2036-11-01', '2036-12-01', 30],
    ['FREQ=DAILY;COUNT=1000000', '2036-11-01', '2036-12-01', 30],
    ['FREQ=DAILY;COUNT=20000', '2036-11-01', '2036-12-01', 0],
    ['FREQ=WEEKLY;BYDAY=MO,WE,FR', '2036-11-01', '2036-12-01', 12],
    ['FREQ=HOURLY', '2036-11-02', '2036-11-03', 24],
    ['FREQ=SECONDLY', '2036-11-02T00:00:00Z', '2036-11-02T00:01:00Z', 60],
    ['FREQ=YEARLY;INTERVAL=10000', '2036-11-01', '2036-12-01', 0],
    ['FREQ=SECONDLY;INTERVAL=10000', '2036-11-02', '2036-11-03', 9],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU', '2030-01-01', '2060-01-01', 1],
  ])('%s is quick', (rule, from, to, expected) => {
    expect(count(rule, from, to)).toBe(expected);
  });

  it('is refused rather than counted through when it was counted in seconds', () => {
    expect(count('FREQ=SECONDLY;COUNT=1000000', '2036-11-01', '2036-12-01')).toBe('TOO_COMPLEX');
    const endless = seriesOf('1970-01-02T10:00:00', 'FREQ=MINUTELY;COUNT=1000000', { zone: 'Europe/Berlin' });
    expect(() => lastInstance(endless, { zones })).toThrow(expect.objectContaining({ code: 'TOO_COMPLEX' }));
  });

  it('is limited in how many it has in a range', () => {
    expect(count('FREQ=SECONDLY', '2036-11-01', '2036-12-01')).toBe(10_000);
    expect(count('FREQ=DAILY;BYHOUR=0,1,2,3,4,5;BYMINUTE=0,1,2,3;BYSECOND=1,2,3', '2036-01-01', '2037-12-01')).toBe(
      10_000,
    );
  });
});
