import { describe, expect, it } from 'vitest';
import type { GivenEvent } from '../../../../src/contract/calendar/event.ts';
import type { JcalComponent } from '../../../../src/services/calendar/icalendar/jcal.ts';
import { changeEvent, isSignificant } from '../../../../src/services/calendar/icalendar/fields/change.ts';
import { recurrenceIdOf } from '../../../../src/services/calendar/icalendar/fields/given-recurrence.ts';
import { withOrganizer } from '../../../../src/services/calendar/icalendar/fields/given-people.ts';
import { withSplitFrom } from '../../../../src/services/calendar/icalendar/fields/recurrence.ts';
import { objectText } from '../../../../src/services/calendar/icalendar/write.ts';
import { clients } from './samples/clients.ts';
import { others } from './samples/others.ts';
import {
  changeContext,
  crlf,
  eventOf,
  fieldsOf,
  fieldsOfEvent,
  fieldZones,
  made,
  readOne,
  withLines,
  zones,
} from './support.ts';

/** The event of these lines with a change, and its lines. */
const changed = (lines: readonly string[], given: GivenEvent): JcalComponent => {
  const object = readOne(withLines(...lines));
  return changeEvent(eventOf(object), given, { ...changeContext, ...fieldZones(object) });
};
const linesOf = (component: JcalComponent): string[] =>
  objectText(['vcalendar', [], [component]], zones)
    .replaceAll('\r\n ', '')
    .split('\r\n');

const rule = { freq: 'WEEKLY' } as const;

