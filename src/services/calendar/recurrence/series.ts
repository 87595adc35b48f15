import { DAY, dayText, parseTime, wallDay, wallText, basicForm } from './civil.ts';
import type { Rule } from './rule-text.ts';
import type { Span } from './span.ts';
import type { Zones } from './zones.ts';

/**
 * A day (`2026-03-29`), a wall-clock time (`2026-03-29T14:00:00`, of `zone`, or else of the series), or an instant (`…Z`, `…+02:00`).
 * Anything else is refused with RuleError INVALID_TIME.
 */
export interface When {
  readonly at: string;
  /** an IANA zone */
  readonly zone?: string;
}

/** RDATE. A PERIOD has its own end. */
export interface ExtraDate extends When {
  readonly end?: string;
  readonly duration?: Span;
}

/** A component with a RECURRENCE-ID. Callers add what they need to it; instances lead back to it. */
export interface Override {
  readonly recurrence: When;
  readonly start: string;
  /** as in a series; without it, the zone of the series */
  readonly zone?: string;
  readonly duration: Span;
  /** it takes the place of its instance and is none itself */
  readonly cancelled?: boolean;
}

export interface Series<O extends Override = Override> {
  /** DTSTART: a day or a wall-clock time, an instant only with `utc`. Without it there are only overrides, their master is elsewhere. */
  readonly start?: string;
  /** an IANA zone, `utc` or `floating`; of no meaning where `start` is a day */
  readonly zone: string;
  /** spanBetween() of DTSTART and DTEND, or parseSpan() of DURATION */
  readonly duration: Span;
  readonly rules: readonly Rule[];
  readonly rdates: readonly ExtraDate[];
  readonly exdates: readonly When[];
  readonly overrides: readonly O[];
}

/** What instances of a series are told apart by. */
export interface Recurrence {
  /** the original time as a day, a wall-clock time in the zone of the series, or with `Z` in `utc` */
  readonly at: string;
  /** as it stands in an occurrenceId: `20260329`, `20260329T120000Z` (UTC), or `20260329T140000` (floating) */
  readonly id: string;
  /** UTC milliseconds; of days and floating times, as if they were UTC. In the order of time, unique in a series */
  readonly key: number;
}

/** How the times of a series are read. */
export interface Frame {
  readonly kind: 'days' | 'floating' | 'zoned';
  /** an IANA zone; UTC for days and floating times, which are counted without zones */
  readonly zone: string;
  readonly zones: Zones;
}

/** @throws RuleError INVALID_TIME, UNKNOWN_ZONE */
export function frameOf({ start, zone, overrides }: Pick<Series, 'start' | 'zone' | 'overrides'>, zones: Zones): Frame {
  const first = start ?? overrides[0]?.recurrence.at;
  if (first !== undefined && parseTime(first).kind === 'day') return { kind: 'days', zone: 'UTC', zones };
  if (zone === 'floating') return { kind: 'floating', zone: 'UTC', zones };
  const name = zone === 'utc' ? 'UTC' : zone;
  zones.offset(name, 0);
  return { kind: 'zoned', zone: name, zones };
}

export interface Moment {
  readonly key: number;
  readonly wall: number;
  /** a day in a series of times: it stands for what begins on that day */
  readonly wholeDay: boolean;
}

/**
 * A moment in terms of a series: days of a series of days, however precisely they were written; otherwise instants, or times without zone.
 *
 * @throws RuleError INVALID_TIME, UNKNOWN_ZONE
 */
export function momentOf({ at, zone }: When, frame: Frame): Moment {
  const { kind, ms, wall } = parseTime(at);
  if (frame.kind === 'days') {
    // The day that is written is the one that is meant, be it midnight in UTC or in some zone.
    const day = wallDay(wall) * DAY;
    return { key: day, wall: day, wholeDay: false };
  }
  if (kind === 'day') return { key: frame.zones.toUtc(frame.zone, ms), wall: ms, wholeDay: true };
  if (frame.kind === 'floating') return { key: wall, wall, wholeDay: false };
  if (kind === 'local' && (zone === undefined || zone === 'floating' || zone === frame.zone))
    return { key: frame.zones.toUtc(frame.zone, ms), wall: ms, wholeDay: false };
  const key = kind === 'instant' ? ms : frame.zones.toUtc(zone === undefined || zone === 'utc' ? 'UTC' : zone, ms);
  return { key, wall: frame.zones.toWall(frame.zone, key), wholeDay: false };
}

export function recurrenceOf({ key, wall }: Pick<Moment, 'key' | 'wall'>, { kind, zone }: Frame): Recurrence {
  if (kind === 'days') return { at: dayText(wall), id: basicForm(dayText(wall)), key };
  if (kind === 'floating') return { at: wallText(wall), id: basicForm(wallText(wall)), key };
  const utc = `${wallText(key)}Z`;
  return { at: zone === 'UTC' ? utc : wallText(wall), id: basicForm(utc), key };
}
