import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findInstance,
  isEndless,
  lastInstance,
  nextInstance,
} from '../../../../src/services/calendar/recurrence/expand.ts';
import { formatRule } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import type { Override } from '../../../../src/services/calendar/recurrence/series.ts';
import { shift } from '../../../../src/services/calendar/recurrence/shift.ts';
import { parseSpan } from '../../../../src/services/calendar/recurrence/span.ts';
import { split } from '../../../../src/services/calendar/recurrence/split.ts';
import { runs } from '../../../support/stage.ts';
import { rulesWithStart } from './random-rules.ts';
import { instancesOf, seriesOf, startsOf, zones } from './series-of.ts';

const reader = { zones };
const berlin = { zone: 'Europe/Berlin' };
const on = (date: string, time = '09:00:00') => `${date}T${time}`;
const override = (at: string, start: string, more: Partial<Override> = {}): Override => ({
  recurrence: { at },
  start,
  duration: parseSpan('PT1H'),
  ...more,
});
const moved = override(on('2026-03-04'), on('2026-03-20'));
const daily = seriesOf(on('2026-03-03'), 'FREQ=DAILY;COUNT=5', {
  ...berlin,
  exdates: [{ at: on('2026-03-05') }],
  overrides: [moved],
});
const notThere = (code: string) => expect.objectContaining({ name: 'RuleError', code }) as unknown;

describe('looking up', () => {
  it('finds what comes next, overrides where they are', () => {
    const next = (at: string) => nextInstance(daily, reader, Date.parse(at))?.startAt;
    expect(nextInstance(daily, reader)?.startAt).toBe(on('2026-03-03'));
    expect(next('2026-03-03T08:00:00Z')).toBe(on('2026-03-03'));
    expect(next('2026-03-03T08:00:01Z')).toBe(on('2026-03-06'));
    expect(next('2026-03-08')).toBe(on('2026-03-20'));
    expect(next('2026-03-21')).toBeUndefined();
    const earlier = { ...daily, overrides: [override(on('2026-03-06'), on('2026-03-01'))] };
    expect(nextInstance(earlier, reader)?.startAt).toBe(on('2026-03-01'));
  });

  it('finds the last one, unless there is none', () => {
    expect(lastInstance(daily, reader)?.startAt).toBe(on('2026-03-20'));
    expect(lastInstance({ ...daily, overrides: [] }, reader)?.startAt).toBe(on('2026-03-07'));
    const cancelled = [override(on('2026-03-07'), on('2026-03-07'), { cancelled: true })];
    expect(lastInstance({ ...daily, overrides: cancelled }, reader)?.startAt).toBe(on('2026-03-06'));
    const until = seriesOf(on('1971-03-03'), 'FREQ=YEARLY;INTERVAL=7;UNTIL=20300101', berlin);
    expect(lastInstance(until, reader)?.startAt).toBe(on('2027-03-03'));
    const endless = seriesOf(on('2026-03-03'), 'FREQ=DAILY', berlin);
    expect([isEndless(endless), isEndless(daily), lastInstance(endless, reader)]).toEqual([true, false, undefined]);
    const nothing = seriesOf(on('2026-03-03'), [], { ...berlin, exdates: [{ at: on('2026-03-03') }] });
    expect([lastInstance(nothing, reader), nextInstance(nothing, reader)]).toEqual([undefined, undefined]);
  });

  it('knows whether a moment is an instance', () => {
    const found = (at: string, zone?: string) =>
      findInstance(daily, { at, ...(zone !== undefined && { zone }) }, reader)?.startAt;
    expect(found('20260306T080000Z')).toBe(on('2026-03-06'));
    expect(found(on('2026-03-06', '03:00:00'), 'America/New_York')).toBe(on('2026-03-06'));
    expect(found('2026-03-06')).toBe(on('2026-03-06'));
    expect(found('20260304T080000Z')).toBe(on('2026-03-20'));
    expect(found('20260306T080001Z')).toBeUndefined();
    expect(found('20260305T080000Z')).toBeUndefined();
    expect(found('20260320T080000Z')).toBeUndefined();
    const days = seriesOf('2026-03-03', 'FREQ=DAILY');
    expect(findInstance(days, { at: '20260329' }, reader)?.startAt).toBe('2026-03-29');
  });
});

