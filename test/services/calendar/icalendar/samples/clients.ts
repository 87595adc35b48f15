import type { EventFields } from '../../../../../src/services/calendar/icalendar/fields/to-fields.ts';

/** A file in the style of a program, and what its first event must be. */
export interface Sample {
  readonly name: string;
  readonly text: string;
  readonly fields: Partial<EventFields>;
  /** codes of warnings, if it has any */
  readonly warnings?: readonly string[];
}

const outlookZone = `BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE`;

/** Files as desktop and server programs write them. */
export const clients: readonly Sample[] = [
  {
    name: 'Outlook 2019',
    text: `BEGIN:VCALENDAR
PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN
VERSION:2.0
METHOD:PUBLISH
X-MS-OLK-FORCEINSPECTOROPEN:TRUE
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16011028T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010325T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
CLASS:PRIVATE
CREATED:20260301T080000Z
DESCRIPTION:Agenda:\\n1. Numbers\\n
DTEND;TZID="W. Europe Standard Time":20260330T110000
DTSTAMP:20260301T080000Z
DTSTART;TZID="W. Europe Standard Time":20260330T100000
LAST-MODIFIED:20260302T080000Z
LOCATION:Room 1
PRIORITY:5
RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO
SEQUENCE:0
SUMMARY;LANGUAGE=de:Jour fixe
TRANSP:OPAQUE
UID:040000008200E00074C5B7101A82E00800000000C0D7A5F0B1A9DA01000000000000000
\t0100000005A0E5B9D1C4C2A4E8B8A3D2F1C0B9A87
X-ALT-DESC;FMTTYPE=text/html:<html><body>Agenda:<br>1. Numbers</body></html>
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
X-MICROSOFT-CDO-IMPORTANCE:1
X-MS-OLK-AUTOFILLLOCATION:FALSE
BEGIN:VALARM
TRIGGER:-PT15M
ACTION:DISPLAY
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      uid: '040000008200E00074C5B7101A82E00800000000C0D7A5F0B1A9DA010000000000000000100000005A0E5B9D1C4C2A4E8B8A3D2F1C0B9A87',
      summary: 'Jour fixe',
      description: 'Agenda:\n1. Numbers\n',
      dtstart: '2026-03-30T10:00:00',
      dtstartTzid: 'Europe/Berlin',
      start: '2026-03-30T08:00:00.000Z',
      end: '2026-03-30T09:00:00.000Z',
      visibility: 'PRIVATE',
      priority: 5,
      rrule: { freq: 'WEEKLY', count: 10, byDay: ['MO'] },
      reminders: [{ action: 'DISPLAY', triggerMinutesBefore: 15, trigger: '-PT15M', relatedTo: 'START' }],
      dateCreated: '2026-03-01T08:00:00Z',
      dateModified: '2026-03-02T08:00:00Z',
    },
  },
  {
    name: 'Outlook 365 and Exchange (Teams meeting)',
    text: `BEGIN:VCALENDAR
METHOD:REQUEST
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
${outlookZone}
BEGIN:VEVENT
ORGANIZER;CN=Doe, Jane:mailto:jane.doe@contoso.example
ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Max Power:mailto:max@contoso.example
ATTENDEE;ROLE=NON-PARTICIPANT;PARTSTAT=ACCEPTED;CUTYPE=ROOM;CN=Room 7:MAILTO:room7@contoso.example
DESCRIPTION;LANGUAGE=en-US:\\n____\\nJoin on your computer
UID:040000008200E00074C5B7101A82E008
SUMMARY;LANGUAGE=en-US:Sync
DTSTART;TZID=W. Europe Standard Time:20260701T140000
DTEND;TZID=W. Europe Standard Time:20260701T143000
CLASS:PUBLIC
PRIORITY:5
DTSTAMP:20260601T120000Z
TRANSP:OPAQUE
STATUS:TENTATIVE
SEQUENCE:2
LOCATION;LANGUAGE=en-US:Microsoft Teams Meeting
X-MICROSOFT-CDO-APPT-SEQUENCE:2
X-MICROSOFT-CDO-ALLDAYEVENT:FALSE
X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.microsoft.example/l/meetup-join
 /19%3ameeting
BEGIN:VALARM
DESCRIPTION:REMINDER
TRIGGER;RELATED=START:-PT15M
ACTION:DISPLAY
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      summary: 'Sync',
      start: '2026-07-01T12:00:00.000Z',
      status: 'TENTATIVE',
      sequence: 2,
      organizer: { email: 'jane.doe@contoso.example', displayName: 'Doe, Jane' },
      conference: { type: 'url', uri: 'https://teams.microsoft.example/l/meetup-join/19%3ameeting' },
      attendees: [
        {
          email: 'max@contoso.example',
          displayName: 'Max Power',
          role: 'REQ-PARTICIPANT',
          partstat: 'NEEDS-ACTION',
          rsvp: true,
        },
        {
          email: 'room7@contoso.example',
          displayName: 'Room 7',
          role: 'NON-PARTICIPANT',
          partstat: 'ACCEPTED',
          rsvp: false,
          cutype: 'ROOM',
        },
      ],
    },
  },
  {
    name: 'Outlook with the name that it shows as TZID, without quotes',
    text: `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:shown-zone
DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna:20260115T090000
DTEND;TZID="(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":20260115T100000
SUMMARY:Shown
END:VEVENT
END:VCALENDAR`,
    fields: { dtstartTzid: 'Europe/Amsterdam', start: '2026-01-15T08:00:00.000Z', end: '2026-01-15T09:00:00.000Z' },
  },
  {
    name: 'Outlook with a "Customized Time Zone"',
    text: `BEGIN:VCALENDAR
VERSION:2.0
${outlookZone.replace('W. Europe Standard Time', 'Customized Time Zone')}
BEGIN:VEVENT
UID:customized
DTSTART;TZID=Customized Time Zone:20260715T090000
DURATION:PT45M
SUMMARY:Customized
END:VEVENT
END:VCALENDAR`,
    fields: { dtstartTzid: 'Europe/Berlin', start: '2026-07-15T07:00:00.000Z', duration: 'PT45M' },
  },
  {
    name: 'Apple Calendar on macOS',
    text: `BEGIN:VCALENDAR
CALSCALE:GREGORIAN
PRODID:-//Apple Inc.//macOS 14.4//EN
VERSION:2.0
X-APPLE-CALENDAR-COLOR:#1BADF8FF
X-WR-CALNAME:Home
BEGIN:VTIMEZONE
TZID:America/New_York
BEGIN:DAYLIGHT
DTSTART:20070311T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
TZNAME:EDT
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:20071104T020000
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
TZNAME:EST
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
CREATED:20260101T000000Z
DTEND;TZID=America/New_York:20260309T100000
DTSTAMP:20260101T000001Z
DTSTART;TZID=America/New_York:20260309T093000
EXDATE;TZID=America/New_York:20260316T093000
LOCATION:1 Infinite Loop\\nCupertino CA
RRULE:FREQ=WEEKLY;UNTIL=20260601T133000Z
SEQUENCE:1
SUMMARY:Stand-up
TRANSP:OPAQUE
UID:5F2A8C3E-1D4B-4E5F-9A6B-7C8D9E0F1A2B
URL;VALUE=URI:https://example.com/standup
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="1 Infinite Loop\\nCuper
 tino CA";X-APPLE-RADIUS=100;X-TITLE="Apple":geo:37.331,-122.030
X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
BEGIN:VALARM
ACTION:NONE
TRIGGER;VALUE=DATE-TIME:19760401T005545Z
END:VALARM
BEGIN:VALARM
ACTION:AUDIO
ATTACH;VALUE=URI:Chord
TRIGGER:-PT1H
UID:A1
X-WR-ALARMUID:A1
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      summary: 'Stand-up',
      dtstartTzid: 'America/New_York',
      start: '2026-03-09T13:30:00.000Z',
      location: '1 Infinite Loop\nCupertino CA',
      url: 'https://example.com/standup',
      rrule: { freq: 'WEEKLY', until: '2026-06-01T13:30:00Z' },
      exdates: ['2026-03-16T09:30:00'],
      reminders: [{ action: 'AUDIO', triggerMinutesBefore: 60, trigger: '-PT1H', relatedTo: 'START' }],
    },
  },
  {
    name: 'Apple Calendar on iOS (a birthday of whole days)',
    text: `BEGIN:VCALENDAR
CALSCALE:GREGORIAN
PRODID:-//Apple Inc.//iOS 17.4//EN
VERSION:2.0
BEGIN:VEVENT
DTEND;VALUE=DATE:20260228
DTSTAMP:20260101T000001Z
DTSTART;VALUE=DATE:20260227
RRULE:FREQ=YEARLY
SUMMARY:Zoë 🎂
TRANSP:TRANSPARENT
UID:B7
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Reminder
TRIGGER:PT9H
X-APPLE-DEFAULT-ALARM:TRUE
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      summary: 'Zoë 🎂',
      allDay: true,
      dtstart: '2026-02-27',
      dtend: '2026-02-28',
      duration: 'P1D',
      start: '2026-02-26T23:00:00.000Z',
      transparency: 'TRANSPARENT',
      reminders: [{ action: 'DISPLAY', triggerMinutesBefore: -540, trigger: 'PT9H', relatedTo: 'START' }],
    },
  },
  {
    name: 'Google Calendar',
    text: `BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
CALSCALE:GREGORIAN
METHOD:PUBLISH
X-WR-CALNAME:jane@example.com
X-WR-TIMEZONE:Europe/Berlin
BEGIN:VEVENT
DTSTART:20260504T150000Z
DTEND:20260504T160000Z
DTSTAMP:20260401T101010Z
UID:6sq3ac1p@google.com
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=DECLINED;RSVP=TRUE;
 CN=Bob;X-NUM-GUESTS=0;X-RESPONSE-COMMENT="Sorry, ill":mailto:bob@example.com
X-GOOGLE-CONFERENCE:https://meet.google.example/abc-defg-hij
CLASS:CONFIDENTIAL
CREATED:20260401T101010Z
DESCRIPTION:<b>Bold</b>\\, and text
LAST-MODIFIED:20260401T101010Z
SEQUENCE:0
STATUS:CONFIRMED
SUMMARY:1:1
TRANSP:OPAQUE
END:VEVENT
END:VCALENDAR`,
    fields: {
      dtstart: '2026-05-04T15:00:00',
      dtstartTzid: 'UTC',
      description: '<b>Bold</b>, and text',
      visibility: 'CONFIDENTIAL',
      conference: { type: 'url', uri: 'https://meet.google.example/abc-defg-hij' },
      attendees: [
        {
          email: 'bob@example.com',
          displayName: 'Bob',
          role: 'OPT-PARTICIPANT',
          partstat: 'DECLINED',
          rsvp: true,
          cutype: 'INDIVIDUAL',
          comment: 'Sorry, ill',
        },
      ],
    },
  },
  {
    name: 'Thunderbird',
    text: `BEGIN:VCALENDAR
PRODID:-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN
VERSION:2.0
BEGIN:VEVENT
CREATED:20260101T120000Z
LAST-MODIFIED:20260102T120000Z
DTSTAMP:20260102T120000Z
UID:1c5fbc1a-0d2c-4b6e-9d7c-2d3f4a5b6c7d
SUMMARY:Dentist
CATEGORIES:Personal,Follow up\\, later
DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20260202T080000
DTEND;TZID=/mozilla.org/20050126_1/Europe/Berlin:20260202T083000
TRANSP:OPAQUE
X-MOZ-GENERATION:3
X-MOZ-LASTACK:20260201T070000Z
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER;RELATED=END:-PT5M
DESCRIPTION:Mozilla Default Description
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      categories: ['Personal', 'Follow up, later'],
      dtstartTzid: 'Europe/Berlin',
      start: '2026-02-02T07:00:00.000Z',
      reminders: [{ action: 'DISPLAY', trigger: '-PT5M', relatedTo: 'END' }],
      extended: { 'X-MOZ-GENERATION': ['3'], 'X-MOZ-LASTACK': ['20260201T070000Z'] },
    },
  },
];
