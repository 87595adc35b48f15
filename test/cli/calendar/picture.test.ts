import { describe, expect, it } from 'vitest';
import { dayParts, drawAgenda } from '../../../src/cli/calendar/agenda-list.ts';
import { inLanes } from '../../../src/cli/calendar/picture/lanes.ts';
import { colourOf } from '../../../src/cli/calendar/picture/look.ts';
import { drawMonth } from '../../../src/cli/calendar/picture/month-picture.ts';
import { placedEvents } from '../../../src/cli/calendar/picture/placed.ts';
import { drawWeek } from '../../../src/cli/calendar/picture/week-picture.ts';
import { berlin, eventOf, hostile, measure, plainLook } from './made-events.ts';

const monday = Date.parse('2026-11-30');
const now = Date.parse('2026-12-01T11:40Z');
const trimmed = (lines: readonly string[]): string[] => lines.map((line) => line.trimEnd());
const elsewhere = Date.parse('2030-01-01');

const usual = placedEvents(
  [
    eventOf('Trip to Lisbon', '2026-11-29', '2026-12-02'),
    eventOf('誕生日 🎂', '2026-12-04', '2026-12-05'),
    eventOf('Stand-up', '2026-11-30T09:00', '2026-11-30T09:15'),
    eventOf('Planning of the quarter', '2026-11-30T09:15', '2026-11-30T11:00'),
    eventOf('Lunch with Bob', '2026-12-01T12:30', '2026-12-01T13:30', { location: 'Café' }),
    eventOf('漢字漢字漢字', '2026-12-02T14:00', '2026-12-02T15:00'),
  ],
  berlin,
);

describe('a picture of a week', () => {
  it('has days of whole days above, lines for half hours, and a line of now, in 80 columns', () => {
    const lines = drawWeek({ placed: usual, monday, now }, plainLook(80));
    expect(trimmed(lines).slice(0, 14)).toEqual([
      '      │ Mon 30   │ Tue 1*   │ Wed 2    │ Thu 3    │ Fri 4   │ Sat 5   │ Sun 6',
      'days  │‹Trip to Lisbon ─────│          │          │▌誕生日…─│         │',
      '08:00 │          │          │          │          │         │         │',
      '      │          │          │          │          │         │         │',
      '09:00 │▌Stand-up │          │          │          │         │         │',
      '      │▌Planning │          │          │          │         │         │',
      '      │▌of the   │          │          │          │         │         │',
      '10:00 │▌quarter  │          │          │          │         │         │',
      '      │▌         │          │          │          │         │         │',
      '11:00 │          │          │          │          │         │         │',
      '11:40>│          │──────────│          │          │         │         │',
      '12:00 │          │          │          │          │         │         │',
      '      │          │▌Lunch    │          │          │         │         │',
      '13:00 │          │▌with Bob │          │          │         │         │',
    ]);
    expect(lines.join('\n')).toMatch(/^14:00 .*│▌漢字漢字 │.*\n.*│▌漢字     │/m);
    for (const line of lines) expect(measure(line)).toBe(80);
  });

  it('says more where there is more room: days, times and places', () => {
    const text = drawWeek({ placed: usual, monday, now }, plainLook(160)).join('\n');
    expect(text).toContain(' Monday 30 November ');
    expect(text).toContain(' Tuesday 1 December*');
    expect(text).toContain('▌09:15 Planning of ');
    expect(text).toMatch(/▌12:30 Lunch with Bob.*\n.*▌Café/);
  });

  it('puts what overlaps beside each other where there is room, else below each other', () => {
    const at = (name: string) => eventOf(name, '2026-12-02T16:00', '2026-12-02T17:00');
    const placed = placedEvents([at('one'), at('two'), at('three')], berlin);
    const line = (width: number, text: string): string =>
      drawWeek({ placed, monday, now: elsewhere }, plainLook(width)).find((each) => each.includes(text)) ?? '';
    expect(line(80, '▌one')).not.toContain('▌two');
    expect(line(80, '▌three')).not.toContain('▌two');
    expect(line(240, '▌one')).toMatch(/▌one +▌three +▌two/);
  });

  it('goes on with an event after a short one within it, and with one of the night on the next day', () => {
    const placed = placedEvents(
      [
        eventOf('Workshop', '2026-12-02T09:00', '2026-12-02T12:00'),
        eventOf('Call', '2026-12-02T10:00', '2026-12-02T10:30'),
        eventOf('Train', '2026-12-05T22:00', '2026-12-06T06:00'),
      ],
      berlin,
    );
    const lines = drawWeek({ placed, monday, now: elsewhere }, plainLook(80));
    const wednesday = lines.map((line) => line.slice(29, 39).trim());
    // The hours from 0 to 24 have a line each.
    expect(lines).toHaveLength(25);
    expect(wednesday.slice(10, 13)).toEqual(['▌Workshop', '▌Call', '▌']);
    expect(lines[1]).toMatch(/^00:00 .*│▌‹Train/);
    expect(lines[24]).toMatch(/^23:00 .*│▌ +│/);
  });

  it('shows the night in which clocks go forward, and in which they go back, by wall-clock times', () => {
    const spring = placedEvents([eventOf('Shift', '2026-03-29T01:00', '2026-03-29T04:00')], berlin);
    const text = drawWeek({ placed: spring, monday: Date.parse('2026-03-23'), now: elsewhere }, plainLook(80));
    expect(text.find((line) => line.startsWith('01:00'))).toContain('▌Shift');
    expect(text.find((line) => line.startsWith('03:00'))).toContain('▌');
    expect(text.find((line) => line.startsWith('04:00'))).not.toContain('▌');
    // From the first 2:45 to the second 2:15.
    const back = eventOf('Tick', '2026-10-25T02:45', '2026-10-25T02:45', {
      start: '2026-10-25T00:45:00.000Z',
      end: '2026-10-25T01:15:00.000Z',
    });
    const [tick] = placedEvents([back], berlin);
    expect(tick?.end).toBe(tick?.start);
    const autumn = drawWeek(
      { placed: placedEvents([back], berlin), monday: Date.parse('2026-10-19'), now: elsewhere },
      plainLook(80),
    );
    expect(autumn.filter((line) => line.includes('▌'))).toHaveLength(1);
  });

  it('marks what is chosen without colours, and is cut around it to a height', () => {
    const late = eventOf('Late', '2026-12-03T22:00', '2026-12-03T23:00');
    const placed = [...usual, ...placedEvents([late], berlin)];
    const chosen = { day: monday + 3 * 86_400_000, id: late.id };
    const lines = drawWeek({ placed, monday, now, chosen, height: 10 }, plainLook(80));
    expect(lines).toHaveLength(10);
    expect(lines[0]).toContain('[Thu 3]');
    expect(lines.join('\n')).toContain('>Late');
  });

  it('leaves out hours in which nothing is before it gives up half hours', () => {
    const first = (height: number): readonly (string | undefined)[] => {
      const lines = drawWeek({ placed: usual, monday, now: elsewhere, height }, plainLook(80)).slice(2);
      return [lines[0]?.slice(0, 5), lines[1]?.slice(0, 5), lines.at(-1)?.slice(0, 5), String(lines.length)];
    };
    // From 8 to 18, to 16, and a line for each hour.
    expect(first(24)).toEqual(['08:00', '     ', '     ', '21']);
    expect(first(19)).toEqual(['08:00', '     ', '     ', '17']);
    expect(first(12)).toEqual(['08:00', '09:00', '16:00', '10']);
  });

  it('has colours of calendars where the terminal has them', () => {
    const calendars = [{ id: 'work', color: '#ff0000' }];
    const draw = (palette: 'none' | '256' | 'all'): string =>
      drawWeek({ placed: usual, monday, now }, { ...plainLook(80), colour: colourOf(calendars, palette) }).join('\n');
    expect(draw('none')).not.toContain('\u001b');
    expect(draw('256')).toContain('\u001b[38;5;196m▌\u001b[39mLunch');
    expect(draw('all')).toContain('\u001b[38;2;255;0;0m▌\u001b[39mLunch');
  });
});

