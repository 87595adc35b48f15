import { recurrenceIdOf } from '../icalendar/fields/given-recurrence.ts';
import { ownPrefix } from '../icalendar/text/lines-of-property.ts';
import type { FieldZones } from '../icalendar/fields/times.ts';
import {
  componentsOf,
  paramOf,
  propertyOf,
  textOf,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { wallOfMs } from '../icalendar/text/times.ts';
import { memberParam } from '../icalendar/fields/people.ts';
import { instanceKey, sequenceOf } from './receive.ts';
import { attendeeOf, organizerParty, withAttendee, withEvents, withParams, type Party } from './self.ts';

/** Messages about events (RFC 5546), as organizers and attendees send them. */

export function stampOf(now: number): string {
  return `${wallOfMs(now)}Z`;
}

/** What attendees say with their answers is for the organizer alone, and what programs say to their server (RFC 6638 7) for nobody else. */
const toOrganizer = new Set([
  'x-response-comment',
  'x-calendarserver-dtstamp',
  'schedule-agent',
  'schedule-force-send',
  'schedule-status',
]);

function withoutOwn([kind, params, type, ...values]: JcalProperty): JcalProperty {
  const others = Object.entries(params).filter(
    ([param]) => param === memberParam || !(param.startsWith(ownPrefix) || toOrganizer.has(param)),
  );
  return [kind, Object.fromEntries(others), type, ...values];
}

/** What others get of an event: nothing that is only for this node or for the organizer. */
function asSent([name, properties]: JcalComponent, now: number): JcalComponent {
  const kept = properties.filter(([one]) => !one.startsWith(ownPrefix)).map(withoutOwn);
  return withProperties([name, kept, []], ['dtstamp'], [['dtstamp', {}, 'date-time', stampOf(now)]]);
}

/**
 * What an attendee gets of an event: the series if they are invited to it, without instances to which they are not, or else only the instances to
 * which they are.
 * @returns undefined if they are invited to none
 */
export function requestFor(
  object: JcalComponent,
  party: Party,
  zones: FieldZones,
  now: number,
): JcalComponent | undefined {
  const events = componentsOf(object, 'vevent');
  const master = events.find((event) => instanceKey(event, zones) === undefined);
  const isInvited = (event: JcalComponent): boolean => attendeeOf(event, party) !== undefined;
  const toSeries = master !== undefined && isInvited(master);
  const without = toSeries ? events.filter((event) => event !== master && !isInvited(event)) : [];
  const request = withEvents(object, (event) => {
    if (!isInvited(event)) return undefined;
    const sent = asSent(event, now);
    if (event !== master) return sent;
    const [name, properties, alarms] = sent;
    const gone = without.flatMap((one): JcalProperty[] => {
      const property = propertyOf(one, 'recurrence-id');
      return property === undefined ? [] : [['exdate', ...tail(property)]];
    });
    return [name, [...properties, ...gone], alarms];
  });
  return componentsOf(request, 'vevent').length === 0 ? undefined : request;
}

function tail([, ...rest]: JcalProperty) {
  return rest;
}

/** Properties that a CANCEL and a REPLY have of the event. */
const named = new Set([
  'uid',
  'sequence',
  'organizer',
  'dtstart',
  'dtend',
  'duration',
  'recurrence-id',
  'summary',
  'location',
]);

function shortened([name, properties]: JcalComponent, now: number, more: readonly JcalProperty[]): JcalComponent {
  const kept = properties.filter(([one]) => named.has(one));
  return asSent([name, [...kept, ['dtstamp', {}, 'date-time', stampOf(now)], ...more], []], now);
}

export interface Cancellation {
  readonly zones: FieldZones;
  readonly now: number;
  /** SEQUENCE: higher than that of any earlier message */
  readonly sequence: number;
  /** the instance; undefined: all of it */
  readonly at?: string | undefined;
}

/** What tells an attendee that the event is off for them. */
export function cancelFor(
  object: JcalComponent,
  party: Party,
  { zones, now, sequence, at }: Cancellation,
): JcalComponent {
  const events = componentsOf(object, 'vevent');
  const master = events.find((event) => instanceKey(event, zones) === undefined);
  const wanted = at === undefined ? undefined : events.find((event) => instanceKey(event, zones) === at);
  const event = wanted ?? master ?? events[0];
  if (event === undefined) throw new Error('there is no event to cancel');
  const attendee = attendeeOf(event, party);
  const status: JcalProperty = ['status', {}, 'text', 'CANCELLED'];
  const id =
    at === undefined || wanted !== undefined || master === undefined
      ? []
      : [recurrenceIdOf(master, at.replace('.000', ''), zones)];
  const short = shortened(event, now, [...id, status, ...(attendee === undefined ? [] : [attendee])]);
  const cancelled = withProperties(short, ['sequence'], [['sequence', {}, 'integer', sequence]]);
  return [object[0], object[1], [...object[2].filter(([name]) => name === 'vtimezone'), cancelled]];
}

/** What an attendee answers: one event with one attendee. */
export function replyOf(
  object: JcalComponent,
  event: JcalComponent,
  party: Party,
  { now, partstat, comment }: { readonly now: number; readonly partstat: string; readonly comment: string | undefined },
): JcalComponent {
  const property = attendeeOf(event, party);
  const cn = property === undefined ? undefined : paramOf(property, 'cn');
  const value = property === undefined ? party.key : textOf(property);
  const attendee: JcalProperty = ['attendee', { ...(cn !== undefined && { cn }), partstat }, 'cal-address', value];
  const said: JcalProperty[] = comment === undefined || comment === '' ? [] : [['comment', {}, 'text', comment]];
  return [
    object[0],
    object[1],
    [...object[2].filter(([name]) => name === 'vtimezone'), shortened(event, now, [attendee, ...said])],
  ];
}

/** All attendees but the organizer are asked anew (RFC 5546 2.1.4). */
export function askedAnew(event: JcalComponent): JcalComponent {
  const organizer = organizerParty(['vcalendar', [], [event]]);
  const asked = ['x-conclave-asked', {}, 'integer', sequenceOf(event)] as const;
  const [name, properties, components] = withProperties(event, ['x-conclave-asked'], [asked]);
  return [
    name,
    properties.map((property) => {
      if (property[0] !== 'attendee') return property;
      const is = (party: Party | undefined): boolean =>
        party !== undefined && attendeeOf(['vevent', [property], []], party) !== undefined;
      if (is(organizer) || paramOf(property, 'partstat') === 'NEEDS-ACTION') return property;
      return withParams(property, { partstat: 'NEEDS-ACTION', rsvp: 'TRUE' });
    }),
    components,
  ];
}

/** An event in which somebody has answered. */
export function answered(event: JcalComponent, party: Party, partstat: string): JcalComponent {
  return withAttendee(event, party, (property) => withParams(property, { partstat, rsvp: undefined }));
}
