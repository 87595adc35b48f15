/** Wall-clock times are milliseconds since 1970 as if the zone were UTC, so that days can be counted without a zone. */

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export interface WallClock {
  readonly zone: string;
  /** what clocks show at a moment */
  readonly wallOf: (ms: number) => number;
  /** The moment at which clocks show it. What clocks skip is taken by the offset before; of what they show twice, the first. */
  readonly instantOf: (wall: number) => number;
}

/** @param zone an IANA name that is known here */
export function wallClock(zone: string): WallClock {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('sv-SE-u-ca-gregory-nu-latn', {
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    hourCycle: 'h23',
    timeZone: zone,
  });
  const wallOf = (ms: number): number => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
  const instantOf = (wall: number): number => {
    const before = wallOf(wall - day) - (wall - day);
    const after = wallOf(wall + day) - (wall + day);
    const byBefore = wall - before;
    const byAfter = wall - after;
    // The first of two, and in a gap neither fits: RFC 5545 takes the offset before it.
    return wallOf(byBefore) === wall || wallOf(byAfter) !== wall ? byBefore : byAfter;
  };
  return { zone, wallOf, instantOf };
}

export function startOfDay(wall: number): number {
  return Math.floor(wall / day) * day;
}

/** 0 is Monday. */
export function weekdayOf(wall: number): number {
  return (new Date(wall).getUTCDay() + 6) % 7;
}

/** `2026-03-29` */
export function dayText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** `2026-03-29T14:00:00` */
export function wallText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}

/** `14:00` */
export function timeText(wall: number): string {
  return new Date(wall).toISOString().slice(11, 16);
}

/** The wall-clock time of `2026-03-29` or `2026-03-29T14:00[:00]`; undefined for a day or a time that does not exist. */
export function wallFrom(text: string): number | undefined {
  const [, date, time = '00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?)?$/.exec(text) ?? [];
  const wall = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`);
  // V8 reads the 31st of February as the 3rd of March.
  return Number.isNaN(wall) || dayText(wall) !== date ? undefined : wall;
}

export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `25 March 2026` */
export function dateWords(wall: number): string {
  const date = new Date(wall);
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** `Wednesday 25 March 2026` */
export function dayWords(wall: number): string {
  return `${weekdayNames[weekdayOf(wall)] ?? ''} ${dateWords(wall)}`;
}
