import type { Event } from '../../../../contract/calendar/event.ts';
import { eventStatuses, visibilities } from '../../../../contract/calendar/limits.ts';
import {
  propertiesOf,
  propertyOf,
  textOf,
  valuesOf,
  valueText,
  type JcalComponent,
  type JcalProperty,
} from '../jcal.ts';
import { isDay, isTime, isUtc } from '../text/times.ts';
import { ownPrefix } from '../text/lines-of-property.ts';
import { remindersOf } from './alarms.ts';
import { attachmentsOf, conferenceOf, conferenceProperty } from './attachments.ts';
import { colorOf } from './colors.ts';
import { attendeesOf, organizerOf } from './people.ts';
import { datesOf, isRecurring, jcalRuleOf, recurrenceLinesOf, ruleObjectOf, splitFromOf } from './recurrence.ts';
import { inZoneOf, isoInstant, spanOf, timeOfProperty, type EventSpan, type FieldZones } from './times.ts';

/** What of an event stands in its component. Ids, rights and what is known of the caller are for who shows it. */
export type EventFields = Omit<
  Event,
  | 'id'
  | 'calendarId'
  | 'etag'
  | 'dateCreated'
  | 'dateModified'
  | 'organizerId'
  | 'parentEventId'
  | 'occurrenceId'
  | 'myPermission'
  | 'myPartstat'
> &
  Partial<Pick<Event, 'dateCreated' | 'dateModified'>>;

/** They have a field, or are of the object rather than the event. */
const known = new Set([
  'attach',
  'attendee',
  'categories',
  'class',
  'color',
  'created',
  'description',
  'dtend',
  'dtstamp',
  'dtstart',
  'duration',
  'exdate',
  'last-modified',
  'location',
  'organizer',
  'priority',
  'rdate',
  'recurrence-id',
  'rrule',
  'sequence',
  'status',
  'summary',
  'transp',
  'uid',
  'url',
]);

/** When an event or an instance is. */
export type Times = Pick<EventFields, 'allDay' | 'dtstart' | 'dtstartTzid' | 'dtend' | 'dtendTzid' | 'start' | 'end'>;

/** Of what is shown as one instance, its caller knows more. */
const ofInstance = { isRecurring: true, isException: false } as const;

/**
 * Maps a component to the fields of the interface.
 *
 * @param span when it happens, where that is known
 * @param instance when that is, of a series that is shown as one of its instances: without all that says when the series happens
 * @returns undefined without a DTSTART that is a time, as reading refuses it
 */
export function toFields(
  component: JcalComponent,
  zones: FieldZones,
  span: EventSpan | undefined = spanOf(component, zones),
  instance?: Times,
): EventFields | undefined {
  if (span === undefined) return undefined;
  const text = (name: string): string => textOf(propertyOf(component, name));
  const optional = { url: text('url').trim(), color: colorOf(component) ?? '' };
  const conference = conferenceOf(component);
  const organizer = organizerOf(component);
  const splitFrom = splitFromOf(component);
  const priority = numberOf(component, 'priority', 9);
  const extended = extendedOf(component);
  return {
    uid: text('uid'),
    sequence: numberOf(component, 'sequence', Number.MAX_SAFE_INTEGER) ?? 0,
    ...moments(component),
    summary: text('summary'),
    description: text('description'),
    location: text('location'),
    ...(optional.url !== '' && { url: optional.url }),
    categories: propertiesOf(component, 'categories').flatMap((one) =>
      valuesOf(one)
        .map(valueText)
        .filter((value) => value !== ''),
    ),
    ...(optional.color !== '' && { color: optional.color }),
    ...(priority !== undefined && { priority }),
    ...(conference !== undefined && { conference }),
    ...(instance ?? timesOf(span)),
    duration: span.duration,
    ...(!isDay(span.start.time) && span.start.zone === undefined && { floating: true as const }),
    visibility: visibilityOf(text('class')),
    transparency: text('transp').toUpperCase() === 'TRANSPARENT' ? 'TRANSPARENT' : 'OPAQUE',
    status: eventStatuses.find((status) => status === text('status').toUpperCase()) ?? 'CONFIRMED',
    ...(organizer !== undefined && { organizer }),
    attendees: attendeesOf(component),
    ...(instance === undefined ? recurrenceFields(component, span, zones) : { ...ofInstance, exdates: [], rdates: [] }),
    ...(splitFrom !== undefined && { splitFrom }),
    reminders: remindersOf(component),
    attachments: attachmentsOf(component),
    ...(Object.keys(extended).length > 0 && { extended }),
  };
}

function timesOf({ start, end, startAt, endAt }: EventSpan): Times {
  return {
    allDay: isDay(start.time),
    dtstart: start.time,
    ...(start.zone !== undefined && { dtstartTzid: start.zone }),
    dtend: end.time,
    ...(end.zone !== undefined && { dtendTzid: end.zone }),
    start: isoInstant(startAt),
    end: isoInstant(endAt),
  };
}

function recurrenceFields(component: JcalComponent, { start }: EventSpan, zones: FieldZones) {
  const rule = jcalRuleOf(propertyOf(component, 'rrule'));
  const lines = recurrenceLinesOf(component);
  const instance = propertyOf(component, 'recurrence-id');
  return {
    ...(rule !== undefined && { rrule: ruleObjectOf(rule) }),
    ...(lines.length > 0 && { recurrence: lines }),
    exdates: datesOf(component, 'exdate', start, zones),
    rdates: datesOf(component, 'rdate', start, zones),
    ...(instance !== undefined &&
      isTime(textOf(instance)) && { recurrenceId: inZoneOf(timeOfProperty(instance, zones), start, zones) }),
    isRecurring: isRecurring(component),
    isException: instance !== undefined,
  };
}

/** A class that nobody knows is private (RFC 5545 3.8.1.3). */
function visibilityOf(text: string): EventFields['visibility'] {
  if (text === '') return 'PUBLIC';
  return visibilities.find((visibility) => visibility === text.toUpperCase()) ?? 'PRIVATE';
}

function numberOf(component: JcalComponent, name: string, max: number): number | undefined {
  const value = propertyOf(component, name)?.[3];
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
}

function moments(component: JcalComponent): Pick<EventFields, 'dateCreated' | 'dateModified'> {
  const moment = (...names: readonly string[]): string | undefined =>
    names.map((name) => textOf(propertyOf(component, name))).find((time) => isTime(time) && isUtc(time));
  const [created, modified] = [moment('created'), moment('last-modified', 'dtstamp')];
  return {
    ...(created !== undefined && { dateCreated: created }),
    ...(modified !== undefined && { dateModified: modified }),
  };
}

/** The properties that have no field of their own. */
function extendedOf(component: JcalComponent): Record<string, string[]> {
  const shown = conferenceProperty(component);
  const found = new Map<string, string[]>();
  for (const property of component[1]) {
    const name = property[0].toUpperCase();
    if (known.has(property[0]) || property[0].startsWith(ownPrefix) || property === shown || isSplit(property))
      continue;
    const text = valuesOf(property).length > 1 ? valuesOf(property).map(valueText).join(',') : textOf(property);
    found.set(name, [...(found.get(name) ?? []), text]);
  }
  return Object.fromEntries(found);
}

function isSplit(property: JcalProperty): boolean {
  return property[0] === 'related-to' && splitFromOf(['vevent', [property], []]) !== undefined;
}
