import type { Problem } from '../../base/problem.ts';
import { ambiguous, type Candidate } from './pick.ts';

const whole = /^[0-9a-f]{32}$/i;
const part = /^[0-9a-f]{8,31}$/i;

/**
 * An id, from the whole of it or the first eight or more digits.
 *
 * @param all reads the candidates, if they are needed
 * @throws Problem conflict AMBIGUOUS, and `missing()`
 */
export async function idFrom(
  text: string,
  all: () => Promise<readonly Candidate[]>,
  missing: () => Problem,
): Promise<string> {
  if (whole.test(text)) return text.toLowerCase();
  if (!part.test(text)) throw missing();
  const found = (await all()).filter(({ id }) => id.startsWith(text.toLowerCase()));
  const [one] = found;
  if (one === undefined) throw missing();
  if (found.length > 1) throw ambiguous(text, found);
  return one.id;
}
