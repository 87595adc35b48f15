import { timeFrom } from '../../base/iso-time.ts';
import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * The time at which something expires: a duration from now (`90d`, `12h`), or a date.
 *
 * @returns ISO 8601; undefined for `never`
 */
export function expiryOf(text: string, nowMs: number, flag = '--expires'): string | undefined {
  if (text === 'never') return undefined;
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const at =
    unit === undefined ? timeFrom(text) : nowMs + (wholeNumber(count) ?? 0) * units[unit as keyof typeof units];
  if (at !== undefined && at > nowMs) return new Date(at).toISOString();
  throw new Problem(
    'invalid',
    'USAGE',
    `${flag} must be in the future: 90d, 12h, 2027-01-31${flag === '--expires' ? ', or never' : ''}.`,
  );
}
