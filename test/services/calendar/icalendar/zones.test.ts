import { describe, expect, it } from 'vitest';
import { zoneOfName } from '../../../../src/services/calendar/icalendar/zones/names.ts';
import { resolveZone } from '../../../../src/services/calendar/icalendar/zones/resolve.ts';
import { vtimezone } from '../../../../src/services/calendar/icalendar/zones/vtimezone.ts';
import { expectSameOffsets } from './same-offsets.ts';
import { zones } from './support.ts';

describe('the name of a zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['US/Eastern', 'US/Eastern'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['pacific standard time', 'America/Los_Angeles'],
    ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Tzfile/Europe/Berlin', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['(GMT+01.00) Amsterdam, Berlin', 'Europe/Amsterdam'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Kolkata'],
    // The cities are not where the offset says.
    ['(UTC+09:00) Berlin, Rome', undefined],
    ['GMT+0100', 'Etc/GMT-1'],
    ['UTC-03:00', 'Etc/GMT+3'],
    ['GMT+0545', 'Asia/Kathmandu'],
    ['Customized Time Zone', undefined],
    ['tzone://Microsoft/Custom', undefined],
    ['IST', undefined],
    ['', undefined],
    ['../../etc/passwd', undefined],
  ])('%s means %s', (name, zone) => {
    expect(zoneOfName(name, zones)).toBe(zone);
  });
});

describe('a description of a zone', () => {
  it.each([
    'Europe/Berlin',
    'America/New_York',
    'America/St_Johns',
    'Africa/Casablanca',
    'Asia/Jerusalem',
    'Australia/Lord_Howe',
    'Africa/Monrovia',
    'Asia/Kolkata',
    'Europe/Dublin',
  ])('of %s is read with the same offsets', (zone) => {
    expectSameOffsets(zone);
  });

  it('has the rule of today in a form that every program reads', () => {
    const [, , observances] = vtimezone('Europe/Berlin', 'Europe/Berlin', zones, 2026);
    expect(observances.map(([name]) => name)).toEqual(['standard', 'daylight', 'standard']);
    expect(observances.flatMap(([, properties]) => properties.filter(([name]) => name === 'rrule'))).toEqual([
      ['rrule', {}, 'recur', { freq: 'YEARLY', bymonth: 3, byday: '-1SU' }],
      ['rrule', {}, 'recur', { freq: 'YEARLY', bymonth: 10, byday: '-1SU' }],
    ]);
  });

  it('of a zone without daylight saving is one offset', () => {
    expect(vtimezone('India Standard Time', 'Asia/Kolkata', zones)).toEqual([
      'vtimezone',
      [['tzid', {}, 'text', 'India Standard Time']],
      [
        [
          'standard',
          [
            ['dtstart', {}, 'date-time', '1970-01-01T00:00:00'],
            ['tzoffsetfrom', {}, 'utc-offset', '+05:30'],
            ['tzoffsetto', {}, 'utc-offset', '+05:30'],
          ],
          [],
        ],
      ],
    ]);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'])(
    'without a known name is that of %s by its rules',
    (zone) => {
      const resolved = resolveZone('Office', vtimezone('Office', zone, zones, 2020), '2026-05-01T10:00:00', zones);
      expect(resolved).toMatchObject({ by: 'rules', differs: false });
      const [mine, its] = [resolved.zone ?? '', zone].map((one) => zones.transitions(one, 2026, 2027));
      expect(mine).toEqual(its);
    },
  );

  it('that is like no zone has the offset of the time that is asked for', () => {
    const [, , [standard, daylight]] = vtimezone('Office', 'Europe/Berlin', zones, 2026);
    const shifted = JSON.parse(JSON.stringify([standard, daylight]).replaceAll('-1SU', '2WE')) as (typeof standard)[];
    const definition = ['vtimezone', [['tzid', {}, 'text', 'Office']], shifted] as unknown as ReturnType<
      typeof vtimezone
    >;
    expect(resolveZone('Office', definition, '2026-05-01T10:00:00', zones)).toEqual({
      zone: 'Etc/GMT-2',
      by: 'offset',
      differs: false,
    });
  });

  it('that says what its place is, is of that place', () => {
    const definition = vtimezone('/example.com/1', 'Europe/Berlin', zones, 2026);
    const placed: ReturnType<typeof vtimezone> = [
      'vtimezone',
      [...definition[1], ['x-lic-location', {}, 'unknown', 'Europe/Vienna']],
      definition[2],
    ];
    expect(resolveZone('Mine', placed, '2026-05-01', zones)).toEqual({
      zone: 'Europe/Vienna',
      by: 'name',
      differs: false,
    });
  });
});
