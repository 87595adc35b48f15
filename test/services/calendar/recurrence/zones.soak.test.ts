import { expect, it } from 'vitest';
import { dayOf } from '../../../../src/services/calendar/recurrence/civil.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';
import { seriesOf, startsOf } from './series-of.ts';

const HOUR = 3_600_000;
const [FROM, TO] = [dayOf(1970, 1, 1) * 24 * HOUR, dayOf(2038, 1, 1) * 24 * HOUR];

/** What Intl says, without anything in between. */
function clockOf(zone: string): (utc: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (utc) => {
    const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(utc)) ?? [];
    const [h = 0, m = 0, s = 0] = [hours, minutes, seconds].map((part) => Number(part ?? 0));
    return (sign === '-' ? -1 : 1) * ((h * 60 + m) * 60 + s) * 1000;
  };
}

const zoneNames = [...Intl.supportedValuesOf('timeZone'), 'US/Eastern', 'Asia/Kolkata', 'EST5EDT'];

it('every zone has the offsets of Intl on every day from 1970 to 2037, and its transitions explain them', () => {
  let closest = Number.POSITIVE_INFINITY;
  for (const zone of zoneNames) {
    const zones = createZones();
    const clock = clockOf(zone);
    const transitions = zones.transitions(zone, 1970, 2037);
    for (let utc = FROM; utc < TO; utc += 24 * HOUR)
      if (zones.offset(zone, utc) !== clock(utc)) expect.fail(`${zone} at ${new Date(utc).toISOString()}`);
    for (const [index, { at, before, after }] of transitions.entries()) {
      expect([zone, at, clock(at - 1000), clock(at)]).toEqual([zone, at, before, after]);
      closest = Math.min(closest, at - (transitions[index - 1]?.at ?? Number.NEGATIVE_INFINITY));
    }
  }
  // Two changes must not fall into one stretch that is looked up at once.
  expect(closest).toBeGreaterThan(6 * 24 * HOUR);
});

it('every gap and overlap of every zone is read as RFC 5545 says, and instances skip gaps', () => {
  for (const zone of zoneNames) {
    const zones = createZones();
    for (const { at, before, after } of zones.transitions(zone, 1970, 2037)) {
      const [least, most] = [at + Math.min(before, after), at + Math.max(before, after)];
      for (const wall of [least, Math.floor((least + most) / 2000) * 1000, most - 1000]) {
        const gap = after > before;
        expect([zone, wall, zones.toUtc(zone, wall)]).toEqual([zone, wall, wall - before]);
        expect([zone, wall, zones.existing(zone, wall)]).toEqual([zone, wall, gap ? undefined : wall - before]);
      }
      expect(zones.toUtc(zone, least - 1000)).toBe(least - 1000 - before);
      expect(zones.toUtc(zone, most)).toBe(most - after);
    }
  }
});

it('a meeting at half past two is left out where the clocks skip it, and once where it comes twice', () => {
  for (const zone of [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Sydney',
    'America/Sao_Paulo',
    'Asia/Gaza',
    'Africa/Casablanca',
  ]) {
    const zones = createZones();
    const series = seriesOf('1970-01-01T02:30:00', 'FREQ=DAILY;UNTIL=20371229', { zone });
    const times = startsOf(series, { limit: 30_000 }, { steps: 1_000_000 });
    expect(new Set(times).size).toBe(times.length);
    const skipped = zones.transitions(zone, 1970, 2037).filter(({ at, before, after }) => {
      const wall = Math.floor((at + before) / (24 * HOUR)) * 24 * HOUR + 2.5 * HOUR;
      return wall >= at + before && wall < at + after;
    }).length;
    expect([zone, times.length]).toEqual([zone, dayOf(2037, 12, 30) - dayOf(1970, 1, 1) - skipped]);
  }
});
