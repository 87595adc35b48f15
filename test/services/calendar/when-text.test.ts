import { describe, expect, it } from 'vitest';
import { whenText } from '../../../src/services/calendar/invitations/when-text.ts';
import { eventOf, fieldZones, readOne, withLines } from './icalendar/support.ts';

/** What a mail says of an event with these lines. */
function said(...lines: readonly string[]): string | undefined {
  const object = readOne(withLines(...lines));
  return whenText(eventOf(object), fieldZones(object));
}

describe('the mail of an invitation says when', () => {
  it.each([
    [
      'an event of an hour is, once for its day',
      ['DTSTART;TZID=Europe/Berlin:20261224T120000', 'DURATION:PT1H'],
      'Thursday, 24 December 2026, 12:00 to 13:00 (Europe/Berlin)',
    ],
    [
      'it ends on another day',
      ['DTSTART;TZID=Europe/Berlin:20261231T220000', 'DTEND;TZID=Europe/Berlin:20270101T013000'],
      'Thursday, 31 December 2026, 22:00 to Friday, 1 January 2027, 01:30 (Europe/Berlin)',
    ],
    [
      'a flight takes off and lands, each by the clocks of its place',
      ['DTSTART;TZID=Europe/Berlin:20261224T120000', 'DTEND;TZID=America/New_York:20261224T150000'],
      'Thursday, 24 December 2026, 12:00 (Europe/Berlin) to 15:00 (America/New_York)',
    ],
    [
      'an event of UTC is',
      ['DTSTART:20261224T120000Z', 'DTEND:20261224T123000Z'],
      'Thursday, 24 December 2026, 12:00 to 12:30 (UTC)',
    ],
    [
      'a floating event is',
      ['DTSTART:20261224T120000', 'DURATION:PT30M'],
      'Thursday, 24 December 2026, 12:00 to 12:30',
    ],
    ['an event without a length is', ['DTSTART:20261224T120000Z'], 'Thursday, 24 December 2026, 12:00 (UTC)'],
    ['a day is', ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261225'], 'Thursday, 24 December 2026, all day'],
    [
      'several days are, the last one included',
      ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'],
      'Thursday, 24 December 2026 to Saturday, 26 December 2026, all day',
    ],
    [
      'it comes again each week',
      ['DTSTART;TZID=Europe/Berlin:20261224T120000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=TH;WKST=SU'],
      'Thursday, 24 December 2026, 12:00 to 13:00 (Europe/Berlin), every week',
    ],
    [
      'it comes again some times',
      ['DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=3'],
      'Thursday, 24 December 2026, all day, every 2 months, 3 times',
    ],
    [
      'it comes for the last time',
      ['DTSTART:20261224T120000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261231T120000Z'],
      'Thursday, 24 December 2026, 12:00 to 13:00 (UTC), every day, until Thursday, 31 December 2026',
    ],
    ...['FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYDAY=4TH', 'FREQ=WEEKLY;BYDAY=FR', 'FREQ=HOURLY'].map(
      (rule): [string, string[], string] => [
        `it comes also at other times, by ${rule}`,
        ['DTSTART:20261224T120000Z', 'DURATION:PT1H', `RRULE:${rule}`],
        'Thursday, 24 December 2026, 12:00 to 13:00 (UTC), and at other times',
      ],
    ),
  ])('%s', (_, lines, words) => {
    expect(said(...lines)).toBe(words);
  });
});
