import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { parseTime } from '../../../../src/services/calendar/recurrence/civil.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';
import { zones } from './series-of.ts';

const utc = (zone: string, wall: string) => new Date(zones.toUtc(zone, parseTime(wall).ms)).toISOString();
const exists = (zone: string, wall: string) => zones.existing(zone, parseTime(wall).ms) !== undefined;

describe('time zones', () => {
  it('are those of IANA, aliases too', () => {
    for (const name of ['Europe/Berlin', 'Asia/Calcutta', 'US/Eastern', 'UTC', 'Etc/GMT+5', 'europe/berlin', 'EST5EDT'])
      expect(zones.named(name)?.toLowerCase()).toBe(name.toLowerCase());
    for (const name of [
      '',
      'AET',
      'IST',
      '+01:00',
      'Z',
      'Europe/Nowhere',
      'W. Europe Standard Time',
      'Etc/Unknown',
      'SystemV/EST5',
    ])
      expect([name, zones.named(name)]).toEqual([name, undefined]);
    expect(() => zones.offset('Mars/Olympus', 0)).toThrow(expect.objectContaining({ code: 'UNKNOWN_ZONE' }));
  });

  it('are the same when one is an alias of the other', () => {
    expect(zones.same('Asia/Calcutta', 'Asia/Kolkata')).toBe(true);
    expect(zones.same('US/Eastern', 'America/New_York')).toBe(true);
    expect(zones.same('Etc/UTC', 'UTC')).toBe(true);
    expect(zones.same('Europe/Berlin', 'Europe/Paris')).toBe(false);
  });

  it('read a time in a gap with the offset before it, and one that comes twice as the first', () => {
    expect(utc('Europe/Berlin', '2026-03-29T02:30:00')).toBe('2026-03-29T01:30:00.000Z');
    expect(exists('Europe/Berlin', '2026-03-29T01:59:59')).toBe(true);
    expect(exists('Europe/Berlin', '2026-03-29T02:00:00')).toBe(false);
    expect(exists('Europe/Berlin', '2026-03-29T02:59:59')).toBe(false);
    expect(exists('Europe/Berlin', '2026-03-29T03:00:00')).toBe(true);
    expect(utc('Europe/Berlin', '2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z');
    expect(utc('Europe/Berlin', '2026-10-25T03:00:00')).toBe('2026-10-25T02:00:00.000Z');
    // RFC 5545 3.3.5
    expect(utc('America/New_York', '2007-11-04T01:30:00')).toBe('2007-11-04T05:30:00.000Z');
    expect(utc('America/New_York', '2007-03-11T02:30:00')).toBe('2007-03-11T07:30:00.000Z');
    // Samoa went without December 30.
    expect(exists('Pacific/Apia', '2011-12-30T12:00:00')).toBe(false);
    expect(utc('Pacific/Apia', '2011-12-31T00:00:00')).toBe('2011-12-30T10:00:00.000Z');
    // Half an hour, and a gap at midnight
    expect(utc('Australia/Lord_Howe', '2026-04-05T01:45:00')).toBe('2026-04-04T14:45:00.000Z');
    expect(utc('Africa/Cairo', '2026-04-24T00:00:00')).toBe('2026-04-23T22:00:00.000Z');
    // Three quarters of a minute
    expect(utc('Africa/Monrovia', '1971-06-01T00:00:00')).toBe('1971-06-01T00:44:30.000Z');
  });

  it('have the transitions that Temporal knows', () => {
    const found = zones
      .transitions('Europe/Berlin', 2025, 2026)
      .map(({ at, before, after }) => [new Date(at).toISOString(), before, after]);
    expect(found).toEqual([
      ['2025-03-30T01:00:00.000Z', 3_600_000, 7_200_000],
      ['2025-10-26T01:00:00.000Z', 7_200_000, 3_600_000],
      ['2026-03-29T01:00:00.000Z', 3_600_000, 7_200_000],
      ['2026-10-25T01:00:00.000Z', 7_200_000, 3_600_000],
    ]);
    expect(zones.transitions('UTC', 1970, 2037)).toEqual([]);
    const expected: number[] = [];
    let time = Temporal.ZonedDateTime.from('2009-12-31T00:00[Africa/Casablanca]').getTimeZoneTransition('next');
    while (time !== null && time.year < 2021) {
      expected.push(time.epochMilliseconds);
      time = time.getTimeZoneTransition('next');
    }
    expect(zones.transitions('Africa/Casablanca', 2010, 2020).map(({ at }) => at)).toEqual(expected);
  });

  it('are kept in bounds', () => {
    const many = createZones();
    for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 120)) many.offset(zone, 0);
    expect(many.offset('Europe/Berlin', 0)).toBe(3_600_000);
    expect(many.offset('Europe/Berlin', -70_000_000_000_000)).toBeGreaterThan(0);
    expect(many.offset('Europe/Berlin', 300_000_000_000_000)).toBeGreaterThan(0);
  });
});
