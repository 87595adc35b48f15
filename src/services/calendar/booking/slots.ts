import type { AppointmentType } from '../../../contract/calendar/booking-fields.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { DAY, HOUR, MINUTE } from '../recurrence/civil.ts';
import type { Zones } from '../recurrence/zones.ts';

/** Time of a host is taken in steps of so many milliseconds. */
export const CELL = 5 * MINUTE;
const WEEK = 7;

/** The second moment is no part of it. Milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What a page says of when a kind of appointment can be booked. */
export interface SlotRules {
  readonly zone: string;
  readonly type: Pick<
    AppointmentType,
    | 'id'
    | 'durationMinutes'
    | 'slotIntervalMinutes'
    | 'bufferBeforeMinutes'
    | 'bufferAfterMinutes'
    | 'availableWindows'
    | 'dateOverrides'
    | 'maxPerDay'
    | 'maxPerWeek'
    | 'seats'
  >;
  readonly minNoticeMinutes: number;
  readonly maxAdvanceDays: number;
  /** of all kinds together */
  readonly maxPerDay?: number | undefined;
}

/** An appointment that takes time. */
export interface Booked {
  readonly typeId: string;
  readonly start: number;
  /** whether it is of the same page: those of others only take time */
  readonly samePage: boolean;
  /** with what is kept free around it */
  readonly busy: Interval;
}

/** What the host has to do. */
export interface Occupied {
  /** when events take time, in any order */
  readonly events: readonly Interval[];
  readonly booked: readonly Booked[];
}

export interface FreeSlot {
  readonly start: number;
  readonly end: number;
  readonly seatsLeft: number;
}

/**
 * The times at which an appointment can begin, in their order. It depends on nothing but what it is given.
 * @param range of begins
 */
export function freeSlots(
  rules: SlotRules,
  occupied: Occupied,
  range: Interval,
  now: number,
  zones: Zones,
): FreeSlot[] {
  const { type } = rules;
  const earliest = Math.max(range.from, now + rules.minNoticeMinutes * MINUTE);
  const latest = Math.min(range.to, now + rules.maxAdvanceDays * DAY + 1);
  const isBusy = overlaps(merged(occupied.events));
  const others = occupied.booked.filter(({ typeId }) => typeId !== type.id || type.seats === 1);
  const isBooked = overlaps(merged(others.map(({ busy }) => cellsOf(busy))));
  // Those who come at one time share it, and no cells with others of their kind.
  const seats = seatsTaken(type.id, occupied.booked);
  const isShared = type.seats === 1 ? () => false : sharedOverlap(type.id, occupied.booked);
  const isFull = caps(rules, occupied.booked, zones);
  const found: FreeSlot[] = [];
  for (const start of startsOf(rules, { from: earliest, to: latest }, zones)) {
    const end = start + type.durationMinutes * MINUTE;
    const busy = busyOf(type, start);
    const taken = type.seats === 1 ? 0 : (seats.get(start) ?? 0);
    if (taken >= type.seats || isBusy(busy) || isBooked(cellsOf(busy)) || isShared(cellsOf(busy), start)) continue;
    if (taken === 0 && isFull(start)) continue;
    found.push({ start, end, seatsLeft: type.seats - taken });
  }
  return found;
}

/** What an appointment takes of its host's time. */
export function busyOf(
  {
    durationMinutes,
    bufferBeforeMinutes: before,
    bufferAfterMinutes: after,
  }: Pick<AppointmentType, 'durationMinutes' | 'bufferBeforeMinutes' | 'bufferAfterMinutes'>,
  start: number,
): Interval {
  return { from: start - before * MINUTE, to: start + (durationMinutes + after) * MINUTE };
}

/** The whole cells of an interval. */
export function cellsOf({ from, to }: Interval): Interval {
  return { from: Math.floor(from / CELL) * CELL, to: Math.ceil(to / CELL) * CELL };
}

