import { DAY } from '../recurrence/civil.ts';

/** Runs of instances are found by the period in which all of one begin: the index event_runs_time has them by it, then by their objects. */
const PERIOD = 56 * DAY;

/** SQL: the period of a run. Whoever looks for times asks for periods too, because the index has no other order of time. */
export const periodText = `start_at / ${PERIOD}`;

/** The period of a moment, as SQL divides. */
export function periodOf(at: number): number {
  return Math.trunc(at / PERIOD);
}

/**
 * Kinds of instances by how long they are, which are looked for one after another: a range has to look only so far back for each, and most
 * take no longer than a day.
 */
export const lengths = [0, 1, 2] as const;

/** The longest of each kind. Those of the last one may have begun at any time. */
const longest = [DAY, 31 * DAY, Number.POSITIVE_INFINITY] as const;

/** The kind of an instance that takes so many milliseconds. */
export function lengthOf(ms: number): number {
  return longest.findIndex((most) => ms <= most);
}

/** Nothing of a kind that began at this moment, or before, is still on its way at another one. */
export function earliestOf(length: (typeof lengths)[number], from: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, from - longest[length] - 1);
}
