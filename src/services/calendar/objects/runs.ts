import type { EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { DAY } from '../recurrence/civil.ts';
import type { TimeRange } from '../events/range.ts';
import { periodOf } from './periods.ts';

/** When something happens once: an event, or one of a series. */
export interface EventInstance extends Pick<
  EventRunRow,
  'object_id' | 'recurrence' | 'calendar_id' | 'start_at' | 'end_at' | 'long' | 'opaque' | 'status' | 'visibility'
> {}

const WEEK = 7 * DAY;

/** What all of a run have alike. Between the time of the rule and the begin of each is the same time. */
function isAlike(one: EventInstance, other: EventInstance): boolean {
  return (
    one.object_id === other.object_id &&
    one.end_at - one.start_at === other.end_at - other.start_at &&
    one.start_at - one.recurrence === other.start_at - other.recurrence &&
    one.opaque === other.opaque &&
    one.status === other.status &&
    one.visibility === other.visibility &&
    periodOf(one.start_at) === periodOf(other.start_at)
  );
}

/** Instances as rows: few for a rule of one step, and one for each day of the week or each moment of others. */
export function runsOf(instances: readonly EventInstance[]): EventRunRow[] {
  const groups: EventInstance[][] = [];
  let latest: EventInstance[] = [];
  for (const instance of instances) {
    const [first] = latest;
    if (first === undefined || !isAlike(first, instance)) {
      // Those that were changed by themselves stand among the others.
      latest = groups.findLast(([one]) => one !== undefined && isAlike(one, instance)) ?? [];
      if (latest.length === 0) groups.push(latest);
    }
    latest.push(instance);
  }
  return groups.flatMap(inSteps);
}

function inSteps(group: readonly EventInstance[]): EventRunRow[] {
  const sorted = group.toSorted((one, other) => one.start_at - other.start_at);
  const whole = chains(sorted);
  if (whole.length <= 2) return whole.map(toRun);
  const byTime = new Map<number, EventInstance[]>();
  for (const one of sorted) {
    const time = one.start_at % WEEK;
    const some = byTime.get(time);
    if (some === undefined) byTime.set(time, [one]);
    else some.push(one);
  }
  const weekly = [...byTime.values()].flatMap(chains);
  return (weekly.length < whole.length ? weekly : whole).map(toRun);
}

/** Cuts what is sorted where the step changes. */
function chains(sorted: readonly EventInstance[]): EventInstance[][] {
  const found: EventInstance[][] = [];
  let latest: EventInstance[] = [];
  let step = 0;
  for (const one of sorted) {
    const last = latest.at(-1);
    const next = last === undefined ? 0 : one.start_at - last.start_at;
    if (last === undefined || (latest.length > 1 && next !== step)) {
      latest = [];
      found.push(latest);
    }
    latest.push(one);
    step = next;
  }
  return found;
}

function toRun(chain: readonly EventInstance[]): EventRunRow {
  const [first, second] = chain as readonly [EventInstance, EventInstance?];
  const { start_at: start, end_at: end } = first;
  return {
    object_id: first.object_id,
    recurrence: first.recurrence,
    calendar_id: first.calendar_id,
    start_at: start,
    end_at: (chain.at(-1) ?? first).end_at,
    duration: end - start,
    step: second === undefined ? 1 : second.start_at - start,
    long: first.long,
    opaque: first.opaque,
    status: first.status,
    visibility: first.visibility,
  };
}

type Steps = Pick<EventRunRow, 'start_at' | 'end_at' | 'duration' | 'step'>;

/** When those of a run begin that overlap a range. What takes no time overlaps the range in which it is. */
export function startsIn({ start_at: first, end_at: end, duration, step }: Steps, { from, to }: TimeRange): number[] {
  const least = duration > 0 ? from - duration + 1 : from;
  const last = Math.min(end - duration, to - 1);
  const starts: number[] = [];
  for (let at = first >= least ? first : first + Math.ceil((least - first) / step) * step; at <= last; at += step)
    starts.push(at);
  return starts;
}

/** SQL: whether a run has an instance that overlaps a range, as `startsIn` has it. */
export function happensText(to: string, from: string): string {
  const next = nextText(from);
  return `start_at < ${to} and ${next} < ${to} and ${next} <= end_at - duration`;
}

/**
 * SQL of `startsIn`: when the first one of a run begins that is not over at a moment; in a run that ends earlier, a moment behind its last one.
 * @param earliest SQL of a moment before which it does not begin
 */
export function nextText(from: string, earliest?: string): string {
  // Large numbers arrive as fractions, which divide otherwise.
  const unfinished = `(cast(${from} as bigint) - case when duration > 0 then duration - 1 else 0 end)`;
  const least =
    earliest === undefined
      ? unfinished
      : `(case when ${unfinished} > ${earliest} then ${unfinished} else ${earliest} end)`;
  return `(case when start_at >= ${least} then start_at
    else start_at + (${least} - start_at + step - 1) / step * step end)`;
}

const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** The instances of a run that overlap a range. */
export function instancesOf(run: EventRunRow, range: TimeRange = always): EventInstance[] {
  const { object_id, calendar_id, long, opaque, status, visibility, duration } = run;
  const shift = run.recurrence - run.start_at;
  return startsIn(run, range).map((start) => ({
    object_id,
    recurrence: start + shift,
    calendar_id,
    start_at: start,
    end_at: start + duration,
    long,
    opaque,
    status,
    visibility,
  }));
}
