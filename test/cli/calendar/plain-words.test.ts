import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/base/problem.ts';
import { readDay, readDuration, readRepeat, readWhen } from '../../../src/cli/calendar/plain-words.ts';
import { whenWords } from '../../../src/cli/calendar/when-words.ts';
import { wallClock } from '../../../src/cli/calendar/wall-clock.ts';

/** Tuesday 24 March 2026, 11:15 in Berlin, five days before the clocks go forward there. */
const now = Date.parse('2026-03-24T10:15:00Z');
const reader = (zone = 'Europe/Berlin', at = now) => ({ now: at, clock: wallClock(zone) });
const understood = async (text: string, zone?: string, at?: number) =>
  whenWords(await readWhen(text, reader(zone, at)), 'Berlin');
const refusal = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
};

describe('when something is, in plain words', () => {
  it.each([
    ['tomorrow 12:30 1h', 'Wednesday 25 March 2026, 12:30-13:30 Berlin'],
    ['tomorrow at 9', 'Wednesday 25 March 2026, 09:00-10:00 Berlin'],
    ['14:00-15:30', 'Tuesday 24 March 2026, 14:00-15:30 Berlin'],
    ['10:00', 'Wednesday 25 March 2026, 10:00-11:00 Berlin'],
    ['today 10:00', 'Tuesday 24 March 2026, 10:00-11:00 Berlin'],
    ['Friday 3pm', 'Friday 27 March 2026, 15:00-16:00 Berlin'],
    ['Tuesday 9:00', 'Tuesday 31 March 2026, 09:00-10:00 Berlin'],
    ['Tuesday 16:00', 'Tuesday 24 March 2026, 16:00-17:00 Berlin'],
    ['next Tuesday at noon', 'Tuesday 31 March 2026, 12:00-13:00 Berlin'],
    ['Fri 2-4pm', 'Friday 27 March 2026, 14:00-16:00 Berlin'],
    ['Fri 11-1pm', 'Friday 27 March 2026, 11:00-13:00 Berlin'],
    ['from 9:30 to 11 on 12 May', 'Tuesday 12 May 2026, 09:30-11:00 Berlin'],
    ['12 May 14.00 for 2 hours', 'Tuesday 12 May 2026, 14:00-16:00 Berlin'],
    ['12.5.2026 9:00 90 min', 'Tuesday 12 May 2026, 09:00-10:30 Berlin'],
    ['12.5. 9:00 1h30', 'Tuesday 12 May 2026, 09:00-10:30 Berlin'],
    ['12 March 9:00 1.5h', 'Friday 12 March 2027, 09:00-10:30 Berlin'],
    ['2026-05-12T14:00 45m', 'Tuesday 12 May 2026, 14:00-14:45 Berlin'],
    ['May 12th, 2pm, an hour', 'Tuesday 12 May 2026, 14:00-15:00 Berlin'],
    ['tomorrow 22:00-01:00', 'Wednesday 25 March 2026, 22:00 to Thursday 26 March 2026, 01:00 Berlin'],
    ['Friday 22:00 until Saturday 6:00', 'Friday 27 March 2026, 22:00 to Saturday 28 March 2026, 06:00 Berlin'],
    ['tomorrow 9:00 until 10:15', 'Wednesday 25 March 2026, 09:00-10:15 Berlin'],
    ['14:00 until 15:00 tomorrow', 'Wednesday 25 March 2026, 14:00-15:00 Berlin'],
    ['tomorrow 9:00 2 days', 'Wednesday 25 March 2026, 09:00 to Friday 27 March 2026, 09:00 Berlin'],
    ['tonight', 'Tuesday 24 March 2026, 22:00-23:00 Berlin'],
    ['Friday evening 2h', 'Friday 27 March 2026, 20:00-22:00 Berlin'],
    ['in 2 hours', 'Tuesday 24 March 2026, 13:15-14:15 Berlin'],
    ['in 3 days 14:00 1 hour 30 minutes', 'Friday 27 March 2026, 14:00-15:30 Berlin'],
    ['30 min 12 May 9:00', 'Tuesday 12 May 2026, 09:00-09:30 Berlin'],
    ['midnight', 'Wednesday 25 March 2026, 00:00-01:00 Berlin'],
    ['on Friday', 'Friday 27 March 2026, all day'],
    ['12 May all day', 'Tuesday 12 May 2026, all day'],
    ['all day', 'Tuesday 24 March 2026, all day'],
    ['3 days', 'Tuesday 24 March 2026 to Thursday 26 March 2026, all day'],
    ['Friday 3 days', 'Friday 27 March 2026 to Sunday 29 March 2026, all day'],
    ['12-15 May', 'Tuesday 12 May 2026 to Friday 15 May 2026, all day'],
    ['12 May to 15 May', 'Tuesday 12 May 2026 to Friday 15 May 2026, all day'],
    ['12 May until 15 May', 'Tuesday 12 May 2026 to Friday 15 May 2026, all day'],
    ['28 February 2028 2 days', 'Monday 28 February 2028 to Tuesday 29 February 2028, all day'],
    ['tomorrow', 'Wednesday 25 March 2026, all day'],
    ['29 March 2:30 1h', 'Sunday 29 March 2026, 03:30-04:30 Berlin'],
    ['29 March 1:30 1h', 'Sunday 29 March 2026, 01:30-03:30 Berlin'],
    ['25 October 2:30 1h', 'Sunday 25 October 2026, 02:30-02:30 Berlin'],
    ['28 March 22:00 8h', 'Saturday 28 March 2026, 22:00 to Sunday 29 March 2026, 07:00 Berlin'],
    ['24:00 tomorrow', 'Thursday 26 March 2026, 00:00-01:00 Berlin'],
    ['yesterday 9:00', 'Monday 23 March 2026, 09:00-10:00 Berlin'],
    ['now 30 min', 'Tuesday 24 March 2026, 11:15-11:45 Berlin'],
  ])('%s', async (text, words) => {
    expect(await understood(text)).toBe(words);
  });

  it.each([
    ['every Monday 9:00', 'Monday 30 March 2026, 09:00-10:00 Berlin, every Monday'],
    ['every weekday 9:00 15 min', 'Wednesday 25 March 2026, 09:00-09:15 Berlin, every weekday'],
    ['weekdays 9:00-9:15', 'Wednesday 25 March 2026, 09:00-09:15 Berlin, every weekday'],
    ['daily 12:00', 'Tuesday 24 March 2026, 12:00-13:00 Berlin, every day'],
    ['every day', 'Tuesday 24 March 2026, all day, every day'],
    [
      'every 2 weeks on Tue and Thu 10:00 1h',
      'Thursday 26 March 2026, 10:00-11:00 Berlin, every 2 weeks on Tuesday and Thursday',
    ],
    ['every other Friday 16:00', 'Friday 27 March 2026, 16:00-17:00 Berlin, every 2 weeks on Friday'],
    [
      'every Mon, Wed and Fri at 7am',
      'Wednesday 25 March 2026, 07:00-08:00 Berlin, every Monday, Wednesday and Friday',
    ],
    ['weekly tomorrow 14:00 1h', 'Wednesday 25 March 2026, 14:00-15:00 Berlin, every week'],
    ['monthly on the last Friday 16:00', 'Friday 27 March 2026, 16:00-17:00 Berlin, every month on the last Friday'],
    ['monthly on the 15th', 'Wednesday 15 April 2026, all day, every month on the 15th'],
    [
      'every first and third Monday of the month 18:00',
      'Monday 6 April 2026, 18:00-19:00 Berlin, every month on the 1st and 3rd Monday',
    ],
    ['every 31st 9:00', 'Tuesday 31 March 2026, 09:00-10:00 Berlin, every month on the 31st'],
    ['monthly on the last weekday 17:00', 'Tuesday 31 March 2026, 17:00-18:00 Berlin, every month on the last weekday'],
    [
      'the last Friday of every month 16:00',
      'Friday 27 March 2026, 16:00-17:00 Berlin, every month on the last Friday',
    ],
    ['every 3 months 12 May 9:00', 'Tuesday 12 May 2026, 09:00-10:00 Berlin, every 3 months'],
    ['yearly on 12 May', 'Tuesday 12 May 2026, all day, every year'],
    ['every 12 May', 'Tuesday 12 May 2026, all day, every year'],
    [
      'every weekend 10:00 until 31 May',
      'Saturday 28 March 2026, 10:00-11:00 Berlin, every Saturday and Sunday, until 31 May 2026',
    ],
    ['daily 9:00 10 times', 'Wednesday 25 March 2026, 09:00-10:00 Berlin, every day, 10 times'],
    ['every Sunday 2:30 1h', 'Sunday 29 March 2026, 02:30-03:30 Berlin, every Sunday'],
    ['every Monday from 1 June 9:00', 'Monday 1 June 2026, 09:00-10:00 Berlin, every Monday'],
    ['every day until 30 June 9:00 1h', 'Wednesday 25 March 2026, 09:00-10:00 Berlin, every day, until 30 June 2026'],
  ])('%s', async (text, words) => {
    expect(await understood(text)).toBe(words);
  });

  it('is as clocks show it where the reader is', async () => {
    const late = Date.parse('2026-03-24T23:30:00Z');
    expect(await understood('tomorrow 9:00', 'America/New_York', late)).toContain('Wednesday 25 March 2026, 09:00');
    expect(await understood('tomorrow 9:00', 'Europe/Berlin', late)).toContain('Thursday 26 March 2026, 09:00');
    // Two hours from 01:30 are over at 04:30, because clocks go from 02:00 to 03:00.
    const gap = Date.parse('2026-03-29T00:30:00Z');
    expect(await understood('in 2 hours', 'Europe/Berlin', gap)).toContain('Sunday 29 March 2026, 04:30');
    expect(await understood('in 2 hours', 'UTC', gap)).toContain('Sunday 29 March 2026, 02:30');
    const { clock } = reader();
    expect(clock.instantOf(Date.parse('2026-10-25T02:30:00Z'))).toBe(Date.parse('2026-10-25T00:30:00Z'));
    expect(clock.instantOf(Date.parse('2026-03-29T02:30:00Z'))).toBe(Date.parse('2026-03-29T01:30:00Z'));
  });

  it('keeps to the day of an event that it changes', async () => {
    const when = await readWhen('15:00', { ...reader(), day: Date.parse('2026-05-12T09:00:00Z') });
    expect(when).toMatchObject({ start: Date.parse('2026-05-12T15:00:00Z'), ended: false });
  });

  it.each([
    [
      '',
      'Could not tell when "" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      'soon',
      'Could not tell when "soon" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      '1h',
      'Could not tell when "1h" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    ['Dienstag', 'Could not tell when "Dienstag" is'],
    ['9:00 tomorrow 10:00', 'Could not tell when "tomorrow 10:00" in'],
    [
      'may',
      'Could not tell when "may" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      'Friday 8',
      'Could not tell when "8" in "Friday 8" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      'tomorrow 25:00',
      'Could not tell when "25:00" in "tomorrow 25:00" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      '2026-02-30',
      'Could not tell when "2026-02-30" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    [
      'tomorrow 14:00 CET',
      'Could not tell when "cet" in "tomorrow 14:00 CET" is. Write it as: tomorrow 12:30 1h; Friday 14:00-15:30; 12 May all day; 2026-05-12 9am for 90 min; every weekday 9:00 15 min; monthly on the last Friday 16:00 until 31 December.',
    ],
    ['5/12', 'A day with slashes is read differently in different countries. Write it as 12 May or 2026-05-12.'],
    ['tomorrow 2h', 'Say at what time of day it begins, such as "tomorrow 2h at 9:00".'],
    ['tomorrow 9:00 all day', 'It is all day, or at a time of day, not both.'],
    ['tomorrow 9:00-10:00 2h', 'Say when it ends, or how long it takes, not both.'],
    ['15 May until 12 May', 'It ends before it begins.'],
    [
      'Friday 22:00 until Saturday',
      'Say at what time it begins and at what time it ends, such as "Friday 22:00 until Saturday 2:00".',
    ],
    ['daily 9:00 0 min', 'A duration must be more than nothing.'],
    ['daily 3 times until 30 June', 'Say how many times, or until when, not both.'],
  ])('%s is refused', async (text, reason) => {
    const said = await refusal(async () => await readWhen(text, reader()));
    expect(said).toMatch(/^USAGE: /);
    expect(said).toContain(reason);
  });

  it('says what can be written in words that it reads', async () => {
    const said = await refusal(async () => await readWhen('soon', reader()));
    const forms = said
      .replace(/^.*Write it as: /, '')
      .replace(/\.$/, '')
      .split('; ');
    expect(forms.length).toBeGreaterThan(4);
    for (const form of forms) expect(await understood(form)).toContain(' 2026');
  });
});

describe('parts of it', () => {
  it('are days, durations and recurrences', async () => {
    expect(await readDay('tomorrow', reader())).toBe(Date.parse('2026-03-25'));
    expect(await readDay('2026-05-12', reader())).toBe(Date.parse('2026-05-12'));
    expect(await refusal(async () => await readDay('tomorrow 9:00', reader()))).toContain('is no day');
    expect(readDuration('1h 30m')).toEqual({ days: 0, minutes: 90 });
    expect(readDuration('half an hour')).toEqual({ days: 0, minutes: 30 });
    expect(readDuration('2 weeks')).toEqual({ days: 14, minutes: 0 });
    expect(await refusal(() => readDuration('long'))).toContain('is no duration');
    expect(await readRepeat('every 2 weeks on Thu and Tue until 2026-12-31', reader())).toEqual({
      freq: 'WEEKLY',
      interval: 2,
      byDay: ['TU', 'TH'],
      until: '2026-12-31',
    });
    expect(await readRepeat('daily 10 times', reader())).toEqual({ freq: 'DAILY', count: 10 });
    expect(await refusal(async () => await readRepeat('often', reader()))).toContain('is no recurrence');
  });
});
