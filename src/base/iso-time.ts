import { isoTimestamp, pipe, safeParse, string } from 'valibot';
import { exactTime } from './exact-time.ts';

const anyTimestamp = pipe(string(), isoTimestamp());

/** Parses a time from outside: milliseconds since 1970. The time may be in any zone; a date alone means its start in UTC. */
export function timeFrom(text: string): number | undefined {
  // V8 reads the 31st of February as the 3rd of March.
  const day = exactTime(`${text.slice(0, 10)}T00:00:00.000Z`);
  if (day === undefined || text.length === 10) return day;
  const at = safeParse(anyTimestamp, text).success ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
