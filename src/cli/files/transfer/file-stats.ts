import type { BigIntStats } from 'node:fs';

/** Bytes of a file. */
export function sizeIn({ size }: Pick<BigIntStats, 'size'>): number {
  return Number(size);
}

/** When it was last changed, in milliseconds since 1970. Times of files are finer; the server keeps milliseconds. */
export function millisecondsIn({ mtimeNs }: Pick<BigIntStats, 'mtimeNs'>): number {
  return Number(mtimeNs / 1_000_000n);
}
