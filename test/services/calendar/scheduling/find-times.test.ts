import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findTimes, type Invitee, type WantedTime } from '../../../../src/services/calendar/scheduling/find-times.ts';
import { mergeBusy, type BusyTime } from '../../../../src/services/calendar/scheduling/merge-busy.ts';
import { hoursIn, usualWindows } from '../../../../src/services/calendar/scheduling/working-hours.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';
import { busyTypes } from '../../../../src/contract/calendar/limits.ts';
import '../../../support/seed-properties.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const zones = createZones();

/** Around the changes of the clocks of these zones in 2026, and some days without one. */
const places = [
  { zone: 'Europe/Berlin', at: Date.parse('2026-03-28T20:00:00Z') },
  { zone: 'Europe/Berlin', at: Date.parse('2026-10-24T20:00:00Z') },
  { zone: 'America/New_York', at: Date.parse('2026-11-01T00:00:00Z') },
  { zone: 'Australia/Lord_Howe', at: Date.parse('2026-04-04T06:00:00Z') },
  { zone: 'Asia/Kathmandu', at: Date.parse('2026-06-10T12:00:00Z') },
  { zone: 'UTC', at: Date.parse('2026-01-15T12:00:00Z') },
] as const;

const minutes = (most: number) => fc.integer({ min: 0, max: most }).map((count) => count * MINUTE);
const busyTime = fc
  .tuple(minutes(48 * 60), minutes(300), fc.constantFrom(...busyTypes))
  .map(([start, length, type]) => ({ start, end: start + length, type }));

it('busy times are merged so that each moment has the strongest that is there, in as few pieces as there can be', () => {
  fc.assert(
    fc.property(fc.array(busyTime, { maxLength: 12 }), minutes(24 * 60), minutes(24 * 60), (times, from, length) => {
      const to = from + length + MINUTE;
      const merged = mergeBusy(times, { from, to });
      const typeAt = (all: readonly BusyTime[], moment: number) =>
        busyTypes.find((type) => all.some((one) => one.type === type && one.start <= moment && moment < one.end));
      for (let at = from; at < to; at += MINUTE) expect(typeAt(merged, at)).toBe(typeAt(times, at));
      for (const [index, one] of merged.entries()) {
        const before = merged[index - 1];
        expect(one.start).toBeLessThan(one.end);
        expect(one.start >= from && one.end <= to).toBe(true);
        if (before === undefined) continue;
        expect(before.end).toBeLessThanOrEqual(one.start);
        expect(before.end === one.start && before.type === one.type).toBe(false);
      }
    }),
  );
});

/** The same by looking at every minute. */
function slowly(wanted: WantedTime, zone: string) {
  const { invitees, range, duration, interval, buffer, earliest, latest, most, partial } = wanted;
  const found = [];
  for (let start = Math.ceil(range.from / MINUTE) * MINUTE; start + duration <= range.to; start += MINUTE) {
    const end = start + duration;
    const wall = zones.toWall(zone, start);
    const midnight = Math.floor(wall / DAY) * DAY;
    if ((wall - midnight) % interval !== 0 || wall - midnight < earliest) continue;
    if (zones.toWall(zone, end) - midnight > latest) continue;
    const taken = ({ busy }: Invitee) => busy.some((one) => one.start < end + buffer && one.end > start - buffer);
    const free = (required: boolean) => invitees.filter((one) => one.required === required && !taken(one)).length;
    const required = invitees.filter((one) => one.required);
    if (!partial && required.some(taken)) continue;
    const works = required.every(({ hours }) => hours.some(({ from, to }) => from <= start && end <= to));
    found.push({
      start,
      end,
      score: 1000 * free(true) + 10 * free(false) + Number(works),
      requiredFree: free(true),
      optionalFree: free(false),
      duringWorkingHours: works,
      conflicts: invitees.filter(taken).map(({ id }) => id),
    });
  }
  return found.sort((one, other) => other.score - one.score || one.start - other.start).slice(0, most);
}

