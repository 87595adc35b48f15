import type { ByteRange } from '../raw-bodies.ts';
import { wholeNumber } from '../whole-number.ts';

/**
 * The one range that a request asks for (RFC 9110, 14). Several at once, other units and what can't be read are passed over, as the RFC
 * allows: the whole answers them as well.
 *
 * @returns undefined for the whole, `unsatisfiable` where nothing of the content is in it
 */
export function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const { first = '', last = '' } =
    /^bytes=(?<first>\d{0,15})-(?<last>\d{0,15})$/i.exec(header?.trim() ?? '')?.groups ?? {};
  const [start, most] = [wholeNumber(first), wholeNumber(last)];
  if (start === undefined) {
    if (most === undefined || first !== '') return undefined;
    return most === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - most), end: size };
  }
  if ((most === undefined && last !== '') || (most !== undefined && most < start)) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: most === undefined ? size : Math.min(most + 1, size) };
}