describe('splitting', () => {
  it('gives each side its instances: UNTIL before, the rest of COUNT after', () => {
    const { before, after } = split(daily, { at: on('2026-03-06') }, reader);
    expect(before?.rules.map(formatRule)).toEqual(['FREQ=DAILY;UNTIL=20260305T080000Z']);
    expect([after.start, ...after.rules.map(formatRule)]).toEqual([on('2026-03-06'), 'FREQ=DAILY;COUNT=2']);
    expect([before?.exdates.length, after.exdates.length, before?.overrides, after.overrides]).toEqual([
      1,
      0,
      [moved],
      [],
    ]);
  });

  it('at the first instance leaves everything to the second', () => {
    expect(split(daily, { at: on('2026-03-03') }, reader)).toEqual({ after: daily });
  });

  it('is possible at an override, and refused where nothing is', () => {
    const { before, after } = split(daily, { at: on('2026-03-04') }, reader);
    expect([before?.overrides, after.overrides, after.start]).toEqual([[], [moved], on('2026-03-04')]);
    for (const at of [on('2026-03-05'), on('2026-03-04', '09:00:01'), on('2026-03-20'), '2026-03-09'])
      expect(() => split(daily, { at }, reader)).toThrow(notThere('NOT_AN_INSTANCE'));
    const several = seriesOf(on('2026-03-03'), ['FREQ=DAILY', 'FREQ=WEEKLY'], berlin);
    expect(() => split(several, { at: on('2026-03-04') }, reader)).toThrow(notThere('UNSUPPORTED_RULE'));
  });

  it('keeps a day of EXDATE on both sides, and begins with the rule at an RDATE', () => {
    const series = seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;COUNT=4', {
      ...berlin,
      exdates: [{ at: '2026-03-17' }, { at: '2026-03-05' }],
      rdates: [{ at: on('2026-03-05', '10:00:00') }, { at: on('2026-03-06') }],
    });
    const { before, after } = split(series, { at: on('2026-03-06') }, reader);
    expect(before && startsOf(before)).toEqual([on('2026-03-03')]);
    expect([after.start, after.rdates]).toEqual([on('2026-03-10'), [{ at: on('2026-03-06') }]]);
    expect(startsOf(after)).toEqual([on('2026-03-06'), on('2026-03-10'), on('2026-03-24')]);
  });

  it('of any series loses no instance and adds none', () => {
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'floating', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(
        rulesWithStart,
        zone,
        fc.integer({ min: 1, max: 30 }),
        fc.nat(29),
        fc.boolean(),
        ([rule, start], where, count, at, counted) => {
          const series = { ...seriesOf(start, [], { zone: where }), rules: [counted ? { ...rule, count } : rule] };
          const range = { from: '1990-01-01', to: '2090-01-01', limit: 30 };
          const all = instancesOf(series, range);
          const point = all[Math.min(at, all.length - 1)];
          const { before, after } = split(series, { at: point?.recurrence.at ?? '' }, reader);
          const ids = [...(before === undefined ? [] : instancesOf(before, range)), ...instancesOf(after, range)].map(
            ({ recurrence }) => recurrence.id,
          );
          expect(ids.slice(0, 30)).toEqual(all.map(({ recurrence }) => recurrence.id));
          expect(before && lastInstance(before, reader)?.recurrence.key).toBe(
            before && all[all.indexOf(point!) - 1]?.recurrence.key,
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

it('RANGE=THISANDFUTURE is read as a split: the second part begins where the override says', () => {
  // From March 6 on an hour later, and for two hours.
  const { before, after } = split({ ...daily, overrides: [] }, { at: on('2026-03-06') }, reader);
  const times = { start: on('2026-03-06', '10:00:00'), zone: 'Europe/Berlin', duration: parseSpan('PT2H') };
  const { series } = shift(after, times, reader);
  expect(before && startsOf(before)).toEqual([on('2026-03-03'), on('2026-03-04')]);
  expect(instancesOf(series).map(({ startAt, endAt }) => [startAt, endAt.slice(11)])).toEqual([
    [on('2026-03-06', '10:00:00'), '12:00:00'],
    [on('2026-03-07', '10:00:00'), '12:00:00'],
  ]);
});

describe('moving a series', () => {
  const times = { start: on('2026-03-03', '11:00:00'), zone: 'Europe/Berlin', duration: parseSpan('PT2H') };

  it('moves RDATE, EXDATE, UNTIL and what overrides are for', () => {
    const renamed = override(on('2026-03-06'), on('2026-03-06'));
    const series = seriesOf(on('2026-03-03'), 'FREQ=DAILY;UNTIL=20260307T080000Z', {
      ...berlin,
      exdates: [{ at: '2026-03-05T08:00:00Z' }, { at: '2026-03-31' }],
      rdates: [{ at: on('2026-04-01'), end: on('2026-04-01', '09:30:00') }],
      overrides: [moved, renamed],
    });
    const { series: later, dropped } = shift(series, times, reader);
    expect(later.rules.map(formatRule)).toEqual(['FREQ=DAILY;UNTIL=20260307T100000Z']);
    expect(later.exdates).toEqual([{ at: on('2026-03-05', '11:00:00') }, { at: '2026-03-31' }]);
    expect(later.rdates).toEqual([{ at: on('2026-04-01', '11:00:00'), duration: parseSpan('PT30M') }]);
    expect(later.overrides).toEqual([
      { ...moved, zone: 'Europe/Berlin', recurrence: { at: on('2026-03-04', '11:00:00') } },
      {
        ...renamed,
        zone: 'Europe/Berlin',
        recurrence: { at: on('2026-03-06', '11:00:00') },
        start: on('2026-03-06', '11:00:00'),
        duration: parseSpan('PT2H'),
      },
    ]);
    expect(dropped).toEqual([]);
  });

  it('keeps the time on the wall in another zone', () => {
    const { series } = shift(daily, { ...times, zone: 'America/New_York' }, reader);
    expect(series.exdates).toEqual([{ at: on('2026-03-05', '11:00:00') }]);
    expect(series.overrides[0]).toMatchObject({ start: on('2026-03-20'), zone: 'Europe/Berlin' });
    expect(startsOf({ ...series, overrides: [] })).toHaveLength(4);
  });

  it('names overrides whose instances are gone, but not those that never had one', () => {
    const orphan = override(on('2030-01-01'), on('2030-01-01'));
    const rules = [{ freq: 'WEEKLY' as const, count: 3 }];
    const { series, dropped } = shift({ ...daily, overrides: [moved, orphan] }, { ...times, rules }, reader);
    expect(dropped).toEqual([moved]);
    expect(series.overrides.map(({ recurrence }) => recurrence.at)).toEqual([on('2030-01-01', '11:00:00')]);
  });

  it('makes days of times, and times of days', () => {
    const { series: days } = shift(
      daily,
      { start: '2026-03-04', zone: 'Europe/Berlin', duration: parseSpan('P1D') },
      reader,
    );
    expect([days.exdates, days.overrides[0]?.recurrence]).toEqual([[{ at: '2026-03-06' }], { at: '2026-03-05' }]);
    expect(startsOf({ ...days, overrides: [] })).toEqual(['2026-03-04', '2026-03-05', '2026-03-07', '2026-03-08']);
    const { series: back } = shift(days, { start: on('2026-03-03'), zone: 'utc', duration: parseSpan('PT1H') }, reader);
    expect(back.exdates).toEqual([{ at: `${on('2026-03-05')}Z` }]);
    const until = seriesOf('2026-03-03', 'FREQ=DAILY;UNTIL=20260305');
    expect(shift(until, times, reader).series.rules.map(formatRule)).toEqual(['FREQ=DAILY;UNTIL=20260305T100000Z']);
  });

  it.each([
    ['FREQ=WEEKLY;BYDAY=TU', 'FREQ=WEEKLY;BYDAY=TH'],
    [
      'FREQ=WEEKLY;UNTIL=20260331T070000Z;INTERVAL=2;BYDAY=TU',
      'FREQ=WEEKLY;UNTIL=20260402T070000Z;INTERVAL=2;BYDAY=TH',
    ],
    ['FREQ=WEEKLY;BYDAY=TU,TH', 'FREQ=WEEKLY;BYDAY=TU,TH'],
    ['FREQ=WEEKLY;BYDAY=WE', 'FREQ=WEEKLY;BYDAY=WE'],
    ['FREQ=MONTHLY;BYMONTHDAY=3', 'FREQ=MONTHLY;BYMONTHDAY=5'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
    ['FREQ=MONTHLY;BYDAY=TU;BYMONTHDAY=3', 'FREQ=MONTHLY;BYDAY=TU;BYMONTHDAY=3'],
    ['FREQ=MONTHLY;BYDAY=1TU', 'FREQ=MONTHLY;BYDAY=1TU'],
  ])('to another day turns a rule that names only its day: %s', (rule, wanted) => {
    const series = seriesOf(on('2026-03-03'), rule, berlin);
    const { series: later } = shift(series, { ...times, start: on('2026-03-05') }, reader);
    expect(later.rules.map(formatRule)).toEqual([wanted]);
    const { series: given } = shift(series, { ...times, start: on('2026-03-05'), rules: series.rules }, reader);
    expect(given.rules.map(formatRule)).toEqual([rule]);
  });

  it('to another weekday takes along what was changed by itself', () => {
    const renamed = override(on('2026-03-10'), on('2026-03-10'));
    const weekly = seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;COUNT=3;BYDAY=TU', { ...berlin, overrides: [renamed] });
    const { series: later, dropped } = shift(weekly, { ...times, start: on('2026-03-05') }, reader);
    expect(dropped).toEqual([]);
    expect(startsOf(later)).toEqual([on('2026-03-05'), on('2026-03-12'), on('2026-03-19')]);
  });

  it('needs a start', () => {
    const { start: _, ...alone } = daily;
    expect(() => shift(alone, times, reader)).toThrow(notThere('INVALID_TIME'));
  });
});
