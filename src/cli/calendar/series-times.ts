import { timeZoneNamed } from '../../base/time-zone.ts';
import { Problem } from '../../base/problem.ts';
import type { Event, GivenEvent } from '../../contract/calendar/event.ts';
import { day, dayText, startOfDay, wallClock, wallFrom, wallText, type WallClock } from './wall-clock.ts';

interface Moving {
  readonly before: Event;
  /** the series of the instance, if all of it changes */
  readonly series: Event | undefined;
  /** in which the new times were said */
  readonly clock: WallClock;
  /** whether the person named that zone, so that the event is in it from now on */
  readonly isZoneNamed: boolean;
}

/**
 * New times of an event in its own zone, so that a series keeps it. Those that were said of an instance move its whole series as far as the
 * instance.
 * @throws Problem invalid USAGE
 */
export function movedTimes(given: GivenEvent, { before, series, clock, isZoneNamed }: Moving): GivenEvent {
  const { dtstart, dtend, allDay = before.allDay } = given;
  const said = dtstart === undefined ? undefined : wallFrom(dtstart);
  if (said === undefined) return given;
  const own = isZoneNamed || allDay ? undefined : timeZoneNamed(before.dtstartTzid ?? clock.zone);
  const zone = own ?? clock.zone;
  const inZone = (wall: number): number =>
    allDay || zone === clock.zone ? wall : wallClock(zone).wallOf(clock.instantOf(wall));
  const by = series === undefined ? 0 : movedBy(inZone(said), before, series);
  const textOf = (wall: number): string => (allDay ? dayText(wall + by) : wallText(inZone(wall) + by));
  const end = dtend === undefined ? undefined : wallFrom(dtend);
  return {
    ...given,
    dtstart: textOf(said),
    ...(end !== undefined && { dtend: textOf(end) }),
    ...(!allDay && { dtstartTzid: zone }),
    ...(!allDay && end !== undefined && { dtendTzid: zone }),
  };
}

/** From the times of an instance to those of the first one. */
function movedBy(said: number, before: Event, series: Event): number {
  const [from, first] = [wallFrom(before.dtstart) ?? 0, wallFrom(series.dtstart) ?? 0];
  const rule = series.rrule;
  const namesDays = rule !== undefined && Object.keys(rule).some((name) => name.startsWith('by'));
  const isOtherDay = startOfDay(said) !== startOfDay(from);
  if (isOtherDay && namesDays)
    throw new Problem(
      'invalid',
      'USAGE',
      'The rule of the series names its days. To move all of it to other days, give it a new rule: conclave calendar edit ID --repeat RULE',
    );
  const whole = Math.round((startOfDay(from) - startOfDay(first)) / day) * day;
  return -whole;
}
