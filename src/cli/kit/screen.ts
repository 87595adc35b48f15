import type { Measure } from './display-width.ts';
import { paintFor, widthOf, type Paint, type Terminal } from './terminal.ts';

/** Formats the date and the minute in a time zone. */
type Clock = (at: Date) => string;

/** The output for answers. Without a terminal it has no colours and no width, and times have seconds. */
export interface Screen {
  readonly width: number;
  readonly paint: Paint;
  readonly measure: Measure;
  /** undefined for the clock of this machine */
  readonly clock?: Clock | undefined;
}

/** A screen for text that `measured` draws, or that has no columns. */
export type Unmeasured = Omit<Screen, 'measure'>;

/** @param zone IANA name of the reader's time zone; if undefined or unknown here, the zone of this machine */
export function screenOf({ stdout, env }: Terminal, zone?: string): Unmeasured {
  const clock = zone === undefined ? undefined : clockIn(zone);
  return { width: widthOf(stdout), paint: paintFor(stdout, env), clock };
}

/** A moment in the time zone of the reader. */
export function moment({ width, clock = machineClock }: Unmeasured, iso: string | undefined): string {
  if (iso === undefined) return '-';
  if (!Number.isFinite(width)) return iso;
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : clock(at);
}

function machineClock(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}

/** Created on first use, because most answers show no time. */
function clockIn(zone: string): Clock {
  let clock: Clock | undefined;
  return (at) => (clock ??= newClock(zone))(at);
}

function newClock(zone: string): Clock {
  const two = '2-digit';
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, hourCycle: 'h23' } as const;
  try {
    // The Swedish date format is ISO 8601.
    const format = new Intl.DateTimeFormat('sv-SE-u-ca-gregory-nu-latn', { ...parts, timeZone: zone });
    return (at) => format.format(at);
  } catch (error) {
    // The zone may be missing in the time zone database of this machine.
    if (error instanceof RangeError) return machineClock;
    throw error;
  }
}

const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

export function bytes(count: number): string {
  let value = count;
  let unit: string = 'bytes';
  for (const next of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return unit === 'bytes'
    ? `${count} ${count === 1 ? 'byte' : 'bytes'}`
    : `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
