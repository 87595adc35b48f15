import { randomUUID } from 'node:crypto';
import type { GivenEvent } from '../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { changeEvent, isSignificant, type ChangeContext } from '../icalendar/fields/change.ts';
import { recurrenceIdOf } from '../icalendar/fields/given-recurrence.ts';
import { withSplitFrom } from '../icalendar/fields/recurrence.ts';
import { personOf } from '../icalendar/fields/people.ts';
import { askedAnew } from '../itip/messages.ts';
import { attendeeOf, attendeeParties, isSame, partyOf, withEvents, type Party } from '../itip/self.ts';
import { propertyOf, textOf, withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import type { OpenObject } from '../objects/read.ts';
import { seriesOf, type ChangedInstance } from '../objects/series.ts';
import { withSeries, withTimes } from '../objects/write-series.ts';
import { uidOf } from '../objects/write.ts';
import { instanceTimes, startTimeOf, type InstanceTimes } from '../recurrence/instance-times.ts';
import type { Instance } from '../recurrence/open-series.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import type { Series, When } from '../recurrence/series.ts';
import { shift } from '../recurrence/shift.ts';
import { split } from '../recurrence/split.ts';

/** What a change knows besides the object. */
export type Changing = Pick<ChangeContext, 'now' | 'memberOf'>;

export interface ChangedObject {
  readonly object: JcalComponent;
  /** instances that were changed by themselves and that there are no longer, by the time of their rule */
  readonly dropped: readonly string[];
}

/**
 * An event or series with what was given changed. What was changed in single instances stays, and moves along with the series.
 * @throws Problem invalid VALIDATION_ERROR
 */
export function changeAll(open: OpenObject, given: GivenEvent, changing: Changing): ChangedObject {
  const { object, master, series, zones } = open;
  if (master === undefined)
    throw fieldProblem('modificationMode', 'must be single: the series of these events is elsewhere');
  const changed = counted(master, changeEvent(master, given, { ...zones, ...changing }));
  const after = seriesOf(replaced(object, master, changed), zones).series;
  const { start, zone, duration } = after;
  const isUnmoved =
    start === series.start &&
    zone === series.zone &&
    duration.days === series.duration.days &&
    duration.ms === series.duration.ms &&
    given.rrule === undefined &&
    given.recurrence === undefined;
  if (isUnmoved || start === undefined || series.start === undefined)
    return { object: withSameAttendees(replaced(object, master, changed), master, changed), dropped: [] };
  return ofRule(() => {
    const givesRule = given.rrule !== undefined || given.recurrence !== undefined;
    const times = { start, zone, duration, ...(givesRule && { rules: after.rules }) };
    const { series: moved, dropped } = shift(series, times, readerOf(open));
    const kept: Series<ChangedInstance> = {
      ...moved,
      // Dates that were given are meant as they are.
      ...((given.rdates !== undefined || given.recurrence !== undefined) && { rdates: after.rdates }),
      ...((given.exdates !== undefined || given.recurrence !== undefined) && { exdates: after.exdates }),
    };
    return {
      object: withSameAttendees(withSeries(object, changed, kept, zones), master, changed),
      dropped: dropped.map(({ recurrence }) => recurrence.at),
    };
  });
}

/** One instance with what was given changed. @throws Problem invalid VALIDATION_ERROR */
export function changeOne(
  { object, master, zones }: OpenObject,
  instance: Instance<ChangedInstance>,
  given: GivenEvent,
  changing: Changing,
): JcalComponent {
  for (const field of ['rrule', 'recurrence', 'rdates', 'exdates'] as const)
    if (given[field] !== undefined) throw fieldProblem(field, 'cannot be of a single instance');
  const before = instance.override?.component ?? instanceComponent(master, instance, zones);
  const changed = counted(before, changeEvent(before, given, { ...zones, ...changing }));
  const [name, properties, components] = object;
  return [name, properties, [...components.filter((one) => one !== before), changed]];
}

function instanceComponent(
  master: JcalComponent | undefined,
  instance: Instance<ChangedInstance>,
  zones: OpenObject['zones'],
): JcalComponent {
  if (master === undefined) throw new Error('an instance without a component is one of a series');
  const plain = withProperties(master, ['rrule', 'exrule', 'rdate', 'exdate'], []);
  const id = recurrenceIdOf(master, instance.recurrence.at, zones);
  return withTimes(withProperties(plain, ['recurrence-id'], [id]), instance, zones);
}

export interface PartedSeries {
  /** what is left of the series; undefined: the change is one of all */
  readonly before: JcalComponent | undefined;
  /** the series that goes on, under a UID of its own */
  readonly after: JcalComponent;
}

/** Parts a series at an instance, so that what follows can be changed. @throws Problem invalid VALIDATION_ERROR */
export function parted(open: OpenObject, at: When): PartedSeries {
  const { object, master, series, zones } = open;
  if (master === undefined)
    throw fieldProblem('modificationMode', 'must be single: the series of these events is elsewhere');
  return ofRule(() => {
    const { before, after } = split(series, at, readerOf(open));
    if (before === undefined) return { before: undefined, after: object };
    const uid = uidOf(object);
    const first = withSeries(object, bumped(master), before, zones);
    const next = withUid(withSplitFrom(master, uid));
    const overrides = after.overrides.map((one) => ({ ...one, component: withUidOf(one.component, next) }));
    const started = startedAt(next, after, zones);
    return { before: first, after: withSeries(object, started, { ...after, overrides }, zones) };
  });
}

/** The master of a series that begins with another instance. */
function startedAt(
  master: JcalComponent,
  { start, zone, duration }: Series,
  zones: OpenObject['zones'],
): JcalComponent {
  if (start === undefined) throw new Error('a series that goes on has a begin');
  return withTimes(master, timesOf({ start, zone, duration }, zones), zones);
}

function timesOf(
  { start, zone, duration }: { start: string; zone: string; duration: Series['duration'] },
  zones: OpenObject['zones'],
): InstanceTimes {
  return instanceTimes(startTimeOf(start, zone, zones.zones), duration, { zones: zones.zones, zone: zones.zone });
}

/** The series without one instance. */
export function withoutOne(
  { object, master, zones }: OpenObject,
  { recurrence, override }: Instance<ChangedInstance>,
): JcalComponent {
  const [name, properties, components] = object;
  const others = components.filter((one) => one !== override?.component);
  if (master === undefined) return [name, properties, others];
  const [, ...id] = recurrenceIdOf(master, recurrence.at, zones);
  const [kind, own, alarms] = bumped(master);
  const left: JcalComponent = [kind, [...own, ['exdate', ...id]], alarms];
  return [name, properties, others.map((one) => (one === master ? left : one))];
}

function withUid(component: JcalComponent): JcalComponent {
  return withProperties(component, ['uid'], [['uid', {}, 'text', randomUUID()]]);
}

function withUidOf(component: JcalComponent, other: JcalComponent): JcalComponent {
  return withProperties(component, ['uid'], [['uid', {}, 'text', textOf(propertyOf(other, 'uid'))]]);
}

function replaced(
  [name, properties, components]: JcalComponent,
  before: JcalComponent,
  after: JcalComponent,
): JcalComponent {
  return [name, properties, components.map((one) => (one === before ? after : one))];
}

/**
 * SEQUENCE goes up when attendees have to answer anew (RFC 5546 2.1.4), and when others are invited: who is removed and invited again hears of both in
 * whatever order.
 */
function counted(before: JcalComponent, after: JcalComponent): JcalComponent {
  if (isSignificant(before, after)) return askedAnew(bumped(after));
  return invitesOthers(before, after) ? bumped(after) : after;
}

function invitesOthers(before: JcalComponent, after: JcalComponent): boolean {
  const [some, others] = [attendeeParties(before), attendeeParties(after)];
  return some.length !== others.length || some.some((one) => !others.some((other) => isSame(one, other)));
}

/** Who is added to a series or removed from it, is so in the instances that were changed by themselves. */
function withSameAttendees(object: JcalComponent, before: JcalComponent, after: JcalComponent): JcalComponent {
  if (!invitesOthers(before, after)) return object;
  const [some, others] = [attendeeParties(before), attendeeParties(after)];
  const lacks = (all: readonly Party[], one: Party): boolean => !all.some((other) => isSame(one, other));
  const removed = some.filter((one) => lacks(others, one));
  const added = others.filter((one) => lacks(some, one));
  return withEvents(object, (event) => {
    if (propertyOf(event, 'recurrence-id') === undefined) return event;
    const [name, properties, components] = event;
    const left = properties.filter((one) => one[0] !== 'attendee' || lacks(removed, partyOf(personOf(one))));
    const there = attendeeParties([name, left, []]);
    const more = added
      .filter((one) => lacks(there, one))
      .map((one) => attendeeOf(after, one))
      .filter((property) => property !== undefined);
    return counted(event, [name, [...left, ...more], components]);
  });
}

function bumped(component: JcalComponent): JcalComponent {
  return withProperties(component, ['sequence'], [['sequence', {}, 'integer', sequenceOf(component) + 1]]);
}

/** SEQUENCE, how often an event was changed so that attendees would have to answer anew. */
export function sequenceOf(component: JcalComponent | undefined): number {
  const value = component === undefined ? undefined : propertyOf(component, 'sequence')?.[3];
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}

export function readerOf({ zones }: Pick<OpenObject, 'zones'>) {
  return { zones: zones.zones, zone: zones.zone };
}

function ofRule<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw fieldProblem(error.code === 'NOT_AN_INSTANCE' ? 'recurrenceId' : 'rrule', error.message, { cause: error });
  }
}
