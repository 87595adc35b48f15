import type { Sample } from './clients.ts';

/** Files as other servers, telephones and senders of mail write them. */
export const others: readonly Sample[] = [
  {
    name: 'Nextcloud',
    text: `BEGIN:VCALENDAR
PRODID:-//IDN nextcloud.com//Calendar app 4.7.0//EN
CALSCALE:GREGORIAN
VERSION:2.0
BEGIN:VEVENT
CREATED:20260301T100000Z
DTSTAMP:20260301T100100Z
LAST-MODIFIED:20260301T100100Z
SEQUENCE:2
UID:0b7a2d4e-aaaa-bbbb-cccc-1234567890ab
DTSTART;TZID=Europe/Vienna:20260403T180000
DTEND;TZID=Europe/Vienna:20260403T190000
STATUS:CONFIRMED
SUMMARY:Choir
COLOR:tomato
ATTACH;FMTTYPE=application/pdf;FILENAME="/Notes/score, final.pdf";X-NC-FILE-ID=17:/f/17
BEGIN:VALARM
ACTION:EMAIL
TRIGGER;RELATED=START:-P1D
REPEAT:2
DURATION:PT1H
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      color: '#ff6347',
      start: '2026-04-03T16:00:00.000Z',
      attachments: [{ uri: '/f/17', filename: '/Notes/score, final.pdf', contentType: 'application/pdf' }],
      reminders: [
        {
          action: 'EMAIL',
          triggerMinutesBefore: 1440,
          trigger: '-P1D',
          relatedTo: 'START',
          repeat: 2,
          duration: 'PT1H',
        },
      ],
    },
  },
  {
    name: 'Evolution',
    text: `BEGIN:VCALENDAR
CALSCALE:GREGORIAN
PRODID:-//Ximian//NONSGML Evolution Calendar//EN
VERSION:2.0
BEGIN:VTIMEZONE
TZID:/freeassociation.sourceforge.net/Europe/Berlin
X-LIC-LOCATION:Europe/Berlin
BEGIN:STANDARD
TZNAME:CET
DTSTART:19701026T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
TZNAME:CEST
DTSTART:19700330T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:20260301T100000Z-4711-1000-1-0@laptop
DTSTAMP:20260301T100000Z
DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:
 20260610T100000
DTEND;TZID=/freeassociation.sourceforge.net/Europe/Berlin:
 20260610T113000
SUMMARY:Review
X-EVOLUTION-CALDAV-ETAG:abc
END:VEVENT
END:VCALENDAR`,
    fields: { dtstartTzid: 'Europe/Berlin', start: '2026-06-10T08:00:00.000Z', duration: 'PT1H30M' },
  },
  {
    name: 'Zimbra',
    text: `BEGIN:VCALENDAR
X-WR-CALNAME:Calendar
X-WR-CALID:6f3d:10
PRODID:Zimbra-Calendar-Provider
VERSION:2.0
METHOD:PUBLISH
BEGIN:VTIMEZONE
TZID:America/Los_Angeles
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETTO:-0800
TZOFFSETFROM:-0700
RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTH=11;BYDAY=1SU
TZNAME:PST
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETTO:-0700
TZOFFSETFROM:-0800
RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTH=3;BYDAY=2SU
TZNAME:PDT
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:d2b7-zimbra
RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=2TU
SUMMARY:Board
X-ALT-DESC;FMTTYPE=text/html:<p>Board</p>
LOCATION:HQ
DTSTART;TZID="America/Los_Angeles":20260310T130000
DTEND;TZID="America/Los_Angeles":20260310T140000
STATUS:CONFIRMED
CLASS:PUBLIC
X-MICROSOFT-CDO-INTENDEDSTATUS:BUSY
TRANSP:OPAQUE
LAST-MODIFIED:20260101T000000Z
DTSTAMP:20260101T000000Z
SEQUENCE:1
EXDATE;TZID="America/Los_Angeles":20260512T130000,20260714T130000
END:VEVENT
END:VCALENDAR`,
    fields: {
      start: '2026-03-10T20:00:00.000Z',
      rrule: { freq: 'MONTHLY', interval: 2, byDay: ['2TU'] },
      exdates: ['2026-05-12T13:00:00', '2026-07-14T13:00:00'],
    },
  },
  {
    name: 'Fastmail',
    text: `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//CyrusIMAP.org/Cyrus 3.9//EN
CALSCALE:GREGORIAN
BEGIN:VEVENT
UID:fm-1
DTSTAMP:20260101T000000Z
DTSTART;TZID=Australia/Melbourne:20260405T013000
DURATION:P1D
SUMMARY:Day of the clocks
CONFERENCE;VALUE=URI;FEATURE=PHONE,MODERATOR;LABEL=Dial in:tel:+1-412-555-0123,,,654321
CONFERENCE;VALUE=URI;FEATURE=CHAT:xmpp:chat@example.com
X-JMAP-ID:abc
BEGIN:VALARM
UID:al-1
TRIGGER;VALUE=DATE-TIME:20260404T090000Z
ACTION:DISPLAY
ACKNOWLEDGED:20260404T090005Z
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      // The night is an hour longer there, and a day is a day.
      start: '2026-04-04T14:30:00.000Z',
      dtend: '2026-04-06T01:30:00',
      end: '2026-04-05T15:30:00.000Z',
      duration: 'P1D',
      conference: { type: 'phone', uri: 'tel:+1-412-555-0123,,,654321', label: 'Dial in' },
      reminders: [{ action: 'DISPLAY', trigger: '2026-04-04T09:00:00Z' }],
      extended: { CONFERENCE: ['xmpp:chat@example.com'], 'X-JMAP-ID': ['abc'] },
    },
  },
  {
    name: 'KOrganizer',
    text: `BEGIN:VCALENDAR
PRODID:-//K Desktop Environment//NONSGML libkcal 4.3//EN
VERSION:2.0
X-KDE-ICAL-IMPLEMENTATION-VERSION:1.0
BEGIN:VEVENT
DTSTAMP:20260101T000000Z
CREATED:20260101T000000Z
UID:korg-1
LAST-MODIFIED:20260101T000000Z
SUMMARY:Floating tea
DTSTART:20260808T160000
DTEND:20260808T163000
RDATE;VALUE=PERIOD:20260809T160000/PT1H,20260810T160000/20260810T170000
X-KDE-KCALCORE-ENABLED:TRUE
END:VEVENT
END:VCALENDAR`,
    fields: {
      floating: true,
      dtstart: '2026-08-08T16:00:00',
      start: '2026-08-08T14:00:00.000Z',
      isRecurring: true,
      rdates: ['2026-08-09T16:00:00', '2026-08-10T16:00:00'],
      recurrence: ['RDATE;VALUE=PERIOD:20260809T160000/PT1H,20260810T160000/20260810T170000'],
    },
  },
  {
    name: 'DAVx5 with Etar',
    text: `BEGIN:VCALENDAR
VERSION:2.0
PRODID:DAVx5/4.3-ose (ical4j) ws.xsoh.etar
BEGIN:VEVENT
DTSTAMP:20260301T100000Z
UID:etar-1
SEQUENCE:1
SUMMARY:Lauf
DTSTART;TZID=Europe/Berlin:20260329T010000
DTEND;TZID=Europe/Berlin:20260329T040000
STATUS:CONFIRMED
TRANSP:TRANSPARENT
BEGIN:VALARM
TRIGGER:-P0DT0H10M0S
ACTION:DISPLAY
DESCRIPTION:Lauf
END:VALARM
END:VEVENT
END:VCALENDAR`,
    fields: {
      // The clocks skip an hour.
      duration: 'PT2H',
      transparency: 'TRANSPARENT',
      reminders: [{ action: 'DISPLAY', triggerMinutesBefore: 10, trigger: '-P0DT0H10M0S', relatedTo: 'START' }],
    },
  },
  {
    name: 'Cal.com',
    text: `BEGIN:VCALENDAR
VERSION:2.0
CALSCALE:GREGORIAN
PRODID:calcom/ical.js
METHOD:REQUEST
X-PUBLISHED-TTL:PT1H
BEGIN:VEVENT
UID:calcom-1
SUMMARY:30min between A and B
DTSTAMP:20260301T100000Z
DTSTART:20260401T090000Z
DURATION:PT30M
ORGANIZER;CN="A":mailto:a@example.com
ATTENDEE;RSVP=TRUE;PARTSTAT=NEEDS-ACTION;CN="B":mailto:b@example.com
LOCATION:integrations:daily
END:VEVENT
END:VCALENDAR`,
    fields: {
      duration: 'PT30M',
      dtend: '2026-04-01T09:30:00',
      dtendTzid: 'UTC',
      organizer: { email: 'a@example.com', displayName: 'A' },
    },
  },
  {
    name: 'a mail of an airline (no UID, no END of the calendar, small letters)',
    text: `begin:vcalendar
version:2.0
prodid:-//airline//booking
begin:vevent
dtstart;tzid=Europe/Lisbon:20260901T070500
dtend;tzid=Europe/Berlin:20260901T112000
summary:XX 123 LIS-FRA
location:Lisbon
description:Seat 12A\\nGate closes 15' before
end:vevent`,
    fields: {
      summary: 'XX 123 LIS-FRA',
      dtstartTzid: 'Europe/Lisbon',
      dtendTzid: 'Europe/Berlin',
      start: '2026-09-01T06:05:00.000Z',
      end: '2026-09-01T09:20:00.000Z',
      description: "Seat 12A\nGate closes 15' before",
    },
  },
  {
    name: 'a mail of a hotel (vCalendar 1.0 with quoted-printable)',
    text: `BEGIN:VCALENDAR
VERSION:1.0
BEGIN:VEVENT
UID:hotel-1
DTSTART:20260901T130000Z
DTEND:20260903T090000Z
SUMMARY;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Hotel Sch=F6n
DESCRIPTION;QUOTED-PRINTABLE:Room with=0D=0A=
 a view
DALARM:20260901T120000Z;;1;
END:VEVENT
END:VCALENDAR`,
    fields: {
      summary: 'Hotel Schön',
      description: 'Room with\n a view',
      extended: { DALARM: ['20260901T120000Z;;1;'] },
    },
  },
  {
    name: 'a mail of Doodle (a line that is none, a day without its type)',
    text: `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Doodle AG//Doodle//EN
BEGIN:VEVENT
UID:doodle-1
DTSTAMP:20260301T100000Z
DTSTART:20260505
DTEND:20260505
SUMMARY:Grill
and more of it
END:VEVENT
END:VCALENDAR`,
    fields: { allDay: true, dtstart: '2026-05-05', dtend: '2026-05-06' },
    warnings: ['LINE_INVALID'],
  },
];
