import { davRefusal } from '../../../service/dav-matching.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { propertiesOf, type JcalComponent } from '../icalendar/jcal.ts';
import { readCalendarFile } from '../icalendar/read/read.ts';
import type { Zones } from '../recurrence/zones.ts';

/** A calendar object as a program gave it. */
interface GivenObject {
  readonly object: JcalComponent;
  readonly component: string;
}

/**
 * Reads what a program wants to store: one event, task or journal, with all that was changed in it (RFC 4791 4.1).
 * @throws Problem forbidden FORBIDDEN with the condition that it does not meet
 */
export function readGivenObject(bytes: Uint8Array, zones: Zones): GivenObject {
  const file = opened(bytes, zones);
  const [method] = file.calendars.flatMap((calendar) => calendar.method ?? []);
  if (method !== undefined) throw notOne(`It must have no METHOD: it is ${method.slice(0, 20)}.`);
  if (file.calendars.length !== 1 || file.total !== 1)
    throw notOne(
      'It must be a single VCALENDAR with one event, task or journal: its components have one UID and one kind.',
    );
  const [result] = [...file.objects()];
  const [error] = result?.errors ?? [];
  if (error !== undefined) throw invalid(error.message);
  const object = result?.object;
  if (object === undefined) throw invalid('It has nothing that can be stored.');
  if (!/^UID[:;]/im.test(textOf(bytes) ?? Buffer.from(bytes).toString('latin1'))) throw notOne('It must have a UID.');
  assertAttendees(object.jcal);
  return { object: object.jcal, component: object.component };
}

/** The text of an object, to be given back as it is; undefined if it is no UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

function opened(bytes: Uint8Array, zones: Zones) {
  try {
    return readCalendarFile(bytes, zones);
  } catch (error) {
    if (error instanceof Problem && error.code === 'VALIDATION_ERROR') throw invalid('It is no iCalendar.');
    throw error;
  }
}

function assertAttendees([, , components]: JcalComponent): void {
  const most = Math.max(...components.map((component) => propertiesOf(component, 'attendee').length));
  if (most > calendarLimits.attendees) {
    const message = `It must have at most ${calendarLimits.attendees} attendees.`;
    throw davRefusal('forbidden', 'FORBIDDEN', 'c:max-attendees-per-instance', message);
  }
}

function invalid(message: string): Problem {
  return davRefusal('forbidden', 'FORBIDDEN', 'c:valid-calendar-data', message);
}

function notOne(message: string): Problem {
  return davRefusal('forbidden', 'FORBIDDEN', 'c:valid-calendar-object-resource', message);
}
