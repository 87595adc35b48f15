import { wholeNumber } from '../../../base/whole-number.ts';
import { DAY, dayOf, HOUR, MINUTE, SECOND } from './civil.ts';
import { RuleError } from './rule-error.ts';

/** A change of the offset of a zone from UTC, in milliseconds. */
export interface Transition {
  /** the first moment of the new offset, UTC */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Time zones of IANA. Names are given as somebody wrote them, aliases too. Unknown names throw RuleError UNKNOWN_ZONE. */
export interface Zones {
  /** A name with the case of its letters corrected, aliases as they are; undefined if there is no such zone. */
  named(name: string): string | undefined;
  offset(zone: string, utc: number): number;
  toWall(zone: string, utc: number): number;
  /**
   * Of a wall-clock time that occurs twice, the first; one that doesn't occur is read with the offset before the gap (RFC 5545 3.3.5).
   */
  toUtc(zone: string, wall: number): number;
  /** The same, but undefined for a time that the clocks of the zone skip. */
  existing(zone: string, wall: number): number | undefined;
  /** From the first moment of one year to the last of another, in UTC. */
  transitions(zone: string, fromYear: number, toYear: number): Transition[];
  /** Whether two names mean one zone: `Asia/Calcutta` and `Asia/Kolkata`. */
  same(one: string, other: string): boolean;
}

/** Names that ICU knows and IANA doesn't; several of them are ambiguous. */
const foreign =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*|Etc\/Unknown)$/i;

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +01:00 are no zones: they have no rules.
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(zone) || foreign.test(zone)) return undefined;
  const numeric = 'numeric';
  const clock = { hour: numeric, minute: numeric, second: numeric } as const;
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      ...clock,
    });
  } catch {
    return undefined;
  }
}

/**
 * The length of the stretches of time that are looked up at once. Two changes that undo each other within one would be missed; the closest
 * ones from 1970 to 2037 are seven days apart (zones.soak.test.ts).
 */
const BLOCK = 6 * DAY;

/** 134 years */
const BLOCKS = 8192;
const ZONES = 100;

const EARLIEST = dayOf(1, 1, 3) * DAY;
const LATEST = dayOf(9999, 12, 30) * DAY;

interface Block {
  readonly start: number;
  readonly offset: number;
  readonly transitions: readonly Transition[];
}

interface Zone {
  readonly name: string;
  readonly canonical: string;
  readonly format: Intl.DateTimeFormat;
  readonly blocks: Map<number, Block>;
}

/**
 * Intl says which time it is somewhere within 1 to 2 µs, which is too slow for thousands of instances. So what it said is kept: about 6 kB
 * for each year of a zone, at most 100 zones.
 */