it('times are those that a look at every minute finds, in the same order, also where the clocks change', () => {
  const person = fc.record({
    required: fc.boolean(),
    busy: fc.array(busyTime, { maxLength: 6 }),
    window: fc.tuple(fc.constantFrom('00:00', '08:30', '22:00'), fc.constantFrom('02:30', '17:00', '24:00')),
  });
  const wanted = fc.record({
    place: fc.constantFrom(...places),
    length: minutes(40 * 60),
    duration: fc.constantFrom(1, 15, 45, 90, 600),
    interval: fc.constantFrom(5, 15, 25, 60, 1_440),
    buffer: fc.constantFrom(0, 10),
    earliest: fc.constantFrom(0, 150, 540),
    latest: fc.constantFrom(Infinity, 1_020, 1_440),
    most: fc.constantFrom(3, 500),
    partial: fc.boolean(),
    shift: fc.integer({ min: 0, max: 59_999 }),
    people: fc.array(person, { minLength: 1, maxLength: 4 }),
  });
  fc.assert(
    fc.property(wanted, ({ place: { zone, at }, length, people, shift, ...more }) => {
      const range = { from: at + shift, to: at + shift + length + MINUTE };
      const invitees = people.map(({ required, busy, window: [startTime, endTime] }, index) => ({
        id: `${index}`,
        required,
        busy: mergeBusy(
          busy.map((one) => ({ ...one, start: one.start + at, end: one.end + at })),
          { from: at, to: at + 3 * DAY },
        ),
        hours: hoursIn(
          [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime, endTime })),
          zone,
          range,
          zones,
        ),
      }));
      const asked: WantedTime = {
        ...more,
        invitees,
        range,
        duration: more.duration * MINUTE,
        interval: more.interval * MINUTE,
        buffer: more.buffer * MINUTE,
        earliest: more.earliest * MINUTE,
        latest: more.latest * MINUTE,
      };
      expect(findTimes(asked, zone, zones)).toEqual(slowly(asked, zone));
    }),
  );
});

it('times that the clocks skip are none, and those that they show twice are two', () => {
  const startsOn = (day: string) =>
    findTimes(
      {
        invitees: [{ id: 'a', required: true, busy: [], hours: [] }],
        range: { from: Date.parse(`${day}T00:00:00Z`), to: Date.parse(`${day}T04:00:00Z`) },
        duration: 30 * MINUTE,
        interval: 30 * MINUTE,
        buffer: 0,
        earliest: 2 * HOUR,
        latest: 3.5 * HOUR,
        most: 50,
        partial: false,
      },
      'Europe/Berlin',
      zones,
    ).map(({ start }) => new Date(start).toISOString().slice(11, 16));
  expect(startsOn('2026-03-29')).toEqual(['01:00']);
  expect(startsOn('2026-10-25')).toEqual(['00:00', '00:30', '01:00', '01:30', '02:00']);
});

it('usual working hours are Monday to Friday from nine to five, on the clocks of their zone', () => {
  const range = { from: Date.parse('2026-03-27T00:00:00Z'), to: Date.parse('2026-03-31T00:00:00Z') };
  const hours = hoursIn(usualWindows, 'Europe/Berlin', range, zones);
  expect(hours.map(({ from, to }) => [from, to].map((at) => new Date(at).toISOString().slice(5, 16)))).toEqual([
    ['03-26T08:00', '03-26T16:00'],
    ['03-27T08:00', '03-27T16:00'],
    ['03-30T07:00', '03-30T15:00'],
    ['03-31T07:00', '03-31T15:00'],
  ]);
  const night = [{ dayOfWeek: 5, startTime: '22:00', endTime: '06:00' }];
  const through = [...night, { dayOfWeek: 6, startTime: '06:00', endTime: '08:00' }];
  expect(hoursIn(through, 'UTC', { from: range.from, to: range.from + DAY }, zones)).toEqual([
    { from: Date.parse('2026-03-27T22:00:00Z'), to: Date.parse('2026-03-28T08:00:00Z') },
  ]);
});
