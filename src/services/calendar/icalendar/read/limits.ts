import { calendarLimits } from '../../../../contract/calendar/limits.ts';

/** How much of a file is read. What is beyond the second kind fails one component; beyond the first, the file. */
export const readLimits = {
  /** components of a file that are in no other one */
  components: calendarLimits.importComponents,
  /** bytes of one of them, and of all that have one UID */
  bytes: calendarLimits.eventBytes,
  /** components in each other: VCALENDAR, VEVENT, VALARM, and more in what nobody knows */
  depth: 8,
  /** properties of one of them with all that is in it */
  properties: 10_000,
  /** bytes of the definition of a zone. With all of its history one has some ten thousand */
  zoneBytes: 65_536,
  /** properties of the calendar itself */
  calendarProperties: 200,
  /** zones that one event with all that was changed in it names */
  zones: 20,
  /** errors of one event, and warnings about it, that are named */
  problems: 20,
} as const;
