import { mailLimits } from '../../contract/mail/limits.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * When a message leaves.
 *
 * @param at a time, or a duration from now
 * @param undo a duration during which it can be taken back
 * @returns ISO 8601; undefined for at once
 * @throws Problem invalid USAGE
 */
export function sendTime(at: string | undefined, undo: string | undefined, nowMs: number): string | undefined {
  if (undo !== undefined) {
    const ms = durationOf(undo);
    if (ms === undefined) throw new Problem('invalid', 'USAGE', '--undo must be a duration: 10s, 5m, or 1h.');
    return new Date(nowMs + ms).toISOString();
  }
  if (at === undefined) return undefined;
  const ms = durationOf(at);
  const time = ms === undefined ? timeFrom(at) : nowMs + ms;
  if (time !== undefined && time > nowMs) return new Date(time).toISOString();
  const message = `--at must be in the future, and at most ${mailLimits.scheduleDays} days ahead: 2027-01-31T08:00:00Z, 90m, or 2d.`;
  throw new Problem('invalid', 'USAGE', message);
}

/** Milliseconds of `10s`, `5m`, `1h` or `2d`; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  const number = wholeNumber(count) ?? 0;
  return number === 0 ? undefined : number * units[unit as keyof typeof units];
}
