import { Temporal } from 'temporal-polyfill';

/** What iCalendar needs to know of zones of IANA: offsets and times in milliseconds, wall-clock times as if they were of UTC. */
export interface Zones {
  /** how far the zone is ahead of UTC then */
  offset(zone: string, utc: number): number;
  /** Of a time that occurs twice, the first; one that doesn't occur is read with the offset before the gap (RFC 5545 3.3.5). */
  toUtc(zone: string, wall: number): number;
  /** From the first moment of one year to the last of another, in UTC. */
  transitions(zone: string, fromYear: number, toYear: number): Transition[];
}

export interface Transition {
  /** the first moment of the new offset */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Zones by Temporal. */
export function temporalZones(): Zones {
  const zoned = (zone: string, utc: number) =>
    Temporal.Instant.fromEpochMilliseconds(Math.floor(utc)).toZonedDateTimeISO(zone);
  return {
    offset: (zone, utc) => zoned(zone, utc).offsetNanoseconds / 1e6,
    toUtc: (zone, wall) =>
      Temporal.PlainDateTime.from(new Date(wall).toISOString().slice(0, 23)).toZonedDateTime(zone, {
        disambiguation: 'compatible',
      }).epochMilliseconds,
    transitions(zone, fromYear, toYear) {
      const found: Transition[] = [];
      let at = zoned(zone, Date.UTC(fromYear, 0, 1) - 1);
      for (;;) {
        const next = at.getTimeZoneTransition('next');
        if (next === null || next.epochMilliseconds >= Date.UTC(toYear + 1, 0, 1)) return found;
        const [before, after] = [at.offsetNanoseconds / 1e6, next.offsetNanoseconds / 1e6];
        if (after !== before) found.push({ at: next.epochMilliseconds, before, after });
        at = next;
      }
    },
  };
}
