import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleErrorCode } from '../../../../src/services/calendar/recurrence/rule-error.ts';
import { checkRule, formatRule, parseRule } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import { frameOf } from '../../../../src/services/calendar/recurrence/series.ts';
import { formatSpan, parseSpan } from '../../../../src/services/calendar/recurrence/span.ts';
import { normalizeRule } from '../../../../src/services/calendar/recurrence/until.ts';
import { rules } from './random-rules.ts';
import { zones } from './series-of.ts';

const refused = (code: RuleErrorCode, message: RegExp) =>
  expect.objectContaining({ name: 'RuleError', code, message: expect.stringMatching(message) as string });

describe('the text of a rule', () => {
  it('is read in any case, with its name and a last semicolon', () => {
    expect(parseRule('rrule:freq=weekly;interval=2;byday=mo,we;wkst=su;')).toEqual({
      freq: 'WEEKLY',
      interval: 2,
      byDay: ['MO', 'WE'],
      wkst: 'SU',
    });
    expect(parseRule('FREQ=MONTHLY;BYDAY=+1MO,-1FR;UNTIL=20260329T120000Z')).toEqual({
      freq: 'MONTHLY',
      byDay: ['+1MO', '-1FR'],
      until: '2026-03-29T12:00:00Z',
    });
    expect(parseRule('FREQ=DAILY;UNTIL=20260329').until).toBe('2026-03-29');
    expect(parseRule('FREQ=DAILY;UNTIL=20260329T120000').until).toBe('2026-03-29T12:00:00');
    expect(parseRule('RSCALE=GREGORIAN;FREQ=DAILY;SKIP=OMIT')).toEqual({ freq: 'DAILY' });
  });

  it('comes back as what was read', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        expect({ interval: 1, ...parseRule(formatRule(rule)) }).toEqual(rule);
      }),
    );
  });

  it('is written in the order of the RFC, without what is usual', () => {
    const text = formatRule({
      freq: 'YEARLY',
      interval: 1,
      byMonth: [3],
      byDay: ['-1SU'],
      until: '2026-03-29T12:00:00Z',
      wkst: 'MO',
    });
    expect(text).toBe('FREQ=YEARLY;UNTIL=20260329T120000Z;BYDAY=-1SU;BYMONTH=3;WKST=MO');
  });

  it.each([
    ['', 'INVALID_RULE', /parts such as FREQ=WEEKLY/],
    ['COUNT=3', 'INVALID_RULE', /must have a FREQ/],
    ['FREQ=OFTEN', 'INVALID_RULE', /a frequency/],
    ['FREQ=DAILY;FREQ=DAILY', 'INVALID_RULE', /FREQ only once/],
    ['FREQ=DAILY;COUNT=3;UNTIL=20260101', 'INVALID_RULE', /both COUNT and UNTIL/],
    ['FREQ=DAILY;COUNT=0', 'INVALID_RULE', /COUNT must be 1 to/],
    ['FREQ=DAILY;INTERVAL=0', 'INVALID_RULE', /INTERVAL must be 1 to/],
    ['FREQ=DAILY;INTERVAL=-1', 'INVALID_RULE', /INTERVAL must be 1 to/],
    ['FREQ=DAILY;INTERVAL=1.5', 'INVALID_RULE', /INTERVAL must be 1 to/],
    ['FREQ=DAILY;UNTIL=20260230', 'INVALID_TIME', /a day that exists/],
    ['FREQ=DAILY;UNTIL=soon', 'INVALID_TIME', /a day that exists/],
    ['FREQ=DAILY;BYHOUR=24', 'INVALID_RULE', /BYHOUR must be 0 to 23/],
    ['FREQ=DAILY;BYHOUR=', 'INVALID_RULE', /parts such as/],
    ['FREQ=DAILY;BYMONTH=13', 'INVALID_RULE', /BYMONTH must be 1 to 12/],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'INVALID_RULE', /BYMONTHDAY must not contain 0/],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'INVALID_RULE', /BYMONTHDAY must be -31 to 31/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'INVALID_RULE', /BYMONTHDAY is not possible/],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'INVALID_RULE', /BYWEEKNO is only possible/],
    ['FREQ=DAILY;BYYEARDAY=1', 'INVALID_RULE', /BYYEARDAY is not possible/],
    ['FREQ=WEEKLY;BYYEARDAY=1', 'INVALID_RULE', /BYYEARDAY is not possible/],
    ['FREQ=MONTHLY;BYYEARDAY=1', 'INVALID_RULE', /BYYEARDAY is not possible/],
    ['FREQ=WEEKLY;BYDAY=1MO', 'INVALID_RULE', /Days with a number/],
    ['FREQ=DAILY;BYDAY=-1FR', 'INVALID_RULE', /Days with a number/],
    ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'INVALID_RULE', /not possible with BYWEEKNO/],
    ['FREQ=MONTHLY;BYDAY=0MO', 'INVALID_RULE', /number of a day/],
    ['FREQ=MONTHLY;BYDAY=54MO', 'INVALID_RULE', /number of a day/],
    ['FREQ=MONTHLY;BYDAY=MONDAY', 'INVALID_RULE', /days such as MO/],
    ['FREQ=MONTHLY;BYSETPOS=1', 'INVALID_RULE', /BYSETPOS needs another/],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'INVALID_RULE', /BYSETPOS must not contain 0/],
    ['FREQ=YEARLY;WKST=1', 'INVALID_RULE', /WKST must be/],
    ['FREQ=YEARLY;BYEASTER=0', 'INVALID_RULE', /only have parts of RFC 5545/],
    ['FREQ=YEARLY;X-OURS=1', 'INVALID_RULE', /only have parts of RFC 5545/],
    ['RSCALE=CHINESE;FREQ=YEARLY', 'UNSUPPORTED_RULE', /RSCALE/],
    ['RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD', 'UNSUPPORTED_RULE', /SKIP/],
  ] as const)('%j is refused', (text, code, message) => {
    expect(() => parseRule(text)).toThrow(refused(code, message));
  });

  it('is refused as an object for the same reasons', () => {
    expect(() => checkRule({ freq: 'DAILY', byHour: [] })).toThrow(refused('INVALID_RULE', /BYHOUR must not be empty/));
    expect(() => checkRule({ freq: 'DAILY', byDay: [] })).toThrow(refused('INVALID_RULE', /BYDAY must not be empty/));
    expect(() => checkRule({ freq: 'DAILY', until: '2026-13-01' })).toThrow(
      refused('INVALID_TIME', /a day that exists/),
    );
  });
});

