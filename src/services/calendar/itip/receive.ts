import { Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { isSignificant } from '../icalendar/fields/change.ts';
import { recurrenceIdOf } from '../icalendar/fields/given-recurrence.ts';
import { instantOfTime, timeOfProperty, type FieldZones } from '../icalendar/fields/times.ts';
import { componentsOf, paramOf, propertyOf, textOf, withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import { isDay, isTime } from '../icalendar/text/times.ts';
import { attendeeOf, withAttendee, withEvents, withParams, type Party } from './self.ts';
import {
  isInstanceCancelled,
  isNewer,
  isSeriesCancelled,
  takeCancellation,
  takeInstance,
  takeSeries,
  type Version,
  type Versions,
} from './versions.ts';

/** What an attendee has of an event, and remembers of messages about it. */
export interface Copy {
  /** `['vcalendar', …]`; undefined: the event is not known, or all of it is gone */
  readonly object: JcalComponent | undefined;
  readonly known: Versions;
}

/** The properties and components of a copy that are the attendee's own. */
const own = ['transp', 'categories', 'color', 'x-apple-default-alarm'];

export function versionOf(event: JcalComponent): Version {
  const stamp = Date.parse(textOf(propertyOf(event, 'dtstamp')));
  return { sequence: sequenceOf(event), stamp: Number.isNaN(stamp) ? 0 : stamp };
}

export function sequenceOf(event: JcalComponent): number {
  return countIn(event, 'sequence');
}

function countIn(event: JcalComponent, name: string): number {
  const value = propertyOf(event, name)?.[3];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** By what an instance is known: its RECURRENCE-ID as a day or an instant. @returns undefined for a series */
export function instanceKey(event: JcalComponent, zones: FieldZones): string | undefined {
  const property = propertyOf(event, 'recurrence-id');
  if (property === undefined || !isTime(textOf(property))) return undefined;
  const time = timeOfProperty(property, zones);
  return isDay(time.time) ? time.time : new Date(instantOfTime(time, zones)).toISOString();
}

/**
 * Takes a REQUEST.
 *
 * @param message its events
 * @param inOrder it is known to be sent after what is known: two changes within a second have one DTSTAMP
 * @returns undefined if it changes nothing: it is older than what is known
 */
export function takeRequest(
  copy: Copy,
  message: JcalComponent,
  me: Party,
  zones: FieldZones,
  inOrder = false,
): Copy | undefined {
  const events = componentsOf(message, 'vevent');
  const master = events.find((event) => instanceKey(event, zones) === undefined);
  let known: Versions | undefined = copy.known;
  let taken: JcalComponent[] = [];
  const there = copy.object === undefined ? [] : componentsOf(copy.object, 'vevent');
  if (master === undefined) {
    for (const event of events) {
      const key = instanceKey(event, zones) ?? '';
      const next = takeInstance(known, key, versionOf(event), inOrder);
      if (next === undefined) continue;
      known = next;
      taken.push(event);
    }
    if (taken.length === 0) return undefined;
    const replaced = new Set(taken.map((event) => instanceKey(event, zones)));
    taken = [...there.filter((event) => !replaced.has(instanceKey(event, zones))), ...taken];
  } else {
    known = takeSeries(known, versionOf(master), inOrder);
    if (known === undefined) return undefined;
    // What came by itself and is newer stays.
    const newer = there.filter((event) => known?.instances[instanceKey(event, zones) ?? ''] !== undefined);
    const kept = new Set(newer.map((event) => instanceKey(event, zones)));
    taken = [...events.filter((event) => !kept.has(instanceKey(event, zones))), ...newer];
  }
  const [name, properties] = copy.object ?? message;
  const definitions = new Map(
    [...(copy.object?.[2] ?? []), ...message[2]]
      .filter(([kind]) => kind === 'vtimezone')
      .map((zone) => [textOf(propertyOf(zone, 'tzid')), zone]),
  );
  const mine = taken.map((event) => (there.includes(event) ? event : withOwn(event, there, me, zones)));
  return enforced({ object: [name, properties, [...definitions.values(), ...mine]], known }, zones);
}

/** What is the attendee's own stays: reminders, colors, and the answer unless there is something new to answer. */
function withOwn(event: JcalComponent, there: readonly JcalComponent[], me: Party, zones: FieldZones): JcalComponent {
  const key = instanceKey(event, zones);
  const [name, properties] = event;
  const before =
    there.find((one) => instanceKey(one, zones) === key) ?? there.find((one) => instanceKey(one, zones) === undefined);
  if (before === undefined) return [name, properties, []];
  const kept = before[1].filter(([one]) => own.includes(one));
  let merged: JcalComponent = withProperties([name, properties, before[2]], own, kept);
  const answer = attendeeOf(before, me);
  const partstat = answer && paramOf(answer, 'partstat');
  // The organizer may not have it when something else of the event changes.
  if (partstat !== undefined && partstat !== 'NEEDS-ACTION' && !isSignificant(before, event))
    merged = withAttendee(merged, me, (property) => withParams(property, { partstat }));
  return merged;
}

/**
 * Takes a CANCEL of the event, or of the instances that it names.
 * @returns undefined if it changes nothing
 */
export function takeCancel(copy: Copy, message: JcalComponent, zones: FieldZones): Copy | undefined {
  let { known } = copy;
  let changes = false;
  for (const event of componentsOf(message, 'vevent')) {
    const next = takeCancellation(known, instanceKey(event, zones), sequenceOf(event));
    if (next === undefined) continue;
    known = next;
    changes = true;
  }
  return changes ? enforced({ ...copy, known }, zones) : undefined;
}

/** The copy without what is cancelled, as far as that is known. */
function enforced({ object, known }: Copy, zones: FieldZones): Copy {
  if (object === undefined) return { object, known };
  const master = componentsOf(object, 'vevent').find((event) => instanceKey(event, zones) === undefined);
  let left = object;
  const gone: string[] = [];
  for (const key of Object.keys(known.cancelledInstances)) {
    if (!isInstanceCancelled(known, key)) continue;
    gone.push(key);
    left = withEvents(left, (event) => {
      if (instanceKey(event, zones) !== key) return event;
      // Without its series it is all that there is to see.
      return master === undefined ? withStatus(event, 'CANCELLED') : undefined;
    });
  }
  left = withEvents(left, (event) => {
    const key = instanceKey(event, zones);
    if (key === undefined) {
      // An instance to which one is invited anew is left out no more.
      const [name, properties, alarms] = event;
      const asSaid: JcalComponent = [name, properties.filter((one) => paramOf(one, LEFT_OUT) === undefined), alarms];
      const without = gone.reduce((one, at) => withoutInstance(one, at, zones), asSaid);
      return isSeriesCancelled(known) ? withStatus(without, 'CANCELLED') : without;
    }
    return isInstanceCancelled(known, key) ? withStatus(event, 'CANCELLED') : event;
  });
  return { object: left, known };
}

/** Marks what is left out because of a cancellation, and not by the series itself. */
const LEFT_OUT = 'x-conclave-cancelled';

function withStatus(event: JcalComponent, status: string): JcalComponent {
  return withProperties(event, ['status'], [['status', {}, 'text', status]]);
}

function withoutInstance(master: JcalComponent, key: string, zones: FieldZones): JcalComponent {
  if (propertyOf(master, 'rrule') === undefined && propertyOf(master, 'rdate') === undefined) return master;
  try {
    const [, params, ...value] = recurrenceIdOf(master, key.replace('.000', ''), zones);
    const [name, properties, alarms] = master;
    const has = properties.some(
      (one) => one[0] === 'exdate' && JSON.stringify(one) === JSON.stringify(['exdate', params, ...value]),
    );
    const exdate = ['exdate', { ...params, [LEFT_OUT]: '1' }, ...value] as const;
    return has ? master : [name, [...properties, exdate], alarms];
  } catch (error) {
    // A time that is none in the series leaves nothing out.
    if (error instanceof Problem) return master;
    throw error;
  }
}

/** An answer: of a REPLY, or of a member of this node. */
export interface Answer {
  readonly partstat: string;
  readonly comment: string | undefined;
  readonly version: Version;
  /** undefined: the whole event */
  readonly key: string | undefined;
  /** it is known to be given after what is known */
  readonly inOrder?: boolean;
}

const REPLIED = 'x-conclave-replied';

/**
 * Puts an answer into an event of its organizer. Of several the newest counts, and none to what was asked before the event changed.
 * @returns undefined if it changes nothing
 */
export function takeAnswer(
  event: JcalComponent,
  party: Party,
  { partstat, comment, version, inOrder = false }: Answer,
): JcalComponent | undefined {
  const property = attendeeOf(event, party);
  const asked = countIn(event, 'x-conclave-asked');
  if (property === undefined || version.sequence < asked) return undefined;
  const [sequence, stamp] = (paramOf(property, REPLIED) ?? '').split(' ').map((text) => wholeNumber(text));
  const isLate = sequence !== undefined && stamp !== undefined && !isNewer(version, { sequence, stamp });
  if (isLate && !inOrder) return undefined;
  return withAttendee(event, party, (one) =>
    withParams(one, {
      partstat,
      rsvp: undefined,
      'x-response-comment': comment === undefined || comment === '' ? undefined : comment,
      'x-calendarserver-dtstamp': `${new Date(version.stamp).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
      [REPLIED]: `${version.sequence} ${version.stamp}`,
    }),
  );
}
