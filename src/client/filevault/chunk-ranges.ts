import { wholeNumber } from '../../whole-number.ts';

/** The chunks that an upload lacks. @param ranges as the server writes them, such as `0-3,7` */
export function indexesIn(ranges: string): number[] {
  return ranges
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = '', last = first] = range.split('-');
      const from = wholeNumber(first) ?? 0;
      return Array.from({ length: (wholeNumber(last) ?? from) - from + 1 }, (_, step) => from + step);
    });
}
