import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';

const units = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

/** Bytes in a text such as `500MiB`, `5G` or `1000`. @throws Problem invalid USAGE */
export function sizeOf(text: string): number {
  const { count, unit = '' } = /^(?<count>\d+) ?(?<unit>[kmgt]?)(?:i?b)?$/i.exec(text)?.groups ?? {};
  const size = (wholeNumber(count) ?? 0) * units[unit.toLowerCase() as keyof typeof units];
  if (size > 0 && Number.isSafeInteger(size)) return size;
  throw new Problem(
    'invalid',
    'USAGE',
    `${JSON.stringify(text)} is no size. Write a number with a unit, such as 5GiB.`,
  );
}
