import { wholeNumber } from '../../base/whole-number.ts';

/**
 * The chunks that an upload lacks.
 * @param ranges as the server writes them, in order, such as `0-3,7`. What is out of order, or no chunk, is left out.
 * @param count of the chunks of the upload
 */
export function indexesIn(ranges: string, count: number): number[] {
  const indexes: number[] = [];
  let next = 0;
  for (const range of ranges.split(',')) {
    const [first = '', last = first] = range.split('-');
    const [from, to] = [wholeNumber(first), wholeNumber(last)];
    if (from === undefined || to === undefined || from < next) continue;
    for (next = from; next <= to && next < count; next += 1) indexes.push(next);
  }
  return indexes;
}
