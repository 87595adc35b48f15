import { isoTimestamp, pipe, safeParse, string } from 'valibot';
import { exactTime } from './exact-time.ts';

const anyTimestamp = pipe(string(), isoTimestamp());

/** Milliseconds since 1970 of a moment as others write it, in whatever zone, or of a day, which begins in UTC. */
export function timeFrom(text: string): number | undefined {
  // V8 takes the 31st of February for the 3rd of March.
  const day = exactTime(`${text.slice(0, 10)}T00:00:00.000Z`);
  if (day === undefined || text.length === 10) return day;
  const at = safeParse(anyTimestamp, text).success ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
