import { describe, expect, it } from 'vitest';
import { expand } from '../../../../src/services/calendar/recurrence/expand.ts';
import { spanBetween } from '../../../../src/services/calendar/recurrence/instance-times.ts';
import type { Override } from '../../../../src/services/calendar/recurrence/series.ts';
import { parseSpan } from '../../../../src/services/calendar/recurrence/span.ts';
import { instancesOf, seriesOf, startsOf, zones } from './series-of.ts';

const berlin = { zone: 'Europe/Berlin' };
const hour = parseSpan('PT1H');
const on = (date: string, time = '09:00:00') => `${date}T${time}`;
const days = (texts: readonly string[]) => texts.map((text) => text.slice(0, 10));

describe('the recurrence set', () => {
  it('begins with DTSTART, which counts even out of the rule', () => {
    // A Tuesday
    expect(days(startsOf(seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;BYDAY=MO;COUNT=3', berlin)))).toEqual([
      '2026-03-03',
      '2026-03-09',
      '2026-03-16',
    ]);
    expect(days(startsOf(seriesOf(on('2026-03-02'), 'FREQ=WEEKLY;BYDAY=MO;COUNT=3', berlin)))).toEqual([
      '2026-03-02',
      '2026-03-09',
      '2026-03-16',
    ]);
    expect(days(startsOf(seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;COUNT=1', berlin)))).toEqual(['2026-03-03']);
    expect(days(startsOf(seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;UNTIL=20200101T000000Z', berlin)))).toEqual([
      '2026-03-03',
    ]);
  });

  it('counts before EXDATE takes away', () => {
    const exdates = [{ at: on('2026-03-04') }];
    expect(days(startsOf(seriesOf(on('2026-03-03'), 'FREQ=DAILY;COUNT=3', { ...berlin, exdates })))).toEqual([
      '2026-03-03',
      '2026-03-05',
    ]);
  });

  it('leaves out months without the 31st and years without February 29', () => {
    const monthly = startsOf(seriesOf(on('2026-01-31'), 'FREQ=MONTHLY;COUNT=4', berlin));
    expect(days(monthly)).toEqual(['2026-01-31', '2026-03-31', '2026-05-31', '2026-07-31']);
    const yearly = startsOf(seriesOf('2096-02-29', 'FREQ=YEARLY;COUNT=3'), { to: '2200-01-01' });
    expect(yearly).toEqual(['2096-02-29', '2104-02-29', '2108-02-29']);
  });

  it('takes the weekday of DTSTART for BYWEEKNO alone', () => {
    const starts = startsOf(seriesOf(on('2026-05-14'), 'FREQ=YEARLY;BYWEEKNO=20;COUNT=3', berlin));
    expect(days(starts)).toEqual(['2026-05-14', '2027-05-20', '2028-05-18']);
  });

  it('has week 1 whole, also what is in the year before, and week 53 where there is one', () => {
    const week1 = startsOf(seriesOf('2025-01-01', 'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TH'), { to: '2027-01-01' });
    expect(week1).toEqual(['2025-01-01', '2025-01-02', '2025-12-29', '2026-01-01']);
    const week53 = startsOf(seriesOf('2020-12-28', 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,SU;COUNT=4'), {
      to: '2030-01-01',
    });
    expect(week53).toEqual(['2020-12-28', '2021-01-03', '2026-12-28', '2027-01-03']);
  });

  it('limits BYYEARDAY by BYDAY', () => {
    const starts = startsOf(
      seriesOf('2006-03-31', 'FREQ=YEARLY;BYDAY=FR;BYYEARDAY=-275,-276,-277,-278,-279,-280,-281;COUNT=4'),
    );
    expect(starts).toEqual(['2006-03-31', '2007-03-30', '2008-03-28', '2009-03-27']);
  });

  it('joins several rules and RDATE, each instance once, in order', () => {
    const rdates = [{ at: on('2026-03-10') }, { at: on('2026-03-05') }, { at: on('2026-02-01') }];
    const rules = ['FREQ=WEEKLY;COUNT=2', 'FREQ=DAILY;INTERVAL=7;COUNT=3'];
    expect(days(startsOf(seriesOf(on('2026-03-03'), rules, { ...berlin, rdates })))).toEqual([
      '2026-02-01',
      '2026-03-03',
      '2026-03-05',
      '2026-03-10',
      '2026-03-17',
    ]);
  });

  it('has RDATEs of any zone, and days at the time of DTSTART', () => {
    const rdates = [
      { at: '2026-07-01T03:00:00', zone: 'America/New_York' },
      { at: '2026-07-02T10:00:00Z' },
      { at: '2026-07-03' },
    ];
    expect(startsOf(seriesOf(on('2026-03-03'), [], { ...berlin, rdates }))).toEqual([
      on('2026-03-03'),
      on('2026-07-01'),
      on('2026-07-02', '12:00:00'),
      on('2026-07-03'),
    ]);
  });

  it('has the PERIODs of RDATE with their own ends', () => {
    const rdates = [
      { at: '2026-03-04T08:00:00Z', end: '2026-03-04T11:00:00Z' },
      { at: on('2026-03-05'), duration: parseSpan('PT30M') },
      // The same as an instance of the rule: the period says more.
      { at: on('2026-03-10'), end: on('2026-03-10', '09:15:00') },
    ];
    const found = instancesOf(seriesOf(on('2026-03-03'), 'FREQ=WEEKLY;COUNT=2', { ...berlin, rdates }));
    expect(found.map(({ startAt, endAt }) => [startAt, endAt.slice(11)])).toEqual([
      [on('2026-03-03'), '10:00:00'],
      [on('2026-03-04'), '12:00:00'],
      [on('2026-03-05'), '09:30:00'],
      [on('2026-03-10'), '09:15:00'],
    ]);
    const backwards = seriesOf(on('2026-03-03'), [], {
      ...berlin,
      rdates: [{ at: on('2026-03-05'), end: on('2026-03-04') }],
    });
    expect(() => instancesOf(backwards)).toThrow(expect.objectContaining({ code: 'INVALID_DURATION' }));
    // One that is longer than the others reaches into a later range.
    const long = seriesOf(on('2026-03-03'), [], {
      ...berlin,
      rdates: [{ at: on('2026-04-01'), end: on('2026-04-20') }],
    });
    expect(startsOf(long, { from: '2026-04-19', to: '2026-04-21' })).toEqual([on('2026-04-01')]);
  });

  it('is without EXDATEs, of other zones as instants, of days as days', () => {
    const exdates = [
      { at: '2026-03-04T03:00:00', zone: 'America/New_York' },
      { at: '2026-03-05T08:00:00Z' },
      { at: '2026-03-06' },
      { at: on('2026-03-07', '09:00:01') },
    ];
    expect(days(startsOf(seriesOf(on('2026-03-03'), 'FREQ=DAILY;COUNT=5', { ...berlin, exdates })))).toEqual([
      '2026-03-03',
      '2026-03-07',
    ]);
    const allDay = {
      exdates: [
        { at: '2026-03-04' },
        { at: '2026-03-05T00:00:00', zone: 'Asia/Tokyo' },
        { at: '2026-03-06T00:00:00Z' },
      ],
    };
    expect(startsOf(seriesOf('2026-03-03', 'FREQ=DAILY;COUNT=5', allDay))).toEqual(['2026-03-03', '2026-03-07']);
    expect(
      startsOf(seriesOf(on('2026-03-03'), 'FREQ=DAILY;COUNT=2', { ...berlin, exdates: [{ at: on('2026-03-03') }] })),
    ).toEqual([on('2026-03-04')]);
  });

  it('ends with UNTIL, whatever it is written as', () => {
    const until = (text: string) => days(startsOf(seriesOf(on('2026-03-03'), `FREQ=DAILY;UNTIL=${text}`, berlin)));
    expect(until('20260305T080000Z')).toEqual(['2026-03-03', '2026-03-04', '2026-03-05']);
    expect(until('20260305T075959Z')).toEqual(['2026-03-03', '2026-03-04']);
    expect(until('20260305T090000')).toEqual(['2026-03-03', '2026-03-04', '2026-03-05']);
    expect(until('20260305')).toEqual(['2026-03-03', '2026-03-04', '2026-03-05']);
    expect(startsOf(seriesOf('2026-03-03', 'FREQ=DAILY;UNTIL=20260305T230000Z'))).toEqual([
      '2026-03-03',
      '2026-03-04',
      '2026-03-05',
    ]);
  });
});

describe('the clocks', () => {
  it('skip instances of a rule, which do not count', () => {
    const starts = startsOf(seriesOf(on('2026-03-28', '02:30:00'), 'FREQ=DAILY;COUNT=3', berlin));
    expect(starts).toEqual([on('2026-03-28', '02:30:00'), on('2026-03-30', '02:30:00'), on('2026-03-31', '02:30:00')]);
  });

  it('do not skip what somebody wrote: it is read with the offset before', () => {
    const series = seriesOf(on('2026-03-29', '02:30:00'), 'FREQ=DAILY;COUNT=2', berlin);
    const [first, second] = instancesOf(series);
    expect([first?.startAt, first?.recurrence]).toEqual([
      on('2026-03-29', '03:30:00'),
      { at: on('2026-03-29', '02:30:00'), id: '20260329T013000Z', key: Date.parse('2026-03-29T01:30:00Z') },
    ]);
    expect(second?.startAt).toBe(on('2026-03-30', '02:30:00'));
    const rdates = [{ at: on('2027-03-28', '02:30:00') }];
    expect(startsOf(seriesOf(on('2026-06-01'), [], { ...berlin, rdates }))[1]).toBe(on('2027-03-28', '03:30:00'));
  });

  it('are counted out before BYSETPOS: the last Sunday at a time that it lacks is the one before', () => {
    const starts = startsOf(
      seriesOf(on('2026-02-22', '02:30:00'), 'FREQ=MONTHLY;BYDAY=SU;BYSETPOS=-1;COUNT=3', berlin),
    );
    expect(days(starts)).toEqual(['2026-02-22', '2026-03-22', '2026-04-26']);
  });

  it('go back: what comes twice is once, the first', () => {
    const found = instancesOf(seriesOf(on('2026-10-25', '01:30:00'), 'FREQ=HOURLY;COUNT=3', berlin));
    expect(found.map(({ start }) => new Date(start).toISOString())).toEqual([
      '2026-10-24T23:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T02:30:00.000Z',
    ]);
  });

  it('make a day of P1D 23 hours long, and PT24H an hour later', () => {
    const end = (duration: string) =>
      instancesOf(seriesOf(on('2026-03-28', '12:00:00'), [], { ...berlin, duration }))[0]?.endAt;
    expect(end('P1D')).toBe(on('2026-03-29', '12:00:00'));
    expect(end('PT24H')).toBe(on('2026-03-29', '13:00:00'));
    expect(end('P1DT1H')).toBe(on('2026-03-29', '13:00:00'));
    // DTEND is exact for every instance: RFC 5545 3.8.5.3.
    const duration = spanBetween(
      on('2026-03-27', '22:00:00'),
      'Europe/Berlin',
      { at: on('2026-03-28', '06:00:00') },
      zones,
    );
    expect(duration).toEqual(parseSpan('PT8H'));
    const nights = instancesOf({ ...seriesOf(on('2026-03-27', '22:00:00'), 'FREQ=DAILY;COUNT=2', berlin), duration });
    expect(nights.map(({ endAt }) => endAt)).toEqual([on('2026-03-28', '06:00:00'), on('2026-03-29', '07:00:00')]);
  });

  it('refuse an end before the start, and a day as the end of a time', () => {
    const between = (start: string, end: string) => () => spanBetween(start, 'Europe/Berlin', { at: end }, zones);
    expect(between(on('2026-03-04'), on('2026-03-03'))).toThrow(expect.objectContaining({ code: 'INVALID_DURATION' }));
    expect(between('2026-03-04', '2026-03-03')).toThrow(expect.objectContaining({ code: 'INVALID_DURATION' }));
    expect(between(on('2026-03-04'), '2026-03-05')).toThrow(expect.objectContaining({ code: 'INVALID_TIME' }));
    expect(between('2026-03-04', '2026-03-06')()).toEqual(parseSpan('P2D'));
    const flight = spanBetween(
      on('2026-03-04'),
      'Europe/Berlin',
      { at: on('2026-03-04', '11:00:00'), zone: 'America/New_York' },
      zones,
    );
    expect(flight).toEqual(parseSpan('PT8H'));
  });

  it('do not concern days, which begin where the reader is', () => {
    const series = seriesOf('2026-03-28', 'FREQ=DAILY;COUNT=2');
    const [, second] = instancesOf(series, {}, { zone: 'Europe/Berlin' });
    expect([second?.startAt, second?.endAt, second?.allDay, second?.recurrence.id]).toEqual([
      '2026-03-29',
      '2026-03-30',
      true,
      '20260329',
    ]);
    expect([second?.start, second?.end]).toEqual([
      Date.parse('2026-03-28T23:00:00Z'),
      Date.parse('2026-03-29T22:00:00Z'),
    ]);
    const far = { zone: 'Pacific/Kiritimati' };
    expect(startsOf(series, { from: '2026-03-27T11:00:00Z', to: '2026-03-28T09:00:00Z' }, far)).toEqual(['2026-03-28']);
    expect(startsOf(series, { from: '2026-03-28T10:00:00Z', to: '2026-03-29T09:00:00Z' }, far)).toEqual(['2026-03-29']);
  });

  it('of the reader decide when a floating time is', () => {
    const series = seriesOf(on('2026-03-28'), 'FREQ=DAILY;COUNT=2', { zone: 'floating' });
    const [first] = instancesOf(series, {}, { zone: 'Asia/Tokyo' });
    expect([first?.startAt, first?.start, first?.zone, first?.recurrence.id]).toEqual([
      on('2026-03-28'),
      Date.parse('2026-03-28T00:00:00Z'),
      'floating',
      '20260328T090000',
    ]);
    expect(
      startsOf(series, { from: '2026-03-28T00:30:00Z', to: '2026-03-28T00:40:00Z' }, { zone: 'Asia/Tokyo' }),
    ).toHaveLength(1);
    expect(startsOf(series, { from: '2026-03-28T00:30:00Z', to: '2026-03-28T00:40:00Z' })).toHaveLength(0);
  });

  it('of UTC stay as they are', () => {
    const [first] = instancesOf(seriesOf('2026-03-28T09:00:00Z', 'FREQ=DAILY;COUNT=2', { zone: 'utc' }));
    expect(first).toMatchObject({
      startAt: '2026-03-28T09:00:00Z',
      endAt: '2026-03-28T10:00:00Z',
      zone: 'utc',
      recurrence: { at: '2026-03-28T09:00:00Z' },
    });
  });
});

describe('a range', () => {
  const series = seriesOf(on('2026-03-03'), 'FREQ=DAILY', berlin);

  it('has what overlaps it: its end is no longer within', () => {
    expect(startsOf(series, { from: '2026-03-05T08:59:59Z', to: '2026-03-06T08:00:00Z' })).toEqual([on('2026-03-05')]);
    expect(startsOf(series, { from: '2026-03-05T09:00:00Z', to: '2026-03-06T08:00:01Z' })).toEqual([on('2026-03-06')]);
    const moment = seriesOf(on('2026-03-03'), 'FREQ=DAILY', { ...berlin, duration: 'PT0S' });
    expect(startsOf(moment, { from: '2026-03-05T08:00:00Z', to: '2026-03-05T08:00:01Z' })).toEqual([on('2026-03-05')]);
    const long = seriesOf(on('2026-03-03'), 'FREQ=MONTHLY', { ...berlin, duration: 'P40D' });
    expect(days(startsOf(long, { from: '2026-05-10', to: '2026-05-11' }))).toEqual(['2026-04-03', '2026-05-03']);
  });

  it('has at most as many as were asked for, and says when there are more', () => {
    const ask = (limit: number) =>
      expand(series, { from: Date.parse('2026-03-04'), to: Date.parse('2026-03-09'), limit }, { zones });
    expect([ask(4).instances.length, ask(4).complete, ask(5).instances.length, ask(5).complete]).toEqual([
      4,
      false,
      5,
      true,
    ]);
  });

  it('may be far from the start', () => {
    const old = seriesOf('1970-01-01T09:00:00', 'FREQ=DAILY', berlin);
    expect(startsOf(old, { from: '2036-11-01', to: '2036-11-03' })).toEqual([on('2036-11-01'), on('2036-11-02')]);
    expect(startsOf(old, { from: '1960-11-01', to: '1970-01-02' })).toEqual([on('1970-01-01')]);
  });
});

describe('overrides', () => {
  const override = (at: string, start: string, more: Partial<Override> = {}): Override => ({
    recurrence: { at },
    start,
    duration: hour,
    ...more,
  });
  const of = (...overrides: Override[]) => seriesOf(on('2026-03-02'), 'FREQ=WEEKLY', { ...berlin, overrides });
  const march = { from: '2026-03-01', to: '2026-04-01' };

  it('stand in place of their instances, and lead back to what they came from', () => {
    const moved = override(on('2026-03-09'), on('2026-03-10', '15:00:00'));
    const found = instancesOf(of(moved), march);
    expect(found.map(({ startAt }) => startAt)).toEqual([
      on('2026-03-02'),
      on('2026-03-10', '15:00:00'),
      on('2026-03-16'),
      on('2026-03-23'),
      on('2026-03-30'),
    ]);
    expect([found[1]?.override, found[1]?.recurrence.at, found[1]?.recurrence.id]).toEqual([
      moved,
      on('2026-03-09'),
      '20260309T080000Z',
    ]);
  });

  it('move out of a range and into it, however far', () => {
    const out = override(on('2026-03-09'), on('2031-01-01'));
    expect(startsOf(of(out), march)).not.toContain(on('2026-03-09'));
    expect(startsOf(of(out), { from: '2031-01-01', to: '2031-01-02' })).toEqual([on('2031-01-01')]);
    expect(startsOf(of(override(on('2035-03-05'), on('2026-03-11'))), march)).toContain(on('2026-03-11'));
  });

  it('are found by instants of other zones, and by days', () => {
    const other = override('2026-03-09T04:00:00', on('2026-03-10'), {
      recurrence: { at: '2026-03-09T04:00:00', zone: 'America/New_York' },
    });
    expect(days(startsOf(of(other), march))).toEqual([
      '2026-03-02',
      '2026-03-10',
      '2026-03-16',
      '2026-03-23',
      '2026-03-30',
    ]);
    const [, day] = instancesOf(of(override('2026-03-09', on('2026-03-10'))), march);
    expect([day?.startAt, day?.recurrence.at]).toEqual([on('2026-03-10'), on('2026-03-09')]);
  });

  it('may have another zone, or be days', () => {
    const zoned = override(on('2026-03-09'), on('2026-03-09'), { zone: 'Asia/Tokyo' });
    const [, tokyo] = instancesOf(of(zoned), march);
    expect([tokyo?.start, tokyo?.zone]).toEqual([Date.parse('2026-03-09T00:00:00Z'), 'Asia/Tokyo']);
    const [, day] = instancesOf(of(override(on('2026-03-09'), '2026-03-09', { duration: parseSpan('P1D') })), march);
    expect([day?.allDay, day?.startAt, day?.endAt]).toEqual([true, '2026-03-09', '2026-03-10']);
  });

  it('are no instances when they are cancelled', () => {
    expect(days(startsOf(of(override(on('2026-03-09'), on('2026-03-09'), { cancelled: true })), march))).toEqual([
      '2026-03-02',
      '2026-03-16',
      '2026-03-23',
      '2026-03-30',
    ]);
  });

  it('are instances without a master, and without an original', () => {
    const { start: _, ...alone } = of(
      override(on('2026-03-09'), on('2026-03-10')),
      override(on('2026-03-16'), on('2026-03-16')),
    );
    expect(days(startsOf({ ...alone, rules: [] }, march))).toEqual(['2026-03-10', '2026-03-16']);
    expect(
      days(startsOf(of(override(on('2026-03-12'), on('2026-03-12')), override('2026-03-20', on('2026-03-20'))), march)),
    ).toEqual(['2026-03-02', '2026-03-09', '2026-03-12', '2026-03-16', '2026-03-20', '2026-03-23', '2026-03-30']);
    const allDay = {
      ...alone,
      rules: [],
      overrides: [override('2026-03-09', '2026-03-10', { duration: parseSpan('P1D') })],
    };
    expect(instancesOf(allDay, march).map(({ recurrence }) => recurrence.id)).toEqual(['20260309']);
  });
});
