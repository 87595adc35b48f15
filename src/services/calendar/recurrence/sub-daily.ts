import { type Budget, spend } from './budget.ts';
import { DAY, HOUR, LAST_DAY, MINUTE, SECOND, wallDay } from './civil.ts';
import { admits, type Plan } from './day-filter.ts';

/**
 * HOURLY, MINUTELY and SECONDLY rules, likewise. Periods are counted on the wall: an hour that the clocks skip has no instance, and one that
 * comes twice has one.
 */
export function* subDailyTimes(
  plan: Plan,
  { from, to }: { readonly from: number; readonly to: number },
  exists: (wall: number) => boolean,
  budget: Budget,
): Generator<number, void, undefined> {
  const unit = plan.freq === 'HOURLY' ? HOUR : plan.freq === 'MINUTELY' ? MINUTE : SECOND;
  const step = unit * plan.interval;
  const base = Math.floor(plan.start / unit) * unit;
  if (!reachable(plan, base, step, budget)) return;
  const within = timesWithin(plan, unit);
  if (!selectsAny(plan.positions, within.length)) return;
  /** The first period that begins at that time or later. */
  const periodAt = (wall: number) => Math.ceil((wall - base) / step);
  let admitted = { day: Number.NaN, yes: false };
  for (let period = Math.max(0, Math.floor((from - base) / step)); ;) {
    const begin = base + period * step;
    const day = wallDay(begin);
    if (day > LAST_DAY || begin >= to) return;
    spend(budget, 1);
    if (admitted.day !== day) admitted = { day, yes: admits(plan, day) };
    if (!admitted.yes) {
      period = periodAt((day + 1) * DAY);
      continue;
    }
    const next = nextLimited(plan, begin, unit);
    if (next > begin) {
      period = periodAt(next);
      continue;
    }
    period += 1;
    if (plan.positions.length === 0) {
      for (const time of within) yield begin + time;
      continue;
    }
    spend(budget, within.length);
    yield* positioned(within.map((time) => begin + time).filter(exists), plan.positions);
  }
}

/** What BYSETPOS selects of a period. */
export function positioned(all: readonly number[], positions: readonly number[]): number[] {
  return all.filter((_, index) => positions.includes(index + 1) || positions.includes(index - all.length));
}

/** Whether BYSETPOS may select something of a period with at most so many. */
export function selectsAny(positions: readonly number[], most: number): boolean {
  return positions.length === 0 || positions.some((position) => Math.abs(position) <= most);
}

/** What a period has of smaller units. */
function timesWithin(plan: Plan, unit: number): number[] {
  const seconds = unit > SECOND ? plan.seconds.map((second) => second * SECOND) : [0];
  return unit > MINUTE ? plan.minutes.flatMap((minute) => seconds.map((second) => minute * MINUTE + second)) : seconds;
}

/** The begin of the next hour, minute or second that the rule admits: `wall` itself when it does. */
function nextLimited(plan: Plan, wall: number, unit: number): number {
  const hour = nextOf(plan.hours, wall, HOUR, DAY);
  if (hour > wall || unit === HOUR) return hour;
  const minute = nextOf(plan.minutes, wall, MINUTE, HOUR);
  if (minute > wall || unit === MINUTE) return minute;
  return nextOf(plan.seconds, wall, SECOND, MINUTE);
}

/** @param values admitted, ascending; none for all */
function nextOf(values: readonly number[], wall: number, unit: number, of: number): number {
  if (values.length === 0) return wall;
  const begin = Math.floor(wall / of) * of;
  const value = Math.floor((wall - begin) / unit);
  if (values.includes(value)) return wall;
  const next = values.find((one) => one > value);
  return next === undefined ? begin + of : begin + next * unit;
}

/**
 * Whether periods ever begin at a time of day that the rule admits. Every second minute from an even one on never meets an odd one, and
 * would be looked for until the end of the calendar.
 */
function reachable(plan: Plan, base: number, step: number, budget: Budget): boolean {
  const stride = commonDivisor(step, DAY);
  const unit = plan.freq === 'HOURLY' ? HOUR : plan.freq === 'MINUTELY' ? MINUTE : SECOND;
  for (let time = ((base % stride) + stride) % stride; time < DAY;) {
    spend(budget, 1);
    const next = nextLimited(plan, time, unit);
    if (next === time) return true;
    time += Math.ceil((next - time) / stride) * stride;
  }
  return false;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