describe('a picture of a month', () => {
  it('has a row of lines for each week, and counts what does not fit', () => {
    const many = Array.from({ length: 9 }, (_, at) => eventOf(`e${at}`, '2026-12-10T09:00', '2026-12-10T10:00'));
    const lines = drawMonth(
      { placed: [...usual, ...placedEvents(many, berlin)].toSorted((a, b) => a.start - b.start), at: now, now },
      plainLook(80),
    );
    expect(trimmed(lines).slice(0, 4)).toEqual([
      '│ Monday    │ Tuesday   │ Wednesday │ Thursday │ Friday   │ Saturday │ Sunday',
      '│ 30 ───────│ 1 Dec* ───│ 2 ────────│ 3 ───────│ 4 ───────│ 5 ───────│ 6 ───────',
      '│‹Trip to Lisbon ───────│▌漢字漢字… │          │▌誕生日 …─│          │',
      '│▌Stand-up  │▌Lunch wit…│           │          │          │          │',
    ]);
    expect(lines.join('\n')).toContain('│ 10 ────+3│');
    expect(lines.filter((line) => line.includes('▌e'))).toHaveLength(6);
    const low = drawMonth({ placed: usual, at: now, now, height: 6 }, plainLook(80));
    expect(low).toHaveLength(6);
    expect(low[1]).toContain('│ 30 ─────+3│');
  });
});

describe('every picture', () => {
  it.each([80, 81, 100, 133, 240, 60])('has lines of %i columns, and shows nothing raw', (width) => {
    const bad = hostile.repeat(9);
    const placed = placedEvents(
      [
        eventOf(bad, '2026-12-01T09:00', '2026-12-01T12:00', { location: bad }),
        eventOf(bad, '2026-12-01T09:30', '2026-12-03T12:00', { status: 'TENTATIVE' }),
        eventOf(bad, '2026-11-01', '2026-12-24', { status: 'CANCELLED' }),
        eventOf('', '2026-12-01T09:00', '2026-12-01T09:00', { transparency: 'TRANSPARENT' }),
      ],
      berlin,
    );
    const look = plainLook(width);
    for (const lines of [
      drawWeek({ placed, monday, now }, look),
      drawWeek({ placed, monday, now, height: 5 }, look),
      drawMonth({ placed, at: now, now }, look),
      drawMonth({ placed, at: now, now, height: 20 }, look),
    ])
      for (const line of lines) {
        expect(measure(line)).toBe(width);
        expect(line.replaceAll('👩‍👩‍👧', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    for (const line of drawAgenda(dayParts(placed, { from: monday, to: monday + 7 * 86_400_000 }), now, look))
      expect(measure(line)).toBeLessThanOrEqual(width);
  });
});

describe('lanes', () => {
  it('are as many as what overlaps, and begin anew behind it', () => {
    const laned = inLanes([
      { start: 0, end: 3 },
      { start: 1, end: 2 },
      { start: 2, end: 4 },
      { start: 5, end: 6 },
    ]);
    expect(laned.map(({ lane, lanes, group }) => [lane, lanes, group])).toEqual([
      [0, 2, 1],
      [1, 2, 1],
      [1, 2, 1],
      [0, 1, 2],
    ]);
  });
});