describe('UNTIL', () => {
  const normal = (until: string, start: string, zone: string) =>
    normalizeRule({ freq: 'DAILY', until }, frameOf({ start, zone, overrides: [] }, zones)).until;

  it('becomes what DTSTART is', () => {
    const time = '2026-03-01T09:00:00';
    expect(normal('2026-03-29T14:00:00', time, 'Europe/Berlin')).toBe('2026-03-29T12:00:00Z');
    expect(normal('2026-03-29T14:00:00+05:30', time, 'Europe/Berlin')).toBe('2026-03-29T08:30:00Z');
    expect(normal('2026-03-29', time, 'Europe/Berlin')).toBe('2026-03-29T21:59:59Z');
    expect(normal('2026-03-29', time, 'floating')).toBe('2026-03-29T23:59:59');
    expect(normal('2026-03-29T14:00:00Z', time, 'floating')).toBe('2026-03-29T14:00:00');
    expect(normal('2026-03-29T22:00:00Z', '2026-03-01', 'floating')).toBe('2026-03-29');
    expect(normal('2026-03-29T14:00:00', `${time}Z`, 'utc')).toBe('2026-03-29T14:00:00Z');
  });
});

describe('a duration', () => {
  it('has nominal days and exact time', () => {
    expect(parseSpan('P1D')).toEqual({ days: 1, ms: 0 });
    expect(parseSpan('PT24H')).toEqual({ days: 0, ms: 86_400_000 });
    expect(parseSpan('p2w')).toEqual({ days: 14, ms: 0 });
    expect(parseSpan('+P1DT1H2M3S')).toEqual({ days: 1, ms: 3_723_000 });
    for (const text of ['P1DT1H2M3S', 'PT36H', 'PT0S', 'P3D']) expect(formatSpan(parseSpan(text))).toBe(text);
  });

  it.each(['-PT1H', '-P1D'])('%s is refused as negative', (text) => {
    expect(() => parseSpan(text)).toThrow(refused('INVALID_DURATION', /must not be negative/));
  });

  it.each(['', 'P', 'PT', 'P1DT', '1H', 'P1H', 'P1.5D', 'P1Y'])('%j is refused', (text) => {
    expect(() => parseSpan(text)).toThrow(refused('INVALID_DURATION', /text such as/));
  });

  it('is refused when it is longer than the calendar', () => {
    expect(() => parseSpan('P99999999D')).toThrow(refused('INVALID_DURATION', /at most 10,000 years/));
  });
});
