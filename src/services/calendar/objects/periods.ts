import { DAY } from '../recurrence/civil.ts';

/** Instances are found by the period in which they begin: the index event_instances_time has them by it, then by their objects. */
const PERIOD = 28 * DAY;

/** SQL: the period of an instance. Whoever looks for times asks for periods too, because the index has no other order of time. */
export const periodText = `start_at / ${PERIOD}`;

/** The period of a moment, as SQL divides. */
export function periodOf(at: number): number {
  return Math.trunc(at / PERIOD);
}
