import { busyTypes, type BusyType } from '../../../contract/calendar/limits.ts';
import type { TimeRange } from '../events/range.ts';

/** Milliseconds since 1970; the end is no part of it. */
export interface BusyTime {
  readonly start: number;
  readonly end: number;
  readonly type: BusyType;
}

/**
 * Busy times within a range, in their order: none overlaps another one, and of those that touch one has another type. Where several are at once,
 * the strongest counts.
 */
export function mergeBusy(times: Iterable<BusyTime>, { from, to }: TimeRange): BusyTime[] {
  const changes: { readonly at: number; readonly rank: number; readonly by: 1 | -1 }[] = [];
  for (const { start, end, type } of times) {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) continue;
    const rank = busyTypes.indexOf(type);
    changes.push({ at: first, rank, by: 1 }, { at: last, rank, by: -1 });
  }
  changes.sort((one, other) => one.at - other.at);
  const open = busyTypes.map(() => 0);
  const merged: BusyTime[] = [];
  let since = from;
  for (const { at, rank, by } of changes) {
    const type = busyTypes[open.findIndex((count) => count > 0)];
    if (type !== undefined && at > since) add(merged, { start: since, end: at, type });
    since = at;
    open[rank] = (open[rank] ?? 0) + by;
  }
  return merged;
}

function add(merged: BusyTime[], time: BusyTime): void {
  const last = merged.at(-1);
  if (last?.end === time.start && last.type === time.type) merged[merged.length - 1] = { ...last, end: time.end };
  else merged.push(time);
}
