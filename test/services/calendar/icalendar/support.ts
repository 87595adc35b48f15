import type { GivenEvent } from '../../../../src/contract/calendar/event.ts';
import { newEvent, type ChangeContext } from '../../../../src/services/calendar/icalendar/fields/change.ts';
import type { JcalComponent } from '../../../../src/services/calendar/icalendar/jcal.ts';
import { componentsOf } from '../../../../src/services/calendar/icalendar/jcal.ts';
import { readCalendarFile } from '../../../../src/services/calendar/icalendar/read/read.ts';
import type { ReadResult } from '../../../../src/services/calendar/icalendar/read/result.ts';
import { toFields, type EventFields } from '../../../../src/services/calendar/icalendar/fields/to-fields.ts';
import type { FieldZones } from '../../../../src/services/calendar/icalendar/fields/times.ts';
import { zonesIn } from '../../../../src/services/calendar/icalendar/zones/resolve.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';

export const zones = createZones();

/** A text as files have it. */
export function crlf(text: string): string {
  return `${text.replaceAll('\n', '\r\n')}\r\n`;
}

/** All objects of a file. */
export function readAll(source: string | Uint8Array): ReadResult[] {
  return [...readCalendarFile(source, zones).objects()];
}

/** The object of a file that has one, which must be without errors. */
export function readOne(source: string | Uint8Array): JcalComponent {
  const [result, ...others] = readAll(source);
  if (result?.object === undefined || others.length > 0)
    throw new Error(`no object: ${JSON.stringify(result?.errors)}`);
  return result.object.jcal;
}

/** A calendar with these lines in an event that is at some time. */
export function withLines(...lines: readonly string[]): string {
  const all = [
    'UID:one',
    ...(lines.some((line) => line.startsWith('DTSTART')) ? [] : ['DTSTART:20260301T100000Z']),
    ...lines,
  ];
  return crlf(['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', ...all, 'END:VEVENT', 'END:VCALENDAR'].join('\n'));
}

export function eventOf(object: JcalComponent): JcalComponent {
  const [event] = componentsOf(object, 'vevent');
  if (event === undefined) throw new Error('there is no event');
  return event;
}

/** Of a calendar in Berlin. */
export function fieldZones(object: JcalComponent = ['vcalendar', [], []]): FieldZones {
  return { zone: 'Europe/Berlin', zoneOf: zonesIn(object, zones), zones };
}

export function fieldsOf(object: JcalComponent): EventFields {
  const fields = toFields(eventOf(object), fieldZones(object));
  if (fields === undefined) throw new Error('the event has no times');
  return fields;
}

export const changeContext: ChangeContext = {
  ...fieldZones(),
  now: Date.UTC(2026, 5, 1),
  memberOf: (userId) =>
    ({ a1: { email: 'ann@example.com', displayName: 'Ann' }, b2: { userId: 'b2', displayName: 'Bob' } })[userId],
};

export function made(given: GivenEvent): JcalComponent {
  return newEvent('one', given, changeContext);
}

/** The fields of an event that needs no zones of its own. */
export function fieldsOfEvent(component: JcalComponent): EventFields {
  return fieldsOf(['vcalendar', [], [component]]);
}
