import type { BigIntStats } from 'node:fs';

/** Bytes of a file. */
export function sizeIn({ size }: Pick<BigIntStats, 'size'>): number {
  return Number(size);
}

/** When it was last changed, in milliseconds since 1970. Times of files are finer; the server keeps milliseconds. */
export function millisecondsIn({ mtimeNs }: Pick<BigIntStats, 'mtimeNs'>): number {
  return millisecondsOf(mtimeNs);
}

/** When anything of it was last changed, also where its time was put back. Milliseconds since 1970. */
export function changedIn({ ctimeNs }: Pick<BigIntStats, 'ctimeNs'>): number {
  return millisecondsOf(ctimeNs);
}

function millisecondsOf(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}
