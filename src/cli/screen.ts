import { paintFor, widthOf, type Paint, type Terminal } from './terminal.ts';

/** What an answer is drawn on. Without a terminal it has no colours and no width, and times keep their seconds. */
export interface Screen {
  readonly width: number;
  readonly paint: Paint;
}

export function screenOf({ stdout, env }: Terminal): Screen {
  return { width: widthOf(stdout), paint: paintFor(stdout, env) };
}

/** A moment in the time zone of the reader. */
export function moment({ width }: Screen, iso: string | undefined): string {
  if (iso === undefined) return '-';
  if (!Number.isFinite(width)) return iso;
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
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
  return unit === 'bytes' ? `${count} bytes` : `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
