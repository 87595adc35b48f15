/** Something between two places of a line, of time or of days. */
interface Stretch {
  readonly start: number;
  /** exclusive */
  readonly end: number;
}

export interface InLane<T> {
  readonly item: T;
  /** from 0 on */
  readonly lane: number;
  /** how many lanes there are where it is */
  readonly lanes: number;
  /** of those that overlap, directly or through others */
  readonly group: number;
}

/**
 * Puts what overlaps into lanes beside each other, and what begins first into the first one.
 * @param items in the order of their begins
 */
export function inLanes<T extends Stretch>(items: readonly T[]): InLane<T>[] {
  const found: InLane<T>[] = [];
  let cluster: { readonly item: T; readonly lane: number }[] = [];
  let ends: number[] = [];
  let group = 0;
  const close = (): void => {
    found.push(...cluster.map((one) => ({ ...one, lanes: ends.length, group })));
    group += 1;
    cluster = [];
    ends = [];
  };
  for (const item of items) {
    if (ends.every((end) => end <= item.start)) close();
    const free = ends.findIndex((end) => end <= item.start);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = item.end;
    cluster.push({ item, lane });
  }
  close();
  return found;
}