describe('a change', () => {
  const strange = [
    'DTSTART;TZID=W. Europe Standard Time;X-KEEP=1:20260701T100000',
    'DTEND;TZID=W. Europe Standard Time:20260701T110000',
    'X-ANY;X-P=a:b',
    'SUMMARY;LANGUAGE=de;ALTREP="http://example.com/":Alt',
    'DESCRIPTION:old',
    'X-ALT-DESC;FMTTYPE=text/html:<p>old</p>',
    'ATTACH;ENCODING=BASE64;VALUE=BINARY:SGVsbG8=',
    'ATTENDEE;X-NUM-GUESTS=2;PARTSTAT=ACCEPTED;CN=Ann:MAILTO:Ann@Example.com',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT15M',
    'X-WR-ALARMUID:A1',
    'END:VALARM',
    'BEGIN:VALARM',
    'ACTION:PROCEDURE',
    'TRIGGER:-PT1M',
    'END:VALARM',
  ];

  it('leaves alone what it does not name', () => {
    const before = linesOf(changed(strange, {}));
    const after = linesOf(changed(strange, { location: 'L' }));
    expect(after.filter((line) => !before.includes(line))).toEqual(['LOCATION:L']);
    expect(before.filter((line) => !after.includes(line))).toEqual([]);
  });

  it.each([...clients, ...others])('to the same changes nothing of a file of $name', ({ text }) => {
    const object = readOne(crlf(text));
    const own = { ...changeContext, ...fieldZones(object) };
    const { attendees, rrule, rdates, exdates, reminders, attachments, ...shown } = fieldsOf(object);
    const { summary, description, location, categories, dtstart, dtend, visibility, transparency, status } = shown;
    const texts = { summary, description, location, categories, visibility, transparency, status };
    const again: GivenEvent = {
      ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
      ...(shown.duration.startsWith('P') &&
        eventOf(object)[1].some(([name]) => name === 'dtend') && { dtstart, dtend }),
      ...(rrule !== undefined && { rrule }),
      rdates,
      exdates,
      attendees,
      reminders: reminders as GivenEvent['reminders'] & {},
      attachments: attachments.flatMap(({ uri, filename }) =>
        uri === undefined ? [] : [{ uri, ...(filename !== undefined && { filename }) }],
      ),
    };
    const after = changeEvent(eventOf(object), again, own);
    const shownAgain = fieldsOf(['vcalendar', [], [...object[2].filter(([name]) => name === 'vtimezone'), after]]);
    expect({ ...shownAgain, dateModified: '' }).toEqual({ ...fieldsOf(object), dateModified: '' });
  });

  it('of the text of an event drops other forms of that text', () => {
    const lines = linesOf(changed(strange, { summary: 'Neu', description: 'new' }));
    expect(lines).toContain('SUMMARY;LANGUAGE=de:Neu');
    expect(lines.join('\n')).not.toContain('X-ALT-DESC');
    expect(linesOf(changed(strange, { description: 'old' })).join('\n')).toContain('X-ALT-DESC');
  });

  it('of the time keeps how the zone is spelled, and the zone of the end', () => {
    const lines = linesOf(changed(strange, { dtstart: '2026-07-02T10:00:00', dtend: '2026-07-02T11:00:00' }));
    expect(lines).toContain('DTSTART;TZID=W. Europe Standard Time;X-KEEP=1:20260702T100000');
    expect(lines).toContain('DTEND;TZID=W. Europe Standard Time:20260702T110000');
  });

  it('of the zone moves begin and end', () => {
    const after = fieldsOfEvent(changed(strange, { dtstartTzid: 'America/New_York' }));
    expect(after).toMatchObject({
      dtstart: '2026-07-01T10:00:00',
      start: '2026-07-01T14:00:00.000Z',
      end: '2026-07-01T15:00:00.000Z',
    });
  });

  it('to days and back', () => {
    expect(fieldsOfEvent(changed(strange, { allDay: true }))).toMatchObject({
      dtstart: '2026-07-01',
      dtend: '2026-07-02',
    });
    expect(() => changed(['DTSTART;VALUE=DATE:20260701'], { allDay: false })).toThrow('dtstart: is required');
  });

  it('of the begin alone keeps the length', () => {
    const moved = (lines: readonly string[], given: GivenEvent) => {
      const { dtstart, dtend, dtendTzid, duration } = fieldsOfEvent(changed(lines, given));
      return [dtstart, dtend, dtendTzid, duration];
    };
    const berlin = 'Europe/Berlin';
    expect(moved(strange, { dtstart: '2026-07-01T12:00:00' })).toEqual([
      '2026-07-01T12:00:00',
      '2026-07-01T13:00:00',
      berlin,
      'PT1H',
    ]);
    expect(moved(strange, { dtstart: '2026-07-01T12:00:00Z' }).slice(0, 2)).toEqual([
      '2026-07-01T14:00:00',
      '2026-07-01T15:00:00',
    ]);
    // A flight lands elsewhere, and takes as long on the night on which the clocks change.
    const flight = ['DTSTART;TZID=Europe/Berlin:20260701T220000', 'DTEND;TZID=America/New_York:20260702T000000'];
    expect(moved(flight, { dtstart: '2026-10-24T22:00:00' })).toEqual([
      '2026-10-24T22:00:00',
      '2026-10-25T00:00:00',
      'America/New_York',
      'PT8H',
    ]);
    const night = ['DTSTART;TZID=Europe/Berlin:20260701T220000', 'DTEND;TZID=Europe/Berlin:20260702T060000'];
    expect(moved(night, { dtstart: '2026-10-24T22:00:00' }).slice(1)).toEqual(['2026-10-25T05:00:00', berlin, 'PT8H']);
    const days = ['DTSTART;VALUE=DATE:20260701', 'DTEND;VALUE=DATE:20260704'];
    expect(moved(days, { dtstart: '2026-02-27' })).toEqual(['2026-02-27', '2026-03-02', undefined, 'P3D']);
    expect(moved(['DTSTART:20260701T100000', 'DTEND:20260701T113000'], { dtstart: '2026-07-02T23:00:00' })).toEqual([
      '2026-07-02T23:00:00',
      '2026-07-03T00:30:00',
      undefined,
      'PT1H30M',
    ]);
    expect(moved(['DTSTART:20260701T100000Z', 'DURATION:P1DT1H'], { dtstart: '2026-07-05T10:00:00' })[3]).toBe(
      'P1DT1H',
    );
    const weekend = ['DTSTART:20260704T200000Z', 'DTEND:20260705T080000Z'];
    expect(moved(weekend, { dtstart: '2026-07-11', allDay: true })).toEqual([
      '2026-07-11',
      '2026-07-13',
      undefined,
      'P2D',
    ]);
    expect(() => changed(days, { dtstart: '2026-07-01T10:00:00', allDay: false })).toThrow(
      'dtend: is required for an event that was of whole days',
    );
    expect(() => changed(days, { dtstart: '9998-12-30' })).toThrow('dtstart: must be earlier');
  });

  it('of what floats keeps it floating', () => {
    const after = fieldsOfEvent(changed(['DTSTART:20260701T100000'], { dtstart: '2026-07-02T10:00:00' }));
    expect(after).toMatchObject({ floating: true, dtstart: '2026-07-02T10:00:00' });
  });

  it('of reminders keeps those that are the same, and those that none can say', () => {
    const lines = linesOf(
      changed(strange, {
        reminders: [
          { action: 'DISPLAY', triggerMinutesBefore: 15 },
          { action: 'DISPLAY', triggerMinutesBefore: 0 },
        ],
      }),
    );
    expect(lines.filter((line) => /^(?:ACTION|TRIGGER|X-WR-ALARMUID)/.test(line))).toEqual([
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      'X-WR-ALARMUID:A1',
      'ACTION:PROCEDURE',
      'TRIGGER:-PT1M',
      'ACTION:DISPLAY',
      'TRIGGER:PT0M',
    ]);
    expect(linesOf(changed(strange, { reminders: [] })).filter((line) => line.startsWith('ACTION'))).toEqual([
      'ACTION:PROCEDURE',
    ]);
  });

  it('of attendees keeps their answers, and what others know of them', () => {
    const lines = linesOf(
      changed(strange, { attendees: [{ email: 'ann@example.com', role: 'CHAIR' }, { email: 'new@example.com' }] }),
    );
    expect(lines.filter((line) => line.startsWith('ATTENDEE'))).toEqual([
      'ATTENDEE;X-NUM-GUESTS=2;PARTSTAT=ACCEPTED;CN=Ann;ROLE=CHAIR:MAILTO:Ann@Example.com',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:new@example.com',
    ]);
  });

  it('of files keeps those that stand in the event', () => {
    const after = fieldsOfEvent(changed(strange, { attachments: [{ uri: 'https://example.com/f' }] }));
    expect(after.attachments).toEqual([{ size: 5 }, { uri: 'https://example.com/f' }]);
  });

  it('of dates keeps the ends of periods, and zones', () => {
    const lines = [
      'RDATE;VALUE=PERIOD:20260302T100000Z/PT3H,20260303T100000Z/PT1H',
      'EXDATE;TZID=Asia/Tokyo:20260304T190000',
    ];
    const after = linesOf(
      changed(lines, { rdates: ['2026-03-02T10:00:00', '2026-03-09T10:00:00'], exdates: ['2026-03-04T10:00:00'] }),
    );
    expect(after.filter((line) => /^(?:RDATE|EXDATE)/.test(line))).toEqual([
      'RDATE;VALUE=PERIOD:20260302T100000Z/PT3H',
      'RDATE:20260309T100000Z',
      'EXDATE;TZID=Asia/Tokyo:20260304T190000',
    ]);
  });

  it('takes away what is null or empty', () => {
    const lines = [
      'URL:https://example.com/',
      'COLOR:red',
      'RRULE:FREQ=DAILY',
      'X-GOOGLE-CONFERENCE:https://example.com/m',
      'CATEGORIES:a',
      'LOCATION:L',
    ];
    const after = fieldsOfEvent(
      changed(lines, { url: null, color: null, rrule: null, conference: null, categories: [], location: '' }),
    );
    expect(after).toMatchObject({ categories: [], location: '', isRecurring: false });
    expect(Object.keys(after)).not.toEqual(expect.arrayContaining(['url']));
    expect([after.color, after.rrule, after.conference, after.extended]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of when or where it is asks attendees anew', () => {
    const before = changed(strange, {});
    const significant = (given: GivenEvent): boolean => isSignificant(before, changed(strange, given));
    expect(
      [{ summary: 'x' }, { reminders: [] }, { attendees: [] }, { dtstart: '2026-07-01T10:00:00' }].map(significant),
    ).toEqual([false, false, false, false]);
    expect(
      [{ dtend: '2026-07-01T12:00:00' }, { rrule: rule }, { status: 'CANCELLED' as const }, { location: 'x' }].map(
        significant,
      ),
    ).toEqual([true, true, true, true]);
  });
});

describe('what services add to an event', () => {
  const series = made({ dtstart: '2026-07-01T10:00:00', rrule: rule });

  it('is who invites', () => {
    expect(fieldsOfEvent(withOrganizer(series, { email: 'o@example.com', displayName: 'O' })).organizer).toEqual({
      email: 'o@example.com',
      displayName: 'O',
    });
  });

  it('is which series it goes on with', () => {
    const after = withSplitFrom(withSplitFrom(series, 'older'), 'old');
    expect(fieldsOfEvent(after)).toMatchObject({ splitFrom: 'old' });
    expect(fieldsOfEvent(after).extended).toBeUndefined();
  });

  it('is which instance it is, in the zone of the series', () => {
    expect(recurrenceIdOf(series, '2026-07-08T08:00:00Z', changeContext)).toEqual([
      'recurrence-id',
      { tzid: 'Europe/Berlin' },
      'date-time',
      '2026-07-08T10:00:00',
    ]);
    expect(recurrenceIdOf(made({ dtstart: '2026-07-01' }), '2026-07-08', changeContext)).toEqual([
      'recurrence-id',
      {},
      'date',
      '2026-07-08',
    ]);
    expect(() => recurrenceIdOf(series, '2026-07-08', changeContext)).toThrow('recurrenceId: must be a time');
  });
});
