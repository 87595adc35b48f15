/** @returns `size` random bytes */
export type Random = (size: number) => Uint8Array;

const RANGE = 2 ** 32;

/** A whole number from 0 to `size - 1`, each as likely as the others: what would favour the small ones is thrown away. */
export function randomBelow(random: Random, size: number): number {
  const limit = RANGE - (RANGE % size);
  for (;;) {
    const value = Buffer.from(random(4)).readUInt32BE();
    if (value < limit) return value % size;
  }
}

/** Fisher and Yates, in place. */
export function shuffle<T>(random: Random, items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = randomBelow(random, at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}