/** Begins in their order, each once, whatever takes the time. */
function startsOf({ zone, type }: SlotRules, { from, to }: Interval, zones: Zones): number[] {
  if (to <= from) return [];
  const starts = new Set<number>();
  const step = type.slotIntervalMinutes * MINUTE;
  const length = type.durationMinutes * MINUTE;
  const overrides = new Map(type.dateOverrides.map(({ date, windows }) => [date, windows]));
  // A window of the day before may reach into the range.
  const first = dayOf(zones.toWall(zone, from)) - DAY;
  const last = dayOf(zones.toWall(zone, to - 1));
  for (let day = first; day <= last; day += DAY) {
    const windows = overrides.get(new Date(day).toISOString().slice(0, 10)) ?? windowsOn(type, day);
    for (const { startTime, endTime } of windows) {
      const begins = clock(startTime);
      const ends = clock(endTime) <= begins ? clock(endTime) + DAY : clock(endTime);
      const open = moment(zone, day + begins, zones);
      const close = moment(zone, day + ends, zones);
      const skipped = Math.max(0, Math.ceil((from - open) / step));
      for (let at = open + skipped * step; at + length <= close && at < to; at += step) starts.add(at);
    }
  }
  return [...starts].sort((a, b) => a - b);
}

function windowsOn({ availableWindows }: SlotRules['type'], day: number) {
  const dayOfWeek = new Date(day).getUTCDay();
  return availableWindows.filter((window) => window.dayOfWeek === dayOfWeek);
}

/** `09:30` in milliseconds. */
function clock(text: string): number {
  const part = (from: number, to: number) => wholeNumber(text.slice(from, to)) ?? 0;
  return part(0, 2) * HOUR + part(3, 5) * MINUTE;
}

/**
 * When the clocks of a zone show a time. One that they show twice is the first; one that they skip is the moment of the change, so that a window
 * which begins there begins with the first time that there is.
 */
function moment(zone: string, wall: number, zones: Zones): number {
  const utc = zones.toUtc(zone, wall);
  if (zones.existing(zone, wall) !== undefined) return utc;
  const year = new Date(utc).getUTCFullYear();
  return zones.transitions(zone, year - 1, year).findLast(({ at }) => at <= utc)?.at ?? utc;
}

function dayOf(wall: number): number {
  return Math.floor(wall / DAY) * DAY;
}

/** Monday of the week of a day. */
function weekOf(day: number): number {
  return day - ((new Date(day).getUTCDay() + WEEK - 1) % WEEK) * DAY;
}

/** In their order, without overlaps. */
function merged(all: readonly Interval[]): Interval[] {
  const done: { from: number; to: number }[] = [];
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = done.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) done.push({ from, to });
  }
  return done;
}

/** @param sorted as `merged` makes them */
function overlaps(sorted: readonly Interval[]): (one: Interval) => boolean {
  return ({ from, to }) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as Interval).to <= from) low = middle + 1;
      else high = middle;
    }
    const first = sorted[low];
    return first !== undefined && first.from < to;
  };
}

function seatsTaken(typeId: string, booked: readonly Booked[]): Map<number, number> {
  const taken = new Map<number, number>();
  for (const one of booked) if (one.typeId === typeId) taken.set(one.start, (taken.get(one.start) ?? 0) + 1);
  return taken;
}

/** Whether another time of the same kind overlaps. */
function sharedOverlap(typeId: string, booked: readonly Booked[]): (one: Interval, start: number) => boolean {
  const own = new Map<number, Interval>();
  for (const { typeId: of, start, busy } of booked) if (of === typeId) own.set(start, cellsOf(busy));
  const all = [...own];
  return ({ from, to }, start) => all.some(([at, busy]) => at !== start && busy.from < to && busy.to > from);
}

/** Whether a day or week of the page has as many appointments as it takes. Those who come at one time are one. */
function caps({ zone, type, maxPerDay }: SlotRules, booked: readonly Booked[], zones: Zones) {
  const perDay = new Map<number, Set<number>>();
  const perWeek = new Map<number, Set<number>>();
  const ofPage = new Map<number, Set<string>>();
  const day = (start: number) => dayOf(zones.toWall(zone, start));
  const add = <Key>(map: Map<number, Set<Key>>, at: number, key: Key) => {
    const known = map.get(at);
    if (known === undefined) map.set(at, new Set([key]));
    else known.add(key);
  };
  for (const { typeId, start, samePage } of booked) {
    if (!samePage) continue;
    add(ofPage, day(start), `${typeId} ${start}`);
    if (typeId !== type.id) continue;
    add(perDay, day(start), start);
    add(perWeek, weekOf(day(start)), start);
  }
  const { maxPerDay: daily = Infinity, maxPerWeek: weekly = Infinity } = type;
  return (start: number): boolean => {
    const at = day(start);
    return (
      (ofPage.get(at)?.size ?? 0) >= (maxPerDay ?? Infinity) ||
      (perDay.get(at)?.size ?? 0) >= daily ||
      (perWeek.get(weekOf(at))?.size ?? 0) >= weekly
    );
  };
}
