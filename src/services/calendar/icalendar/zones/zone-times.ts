/** What iCalendar needs to know of zones of IANA: offsets and times in milliseconds, wall-clock times as if they were of UTC. */
export interface Zones {
  /** A name with the case of its letters corrected, aliases as they are; undefined if there is no such zone. */
  named(name: string): string | undefined;
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
