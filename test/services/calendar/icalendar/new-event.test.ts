import { describe, expect, it } from 'vitest';
import type { GivenEvent } from '../../../../src/contract/calendar/event.ts';
import { objectText } from '../../../../src/services/calendar/icalendar/write.ts';
import { fieldsOf, fieldsOfEvent, made, readOne, zones } from './support.ts';

const rule = { freq: 'WEEKLY' } as const;

describe('a new event', () => {
  it.each<[string, GivenEvent, object]>([
    [
      'in the zone of the calendar',
      { dtstart: '2026-07-01T10:00:00' },
      { dtstartTzid: 'Europe/Berlin', start: '2026-07-01T08:00:00.000Z', duration: 'PT0S' },
    ],
    [
      'at an instant, which becomes a time there',
      { dtstart: '2026-07-01T10:00:00Z', dtend: '2026-07-01T13:30+02:00' },
      { dtstart: '2026-07-01T12:00:00', dtend: '2026-07-01T13:30:00' },
    ],
    [
      'at an instant in another zone',
      { dtstart: '2026-07-01T10:00:00-0400', tzid: 'Asia/Tokyo' },
      { dtstart: '2026-07-01T23:00:00', dtstartTzid: 'Asia/Tokyo' },
    ],
    [
      'in UTC',
      { dtstart: '2026-07-01T10:00', dtstartTzid: 'UTC' },
      { dtstart: '2026-07-01T10:00:00', dtstartTzid: 'UTC' },
    ],
    [
      'as Google spells it',
      {
        title: 'T',
        start: { dateTime: '2026-07-01T10:00:00', timeZone: 'Europe/London' },
        end: { dateTime: '2026-07-01T12:30:00', timeZone: 'Europe/Paris' },
      },
      { summary: 'T', start: '2026-07-01T09:00:00.000Z', end: '2026-07-01T10:30:00.000Z', dtendTzid: 'Europe/Paris' },
    ],
    [
      'with a zone for both ends',
      { dtstart: '2026-07-01T10:00:00', dtend: '2026-07-01T11:00:00', tzid: 'Asia/Tokyo' },
      { dtstartTzid: 'Asia/Tokyo', dtendTzid: 'Asia/Tokyo' },
    ],
    [
      'of a day',
      { start: { date: '2026-07-01' } },
      { allDay: true, dtstart: '2026-07-01', dtend: '2026-07-02', start: '2026-06-30T22:00:00.000Z' },
    ],
    [
      'of a day that begins and ends on it',
      { dtstart: '2026-07-01', dtend: '2026-07-01' },
      { dtend: '2026-07-02', duration: 'P1D' },
    ],
    ['of a day, said by a time', { allDay: true, dtstart: '2026-07-01T15:00:00' }, { dtstart: '2026-07-01' }],
    ['of two days by its duration', { dtstart: '2026-07-01', duration: 'P2D' }, { dtend: '2026-07-03' }],
    [
      'of a day over the change of the clocks',
      { dtstart: '2026-03-28T12:00:00', duration: 'P1D' },
      { dtend: '2026-03-29T12:00:00', end: '2026-03-29T10:00:00.000Z', duration: 'P1D' },
    ],
    [
      'of 24 hours over the change of the clocks',
      { dtstart: '2026-03-28T12:00:00', duration: 'PT24H' },
      { dtend: '2026-03-29T13:00:00' },
    ],
    [
      'at a time that the clocks skip',
      { dtstart: '2026-03-29T02:30:00' },
      { dtstart: '2026-03-29T02:30:00', start: '2026-03-29T01:30:00.000Z' },
    ],
    ['at a time that the clocks show twice', { dtstart: '2026-10-25T02:30:00' }, { start: '2026-10-25T00:30:00.000Z' }],
    [
      'with everything',
      {
        dtstart: '2026-07-01T10:00:00',
        dtend: '2026-07-01T11:00:00',
        summary: 'S',
        description: 'D\r\nE',
        location: 'L',
        url: 'https://example.com/',
        categories: ['a,b', 'c'],
        color: '#1a73e8',
        priority: 1,
        visibility: 'PRIVATE',
        transparency: 'TRANSPARENT',
        status: 'TENTATIVE',
        conference: { type: 'phone', uri: 'tel:+49', label: 'Dial', passcode: '1;2' },
        attachments: [{ uri: 'https://example.com/f', filename: 'f;g' }],
      },
      {
        summary: 'S',
        description: 'D\nE',
        location: 'L',
        url: 'https://example.com/',
        categories: ['a,b', 'c'],
        color: '#1a73e8',
        priority: 1,
        visibility: 'PRIVATE',
        transparency: 'TRANSPARENT',
        status: 'TENTATIVE',
        conference: { type: 'phone', uri: 'tel:+49', label: 'Dial', passcode: '1;2' },
        attachments: [{ uri: 'https://example.com/f', filename: 'f;g' }],
        dateCreated: '2026-06-01T00:00:00Z',
        dateModified: '2026-06-01T00:00:00Z',
        sequence: 0,
      },
    ],
    [
      'that happens again',
      {
        dtstart: '2026-07-01T10:00:00',
        rrule: { freq: 'WEEKLY', byDay: ['WE'], until: '2026-08-01' },
        exdates: ['2026-07-08T10:00:00', '2026-07-15T08:00:00Z'],
        rdates: ['2026-07-09T10:00:00'],
      },
      {
        rrule: { freq: 'WEEKLY', byDay: ['WE'], until: '2026-08-01T21:59:59Z' },
        exdates: ['2026-07-08T10:00:00', '2026-07-15T10:00:00'],
        rdates: ['2026-07-09T10:00:00'],
        isRecurring: true,
      },
    ],
    [
      'that happens again, as lines',
      { dtstart: '2026-07-01', recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260710T000000Z', 'EXDATE;VALUE=DATE:20260702'] },
      {
        rrule: { freq: 'DAILY', until: '2026-07-10' },
        exdates: ['2026-07-02'],
        recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260710', 'EXDATE;VALUE=DATE:20260702'],
      },
    ],
    [
      'with reminders',
      {
        dtstart: '2026-07-01T10:00:00',
        reminders: [
          { action: 'DISPLAY', triggerMinutesBefore: 90 },
          { action: 'EMAIL', trigger: '2026-06-30T10:00:00+02:00' },
          { action: 'AUDIO', trigger: '-PT5M', relatedTo: 'END', repeat: 2, duration: 'PT1M' },
        ],
      },
      {
        reminders: [
          { action: 'DISPLAY', triggerMinutesBefore: 90, trigger: '-PT90M', relatedTo: 'START' },
          { action: 'EMAIL', trigger: '2026-06-30T08:00:00Z' },
          { action: 'AUDIO', trigger: '-PT5M', relatedTo: 'END', repeat: 2, duration: 'PT1M' },
        ],
      },
    ],
    [
      'with attendees',
      {
        dtstart: '2026-07-01T10:00:00',
        attendees: [
          { userId: 'a1' },
          { userId: 'b2', role: 'CHAIR' },
          { email: 'c@example.com', rsvp: false },
          { email: 'C@example.com' },
          { email: 'd@example.com', role: 'NON-PARTICIPANT' },
          { email: 'e@example.com', partstat: 'ACCEPTED' },
        ],
      },
      {
        attendees: [
          {
            userId: 'a1',
            email: 'ann@example.com',
            displayName: 'Ann',
            role: 'REQ-PARTICIPANT',
            partstat: 'NEEDS-ACTION',
            rsvp: true,
          },
          { userId: 'b2', displayName: 'Bob', role: 'CHAIR', partstat: 'NEEDS-ACTION', rsvp: true },
          { email: 'c@example.com', role: 'REQ-PARTICIPANT', partstat: 'NEEDS-ACTION', rsvp: false },
          { email: 'd@example.com', role: 'NON-PARTICIPANT', partstat: 'NEEDS-ACTION', rsvp: false },
          { email: 'e@example.com', role: 'REQ-PARTICIPANT', partstat: 'ACCEPTED', rsvp: false },
        ],
      },
    ],
  ])('%s', (_, given, expected) => {
    const component = made(given);
    expect(fieldsOfEvent(component)).toMatchObject(expected);
    // It is the same after a file of it was read. Who of this node has an address is known here alone.
    const read = fieldsOf(readOne(objectText(['vcalendar', [], [component]], zones)));
    const fields = fieldsOfEvent(component);
    const known = fields.attendees.map(({ userId, email, ...one }) =>
      Object.assign(one, email === undefined ? { userId } : { email }),
    );
    expect(read).toEqual({ ...fields, attendees: known });
  });

  it.each<[string, string, GivenEvent]>([
    ['no begin', 'dtstart', { summary: 'x' }],
    ['a day that does not exist', 'dtstart', { dtstart: '2026-02-30' }],
    ['an hour that does not exist', 'dtstart', { dtstart: '2026-02-20T24:00:00' }],
    ['an instant that does not exist', 'start.dateTime', { start: { dateTime: '2026-02-20T25:00:00Z' } }],
    ['an empty begin', 'start', { start: {} }],
    ['a zone that does not exist', 'dtstartTzid', { dtstart: '2026-02-20T10:00:00', dtstartTzid: 'Europe/Atlantis' }],
    ['a zone of Windows, which files may have', 'tzid', { dtstart: '2026-02-20T10:00:00', tzid: 'Pacific_Standard' }],
    ['an end before the begin', 'dtend', { dtstart: '2026-02-20T10:00:00', dtend: '2026-02-20T09:00:00' }],
    ['an end at the begin', 'dtend', { dtstart: '2026-02-20T10:00:00', dtend: '2026-02-20T10:00:00' }],
    [
      'an end that is before it elsewhere',
      'end.dateTime',
      { dtstart: '2026-02-20T10:00:00', end: { dateTime: '2026-02-20T11:00:00', timeZone: 'Asia/Tokyo' } },
    ],
    ['an end on a day before', 'dtend', { dtstart: '2026-02-20', dtend: '2026-02-19' }],
    ['a day as the end of a time', 'dtend', { dtstart: '2026-02-20T10:00:00', dtend: '2026-02-21' }],
    ['a day that is not all day', 'dtstart', { allDay: false, dtstart: '2026-02-20' }],
    ['an end and a duration', 'duration', { dtstart: '2026-02-20', dtend: '2026-02-21', duration: 'P1D' }],
    ['a negative duration', 'duration', { dtstart: '2026-02-20T10:00:00', duration: '-PT1H' }],
    ['hours of a day', 'duration', { dtstart: '2026-02-20', duration: 'PT1H' }],
    [
      'a rule with count and until',
      'rrule',
      { dtstart: '2026-02-20', rrule: { ...rule, count: 2, until: '2026-03-01' } },
    ],
    ['a rule that is none', 'rrule', { dtstart: '2026-02-20', rrule: 'sometimes' }],
    ['a rule until no day', 'rrule.until', { dtstart: '2026-02-20', rrule: { ...rule, until: '2026-02-30' } }],
    ['a rule in both forms', 'recurrence', { dtstart: '2026-02-20', rrule: rule, recurrence: ['RRULE:FREQ=DAILY'] }],
    ['two rules', 'recurrence', { dtstart: '2026-02-20', recurrence: ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'] }],
    ['a line that is none', 'recurrence.0', { dtstart: '2026-02-20', recurrence: ['SUMMARY:x'] }],
    ['a line with no time', 'recurrence.0', { dtstart: '2026-02-20', recurrence: ['EXDATE:20260230'] }],
    [
      'a line in no zone',
      'recurrence.0',
      { dtstart: '2026-02-20T10:00:00', recurrence: ['EXDATE;TZID=Nowhere:20260220T100000'] },
    ],
    [
      'an exception that is a day',
      'exdates.1',
      { dtstart: '2026-02-20T10:00:00', exdates: ['2026-02-20T10:00:00', '2026-02-21'] },
    ],
    ['a reminder without a time', 'reminders.0', { dtstart: '2026-02-20', reminders: [{ action: 'DISPLAY' }] }],
    [
      'a reminder at two times',
      'reminders.0',
      { dtstart: '2026-02-20', reminders: [{ action: 'DISPLAY', trigger: '-PT5M', triggerMinutesBefore: 6 }] },
    ],
    [
      'a reminder that repeats at no distance',
      'reminders.0',
      { dtstart: '2026-02-20', reminders: [{ action: 'DISPLAY', trigger: '-PT5M', repeat: 2 }] },
    ],
    [
      'an attendee who is no member',
      'attendees.1.userId',
      { dtstart: '2026-02-20', attendees: [{ userId: 'a1' }, { userId: 'zz' }] },
    ],
  ])('with %s is refused', (_, path, given) => {
    expect(() => made(given)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'VALIDATION_ERROR',
        fields: [expect.objectContaining({ path })],
      }),
    );
  });
});
