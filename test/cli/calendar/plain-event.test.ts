import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/cli/calendar/plain-event.ts';
import { wallClock } from '../../../src/cli/calendar/wall-clock.ts';
import { whenWords } from '../../../src/cli/calendar/when-words.ts';

const reader = { now: Date.parse('2026-12-01T10:40:00Z'), clock: wallClock('Europe/Berlin') };

describe('an event in one line', () => {
  it.each([
    ['Lunch with Bob tomorrow 12:30 1h', 'Lunch with Bob', 'Wednesday 2 December 2026, 12:30-13:30 Europe/Berlin'],
    ['tomorrow 12:30 Lunch with Bob', 'Lunch with Bob', 'Wednesday 2 December 2026, 12:30-13:30 Europe/Berlin'],
    [
      'Stand-up every weekday 9:00 15 min',
      'Stand-up',
      'Wednesday 2 December 2026, 09:00-09:15 Europe/Berlin, every weekday',
    ],
    ['Trip to Lisbon, 12 May until 15 May', 'Trip to Lisbon', 'Wednesday 12 May 2027 to Saturday 15 May 2027, all day'],
    ['Dinner on Friday at 19:00', 'Dinner', 'Friday 4 December 2026, 19:00-20:00 Europe/Berlin'],
    ['Plan May tomorrow 9:00', 'Plan May', 'Wednesday 2 December 2026, 09:00-10:00 Europe/Berlin'],
    ['Sunday lunch next Sunday 12:00', 'Sunday lunch', 'Sunday 13 December 2026, 12:00-13:00 Europe/Berlin'],
    ['Buy 3 apples at 5pm', 'Buy 3 apples', 'Tuesday 1 December 2026, 17:00-18:00 Europe/Berlin'],
    [
      'Party 31 December 20:00 until 1 January 3:00',
      'Party',
      'Thursday 31 December 2026, 20:00 to Friday 1 January 2027, 03:00 Europe/Berlin',
    ],
    ['Ann in 2 hours', 'Ann', 'Tuesday 1 December 2026, 13:40-14:40 Europe/Berlin'],
  ])('%s', async (text, title, words) => {
    const found = await readEvent(text, reader);
    expect([found.title, whenWords(found.when, 'Europe/Berlin')]).toEqual([title, words]);
  });

  it('is on the day on which the person is if it names none', async () => {
    const day = Date.parse('2026-12-10');
    const { when } = await readEvent('Tea 15:00', { ...reader, day });
    expect(when.start).toBe(day + 15 * 3_600_000);
  });

  it.each([
    ['Call mom', 'Write a title and when it is, such as "Lunch with Bob tomorrow 12:30 1h"'],
    ['tomorrow', 'Write a title and when it is'],
    ['Wait until', 'Write a title and when it is'],
    ['Lunch tomorrow 1h', 'Say at what time of day it begins'],
    ['Berlin trip 12/05', 'A day with slashes is read differently'],
  ])('is refused if it does not say what and when: %s', async (text, reason) => {
    await expect(readEvent(text, reader)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'USAGE',
      message: expect.stringContaining(reason),
    });
  });
});
