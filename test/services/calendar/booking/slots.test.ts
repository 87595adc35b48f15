import { describe, expect, it } from 'vitest';
import {
  busyOf,
  cellsOf,
  freeSlots,
  type Booked,
  type Interval,
  type Occupied,
  type SlotRules,
} from '../../../../src/services/calendar/booking/slots.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';
import { testRandom } from '../../../support/seeded.ts';

const zones = createZones();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const nothing: Occupied = { events: [], booked: [] };

type Type = SlotRules['type'];

const everyDay = (startTime: string, endTime: string) =>
  [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime, endTime }));

function rules(type: Partial<Type> = {}, more: Partial<SlotRules> = {}): SlotRules {
  return {
    zone: 'Europe/Berlin',
    minNoticeMinutes: 0,
    maxAdvanceDays: 365,
    ...more,
    type: {
      id: 'a',
      durationMinutes: 60,
      slotIntervalMinutes: 60,
      bufferBeforeMinutes: 0,
      bufferAfterMinutes: 0,
      availableWindows: everyDay('09:00', '12:00'),
      dateOverrides: [],
      seats: 1,
      ...type,
    },
  };
}

function starts(
  given: SlotRules,
  range: Interval,
  { occupied = nothing, now = range.from }: { occupied?: Occupied; now?: number } = {},
): string[] {
  return freeSlots(given, occupied, range, now, zones).map(({ start }) => new Date(start).toISOString());
}

const day = (text: string, zone = 'Europe/Berlin'): Interval => {
  const from = zones.toUtc(zone, at(`${text}T00:00:00Z`));
  return { from, to: zones.toUtc(zone, at(`${text}T00:00:00Z`) + DAY) };
};
const appointment = (start: string, more: Partial<Booked> = {}): Booked => ({
  typeId: 'a',
  start: at(start),
  samePage: true,
  busy: busyOf({ durationMinutes: 60, bufferBeforeMinutes: 0, bufferAfterMinutes: 0 }, at(start)),
  ...more,
});
const event = (from: string, to: string): Occupied => ({ events: [{ from: at(from), to: at(to) }], booked: [] });