export function createZones(): Zones {
  const kept = new Map<string, Zone>();

  const find = (written: string): Zone | undefined => {
    const found = kept.get(written);
    if (found !== undefined) return found;
    const format = formatOf(written);
    if (format === undefined) return undefined;
    const { timeZone: canonical } = format.resolvedOptions();
    const name = canonical.toLowerCase() === written.toLowerCase() ? canonical : written;
    const zone = { name, canonical, format, blocks: new Map<number, Block>() };
    dropOldest(kept, ZONES);
    kept.set(written, zone);
    return zone;
  };

  const zoneOf = (name: string): Zone => {
    const zone = find(name);
    if (zone === undefined)
      throw new RuleError('UNKNOWN_ZONE', 'A time zone must be one of IANA, such as Europe/Berlin.');
    return zone;
  };

  const offset = (name: string, utc: number): number => {
    const zone = zoneOf(name);
    return zone.canonical === 'UTC' ? 0 : offsetIn(blockOf(zone, utc), utc);
  };

  const resolve = (name: string, wall: number): { utc: number; gap: boolean } => {
    const zone = zoneOf(name);
    if (zone.canonical === 'UTC') return { utc: wall, gap: false };
    // Offsets are less than a day, so whatever decides lies within a day on either side.
    const [first, last] = [blockOf(zone, wall - DAY), blockOf(zone, wall + DAY)];
    if (first.transitions.length + last.transitions.length === 0) return { utc: wall - first.offset, gap: false };
    const blocks = first === last ? [first] : [first, last];
    const near = blocks.flatMap(({ transitions }) => transitions.filter(({ at }) => Math.abs(at - wall) <= DAY));
    let offsetNow = offsetIn(first, wall - DAY);
    for (const { at, after } of near) {
      if (wall - offsetNow < at) break;
      // Neither before the change nor after it: the clocks skip this time.
      if (wall - after < at) return { utc: wall - offsetNow, gap: true };
      offsetNow = after;
    }
    return { utc: wall - offsetNow, gap: false };
  };

  return {
    named: (name) => find(name)?.name,
    offset,
    toWall: (name, utc) => utc + offset(name, utc),
    toUtc: (name, wall) => resolve(name, wall).utc,
    existing(name, wall) {
      const { utc, gap } = resolve(name, wall);
      return gap ? undefined : utc;
    },
    transitions(name, fromYear, toYear) {
      const zone = zoneOf(name);
      const [from, to] = [dayOf(fromYear, 1, 1) * DAY, dayOf(toYear + 1, 1, 1) * DAY];
      const found: Transition[] = [];
      for (let at = Math.floor(from / BLOCK) * BLOCK - BLOCK; at < to; at += BLOCK)
        found.push(...blockOf(zone, at).transitions.filter((change) => change.at >= from && change.at < to));
      return found;
    },
    same: (one, other) => one === other || zoneOf(one).canonical === zoneOf(other).canonical,
  };
}

/** The times that the clocks of a zone may show at a moment or later, and at that moment or earlier: around a change they go back. */
export function wallAround(zones: Zones, zone: string, utc: number): { readonly least: number; readonly most: number } {
  const offsets = [utc - DAY, utc, utc + DAY].map((at) => zones.offset(zone, at));
  return { least: utc + Math.min(...offsets), most: utc + Math.max(...offsets) };
}

function offsetIn(block: Block, utc: number): number {
  return block.transitions.findLast(({ at }) => at <= utc)?.after ?? block.offset;
}

function blockOf(zone: Zone, utc: number): Block {
  const index = Math.floor(Math.min(Math.max(utc, EARLIEST), LATEST) / BLOCK);
  const found = zone.blocks.get(index);
  if (found !== undefined) return found;
  const start = index * BLOCK;
  const [before, after] = [readOffset(zone, start), readOffset(zone, start + BLOCK)];
  const block = {
    start,
    offset: before,
    transitions: before === after ? [] : findChanges(zone, { at: start, before }, { at: start + BLOCK, after }),
  };
  dropOldest(zone.blocks, BLOCKS);
  zone.blocks.set(index, block);
  return block;
}

function findChanges(
  zone: Zone,
  from: { at: number; before: number },
  to: { at: number; after: number },
): Transition[] {
  if (from.before === to.after) return [];
  if (to.at - from.at <= SECOND) return [{ at: to.at, before: from.before, after: to.after }];
  const at = Math.floor((from.at + to.at) / 2 / SECOND) * SECOND;
  const between = readOffset(zone, at);
  return [...findChanges(zone, from, { at, after: between }), ...findChanges(zone, { at, before: between }, to)];
}

const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

function readOffset(zone: Zone, utc: number): number {
  const at = Math.floor(Math.min(Math.max(utc, EARLIEST), LATEST) / SECOND) * SECOND;
  const parts = shown.exec(zone.format.format(at));
  if (parts === null) throw new Error('Intl writes dates in another form than the one that was asked for.');
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => wholeNumber(part));
  return dayOf(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second * SECOND - at;
}

function dropOldest(map: Map<unknown, unknown>, most: number): void {
  if (map.size < most) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}
