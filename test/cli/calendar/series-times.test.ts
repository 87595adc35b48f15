import { describe, expect, it } from 'vitest';
import { eventWords } from '../../../src/cli/calendar/event-views.ts';
import { movedTimes } from '../../../src/cli/calendar/series-times.ts';
import { wallClock } from '../../../src/cli/calendar/wall-clock.ts';
import { berlin, eventOf } from './made-events.ts';

const newYork = wallClock('America/New_York');

describe('new times of an event', () => {
  const series = eventOf('Stand-up', '2026-01-05T09:00', '2026-01-05T09:15', {
    isRecurring: true,
    rrule: { freq: 'DAILY' },
  });
  const before = eventOf('Stand-up', '2026-07-08T09:00', '2026-07-08T09:15');

  it('that were said of an instance move the series to that time, and not to that day', () => {
    const given = { allDay: false, dtstart: '2026-07-08T10:00:00', dtstartTzid: 'Europe/Berlin' };
    const moving = { before, series, clock: berlin, isZoneNamed: false };
    expect(movedTimes(given, moving)).toMatchObject({ dtstart: '2026-01-05T10:00:00', dtstartTzid: 'Europe/Berlin' });
    expect(movedTimes({ ...given, dtstart: '2026-07-10T10:00:00' }, moving).dtstart).toBe('2026-01-07T10:00:00');
  });

  it('stay in the zone of the event, whoever says them, unless another one is named', () => {
    const given = { allDay: false, dtstart: '2026-07-08T04:00:00', dtstartTzid: 'America/New_York' };
    const moving = { before, series: undefined, clock: newYork };
    expect(movedTimes(given, { ...moving, isZoneNamed: false })).toMatchObject({
      dtstart: '2026-07-08T10:00:00',
      dtstartTzid: 'Europe/Berlin',
    });
    expect(movedTimes(given, { ...moving, isZoneNamed: true })).toMatchObject(given);
  });

  it('are refused on other days if the rule names days', () => {
    const weekly = { ...series, rrule: { freq: 'WEEKLY', byDay: ['MO'] } } as typeof series;
    const given = { allDay: false, dtstart: '2026-07-09T09:00:00' };
    expect(() => movedTimes(given, { before, series: weekly, clock: berlin, isZoneNamed: false })).toThrow(
      'give it a new rule',
    );
  });
});

describe('when an event is, in words, where clocks change', () => {
  it.each([
    ['2026-03-28T23:00:00.000Z', '2026-03-29T02:00:00.000Z', '00:00-04:00 Europe/Berlin (3 h, as the clocks change)'],
    [
      '2026-10-25T00:45:00.000Z',
      '2026-10-25T01:15:00.000Z',
      '02:45-02:15 Europe/Berlin (30 min, as the clocks change)',
    ],
    ['2026-10-25T01:30:00.000Z', '2026-10-25T02:00:00.000Z', '02:30-03:00 Europe/Berlin (after the clocks go back)'],
    ['2026-10-25T00:30:00.000Z', '2026-10-25T00:45:00.000Z', '02:30-02:45 Europe/Berlin'],
  ])('%s to %s', (start, end, words) => {
    const event = eventOf('Shift', '2026-03-29T00:00', '2026-03-29T04:00', { start, end });
    expect(eventWords(event, berlin).replace(/^\D+\d+ \w+ \d+, /, '')).toBe(words);
  });
});