describe('slots over the change of the clocks', () => {
  it('are at the same time of the clock before and after it', () => {
    const range = { from: day('2026-03-28').from, to: day('2026-03-30').to };
    expect(starts(rules({ availableWindows: everyDay('09:00', '10:00') }), range)).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
  });

  it('begin with the first time that there is, where a window begins in the gap', () => {
    const windows = { availableWindows: everyDay('02:30', '05:00') };
    expect(starts(rules(windows), day('2026-03-29'))).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-29T02:00:00.000Z']);
  });

  it('end with the gap, where a window ends in it', () => {
    const windows = { availableWindows: everyDay('00:00', '02:30') };
    expect(starts(rules(windows), day('2026-03-29'))).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T00:00:00.000Z']);
  });

  it('are none in a window that the gap takes whole', () => {
    const windows = { availableWindows: everyDay('02:00', '03:00') };
    expect(starts(rules(windows), day('2026-03-29'))).toEqual([]);
  });

  it('are one more in a window with the hour that comes twice', () => {
    const windows = { availableWindows: everyDay('01:00', '04:00') };
    expect(starts(rules(windows), day('2026-10-25'))).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  it('follow zones whose day has no midnight', () => {
    // Beirut put its clocks forward at midnight of 27 March 2022.
    const windows = { availableWindows: everyDay('00:00', '02:00') };
    const beirut = rules(windows, { zone: 'Asia/Beirut' });
    expect(starts(beirut, { from: at('2022-03-26T20:00:00Z'), to: at('2022-03-27T02:00:00Z') })).toEqual([
      '2022-03-26T22:00:00.000Z',
    ]);
  });

  it('stand in half hours where clocks change by half an hour', () => {
    const lordHowe = rules({ availableWindows: everyDay('01:00', '04:00') }, { zone: 'Australia/Lord_Howe' });
    // 4 October 2026: 02:00 becomes 02:30.
    const found = starts(lordHowe, day('2026-10-04', 'Australia/Lord_Howe'));
    expect(found).toEqual(['2026-10-03T14:30:00.000Z', '2026-10-03T15:30:00.000Z']);
  });
});

describe('slots', () => {
  const monday = day('2026-06-01');

  it('take windows across midnight, of the day before too', () => {
    const night = rules({ availableWindows: [{ dayOfWeek: 0, startTime: '23:00', endTime: '01:00' }] });
    expect(starts(night, monday, { now: monday.from - DAY })).toEqual(['2026-05-31T22:00:00.000Z']);
    expect(starts(rules({ availableWindows: everyDay('22:00', '24:00') }), monday)).toHaveLength(2);
    expect(starts(rules({ availableWindows: everyDay('00:00', '00:00') }), monday)).toHaveLength(24);
  });

  it('have other windows on days with overrides, or none', () => {
    const closed = rules({ dateOverrides: [{ date: '2026-06-01', windows: [] }] });
    expect(starts(closed, monday)).toEqual([]);
    const moved = rules({
      dateOverrides: [{ date: '2026-06-01', windows: [{ startTime: '20:00', endTime: '21:00' }] }],
    });
    expect(starts(moved, monday)).toEqual(['2026-06-01T18:00:00.000Z']);
  });

  it('are in steps from the begin of their window, each once', () => {
    const windows = [...everyDay('09:00', '10:30'), ...everyDay('09:30', '10:30')];
    const found = starts(rules({ availableWindows: windows, slotIntervalMinutes: 30 }), monday);
    expect(found).toEqual(['2026-06-01T07:00:00.000Z', '2026-06-01T07:30:00.000Z']);
  });

  it('keep notice and horizon to the millisecond', () => {
    const given = rules({}, { minNoticeMinutes: 60, maxAdvanceDays: 1 });
    const now = at('2026-06-01T06:00:00Z');
    expect(starts(given, monday, { now })[0]).toBe('2026-06-01T07:00:00.000Z');
    expect(starts(given, monday, { now: now + 1 })[0]).toBe('2026-06-01T08:00:00.000Z');
    const next = day('2026-06-02');
    expect(starts(given, next, { now: at('2026-06-01T08:00:00Z') }).at(-1)).toBe('2026-06-02T08:00:00.000Z');
    expect(starts(given, next, { now: at('2026-06-01T08:00:00Z') - 1 }).at(-1)).toBe('2026-06-02T07:00:00.000Z');
  });

  it('keep buffers free on both sides, and touch what ends where they begin', () => {
    const busy = event('2026-06-01T08:00:00Z', '2026-06-01T09:00:00Z');
    expect(starts(rules(), monday, { occupied: busy })).toEqual([
      '2026-06-01T07:00:00.000Z',
      '2026-06-01T09:00:00.000Z',
    ]);
    const before = rules({ bufferBeforeMinutes: 5 });
    expect(starts(before, monday, { occupied: busy })).toEqual(['2026-06-01T07:00:00.000Z']);
    const after = rules({ bufferAfterMinutes: 5 });
    expect(starts(after, monday, { occupied: busy })).toEqual(['2026-06-01T09:00:00.000Z']);
  });

  it('keep the buffers of other appointments, in whole cells', () => {
    const busy = { from: at('2026-06-01T07:58:00Z'), to: at('2026-06-01T08:59:00Z') };
    const occupied = {
      events: [],
      booked: [appointment('2026-06-01T08:00:00Z', { typeId: 'b', samePage: false, busy })],
    };
    expect(starts(rules(), monday, { occupied })).toEqual(['2026-06-01T09:00:00.000Z']);
  });

  it('have seats, which share their time with each other and nothing else', () => {
    const given = rules({ seats: 2, slotIntervalMinutes: 30 });
    const one = { events: [], booked: [appointment('2026-06-01T08:00:00Z')] };
    const free = freeSlots(given, one, monday, monday.from, zones);
    expect(free.map(({ start, seatsLeft }) => [new Date(start).toISOString().slice(11, 16), seatsLeft])).toEqual([
      ['07:00', 2],
      ['08:00', 1],
      ['09:00', 2],
    ]);
    const two = { events: [], booked: [...one.booked, appointment('2026-06-01T08:00:00Z')] };
    expect(starts(given, monday, { occupied: two })).toEqual(['2026-06-01T07:00:00.000Z', '2026-06-01T09:00:00.000Z']);
  });

  it('end with the caps of a day, a week and the page; whoever joins others is no further one', () => {
    const week = { from: day('2026-06-01').from, to: day('2026-06-08').to };
    const days = (found: string[]) => [...new Set(found.map((text) => text.slice(8, 10)))].join(' ');
    const occupied = { events: [], booked: [appointment('2026-06-02T08:00:00Z')] };
    expect(days(starts(rules({ maxPerDay: 1 }), week, { occupied }))).toBe('01 03 04 05 06 07 08');
    expect(days(starts(rules({ maxPerWeek: 1 }), week, { occupied }))).toBe('08');
    expect(days(starts(rules({}, { maxPerDay: 1 }), week, { occupied }))).toBe('01 03 04 05 06 07 08');
    const other = { events: [], booked: [appointment('2026-06-02T18:00:00Z', { typeId: 'b' })] };
    expect(days(starts(rules({ maxPerDay: 1 }), week, { occupied: other }))).toBe('01 02 03 04 05 06 07 08');
    expect(days(starts(rules({}, { maxPerDay: 1 }), week, { occupied: other }))).toBe('01 03 04 05 06 07 08');
    const elsewhere = { events: [], booked: [appointment('2026-06-02T18:00:00Z', { typeId: 'b', samePage: false })] };
    expect(days(starts(rules({}, { maxPerDay: 1 }), week, { occupied: elsewhere }))).toBe('01 02 03 04 05 06 07 08');
    expect(starts(rules({ seats: 3, maxPerDay: 1 }), day('2026-06-02'), { occupied })).toEqual([
      '2026-06-02T08:00:00.000Z',
    ]);
    // A day of the page is a day in its zone: 23:30 in London is the next day in Berlin.
    const late = { events: [], booked: [appointment('2026-06-01T22:30:00Z')] };
    expect(days(starts(rules({ maxPerDay: 1 }), week, { occupied: late }))).toBe('01 03 04 05 06 07 08');
  });
});

describe('slots of any rules', () => {
  const zoneNames = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'Pacific/Apia', 'UTC'];

  it('are free, in their windows, within notice and horizon, in order, and those that a slower way finds', () => {
    const random = testRandom();
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
    const clock = () => `${String(whole(0, 23)).padStart(2, '0')}:${pick(['00', '15', '30', '07'])}`;
    for (let round = 0; round < 150; round += 1) {
      const zone = pick(zoneNames);
      const now = at(
        pick(['2026-03-06T00:00:00Z', '2026-03-27T13:00:00Z', '2026-10-02T00:00:00Z', '2026-10-24T00:00:00Z']),
      );
      const type: Partial<Type> = {
        durationMinutes: pick([5, 7, 30, 60, 90]),
        slotIntervalMinutes: pick([5, 15, 60, 77]),
        bufferBeforeMinutes: pick([0, 0, 10, 35]),
        bufferAfterMinutes: pick([0, 0, 5, 60]),
        availableWindows: Array.from({ length: 4 }, () => ({
          dayOfWeek: whole(0, 6),
          startTime: clock(),
          endTime: clock(),
        })),
        seats: pick([1, 1, 2]),
      };
      const given = rules(type, { zone, minNoticeMinutes: pick([0, 240, 2_000]), maxAdvanceDays: pick([1, 3, 60]) });
      const events = Array.from({ length: 15 }, () => {
        const from = now + whole(0, 10 * DAY);
        return { from, to: from + whole(1, 8 * HOUR) };
      });
      const range = { from: now + whole(0, DAY), to: now + whole(2 * DAY, 9 * DAY) };
      const found = freeSlots(given, { events, booked: [] }, range, now, zones);
      const wanted = slowly(given, events, range, now);
      expect({ round, zone, found: found.map(({ start }) => start) }).toEqual({ round, zone, found: wanted });
      // Each of them can be booked, and then it is gone, with all that overlap it.
      const [slot] = found;
      if (slot === undefined) continue;
      const busy = busyOf(given.type, slot.start);
      const booked = [{ typeId: 'b', start: slot.start, samePage: true, busy }];
      for (const later of freeSlots(given, { events, booked }, range, now, zones)) {
        const other = cellsOf(busyOf(given.type, later.start));
        expect(other.from >= cellsOf(busy).to || other.to <= cellsOf(busy).from).toBe(true);
      }
    }
  });

  /** Each minute is asked whether a slot begins there. */
  function slowly(given: SlotRules, events: readonly Interval[], range: Interval, now: number): number[] {
    const { type, minNoticeMinutes, maxAdvanceDays } = given;
    const found = new Set<number>();
    const openings = windowsOf(given, range);
    for (let start = Math.ceil(range.from / MINUTE) * MINUTE; start < range.to; start += MINUTE) {
      const end = start + type.durationMinutes * MINUTE;
      const busy = busyOf(type, start);
      if (start < now + minNoticeMinutes * MINUTE || start > now + maxAdvanceDays * DAY) continue;
      if (events.some(({ from, to }) => from < busy.to && to > busy.from)) continue;
      if (
        openings.some(
          ({ from, to }) => start >= from && end <= to && (start - from) % (type.slotIntervalMinutes * MINUTE) === 0,
        )
      )
        found.add(start);
    }
    return [...found];
  }

  function windowsOf({ type, zone }: SlotRules, range: Interval): Interval[] {
    const wall = (instant: number) => zones.toWall(zone, instant);
    /** the first minute at which the clocks show this time or a later one */
    const first = (time: number): number => {
      let instant = time - 30 * HOUR;
      while (wall(instant) < time - 4 * HOUR) instant += 30 * MINUTE;
      while (wall(instant) < time) instant += MINUTE;
      return instant;
    };
    const found: Interval[] = [];
    for (let at0 = Math.floor(range.from / DAY) * DAY - 3 * DAY; at0 < range.to + 2 * DAY; at0 += DAY)
      for (const { dayOfWeek, startTime, endTime } of type.availableWindows) {
        if (new Date(at0).getUTCDay() !== dayOfWeek) continue;
        const ms = (text: string) => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE;
        const next = ms(endTime) <= ms(startTime) ? DAY : 0;
        found.push({ from: first(at0 + ms(startTime)), to: first(at0 + ms(endTime) + next) });
      }
    return found;
  }
});
