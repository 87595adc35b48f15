import { describe, expect, it } from 'vitest';
import type { Calendar } from '../../../../src/contract/calendar/calendars.ts';
import type { FoundEvent } from '../../../../src/contract/calendar/search.ts';
import { startOfMonth } from '../../../../src/cli/calendar/picture/month-picture.ts';
import { placedEvents } from '../../../../src/cli/calendar/picture/placed.ts';
import { press } from '../../../../src/cli/calendar/screen/keys.ts';
import { chosenEvent, type Effect, type Look, type State } from '../../../../src/cli/calendar/screen/state.ts';
import { view } from '../../../../src/cli/calendar/screen/view.ts';
import { dayText } from '../../../../src/cli/calendar/wall-clock.ts';
import { berlin, eventOf, hostile, measure } from '../made-events.ts';

const day = 86_400_000;
const today = Date.parse('2026-12-01');
const look: Look = {
  measure,
  paint: (_, text) => text,
  palette: 'none',
  nowMs: Date.parse('2026-12-01T10:40:00Z'),
};

function calendarNamed(id: string, displayName: string, more: Partial<Calendar> = {}): Calendar {
  const times = { dateCreated: '2026-11-01T00:00:00.000Z', dateModified: '2026-11-01T00:00:00.000Z' };
  const plain = { ownerId: 'ada', color: '#1a73e8', description: '', timezone: 'Europe/Berlin', ctag: 'c', ...times };
  const own = { isDefault: false, isSubscription: false, permission: 'owner', shareCount: 0 } as const;
  return { ...plain, ...own, id, displayName, ...more };
}

const standUp = { isRecurring: true, parentEventId: 'series' } as const;
const events = [
  eventOf('Stand-up', '2026-12-01T09:00', '2026-12-01T09:15', { id: 'series_1', ...standUp }),
  eventOf('Lunch with Bob', '2026-12-01T12:30', '2026-12-01T13:30', { location: 'Cafe' }),
  eventOf('Stand-up', '2026-12-02T09:00', '2026-12-02T09:15', { id: 'series_2', ...standUp }),
  eventOf('Club', '2026-12-03T18:00', '2026-12-03T20:00', { calendarId: 'club', myPermission: 'viewer' }),
];

function stateOf(more: Partial<State> = {}): State {
  return {
    columns: 80,
    rows: 24,
    clock: berlin,
    view: 'month',
    day: today,
    chosenId: undefined,
    months: new Map([[startOfMonth(today), placedEvents(events, berlin)]]),
    calendars: [
      calendarNamed('work', 'Work', { isDefault: true }),
      calendarNamed('club', 'Club', { permission: 'viewer' }),
    ],
    hidden: new Set(),
    isBusy: false,
    note: '',
    panel: undefined,
    ...more,
  };
}

/** Presses keys one after another; a word in brackets is the name of one, and other characters are themselves. */
function typed(state: State, ...all: readonly string[]): { readonly state: State; readonly effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const part of all)
    for (const key of part.startsWith('[') ? [part.slice(1, -1)] : Array.from(part)) {
      const after = press(now, key, look);
      now = after.state;
      effects.push(...after.effects);
    }
  return { state: now, effects };
}

const screenOf = (state: State): string => view(state, look).lines.join('\n');

describe('keys in the calendar', () => {
  it.each([
    ['month', '[right]', '2026-12-02'],
    ['month', '[down]', '2026-12-08'],
    ['month', '[pagedown]', '2027-01-01'],
    ['month', '[pageup]', '2026-11-01'],
    ['month', '[end]', '2026-12-31'],
    ['week', '[left]', '2026-11-30'],
    ['week', '[pageup]', '2026-11-24'],
    ['week', '[home]', '2026-11-30'],
    ['week', '[end]', '2026-12-06'],
  ] as const)('in the %s, %s goes to %s', (kind, key, at) => {
    expect(dayText(typed(stateOf({ view: kind }), key).state.day)).toBe(at);
  });

  it('keep the day of a month where there is one, and go back to today', () => {
    const from = stateOf({ day: Date.parse('2027-01-31') });
    expect(dayText(typed(from, '[pagedown]').state.day)).toBe('2027-02-28');
    expect(dayText(typed(from, '[pagedown]', 't').state.day)).toBe('2026-12-01');
  });

  it('go from event to event of a day, and keep the one that is chosen when it is read again', () => {
    const chosen = (state: State): string | undefined => chosenEvent(state)?.event.summary;
    expect(chosen(stateOf())).toBe('Stand-up');
    const { state } = typed(stateOf(), '[tab]');
    expect(chosen(state)).toBe('Lunch with Bob');
    expect(chosen(typed(state, '[tab]').state)).toBe('Lunch with Bob');
    expect(chosen(typed(state, 'k').state)).toBe('Stand-up');
    expect(chosen(typed(stateOf({ view: 'week' }), '[down]').state)).toBe('Lunch with Bob');
    expect(chosen({ ...stateOf(), day: today + day, chosenId: 'series' })).toBe('Stand-up');
  });

  it('show an event, and come back', () => {
    const { state } = typed(stateOf(), '[tab]', '[return]');
    expect(screenOf(state)).toMatch(/^Lunch with Bob\n[^]*Where +Cafe\n/);
    expect(typed(state, '[escape]').state.panel).toBeUndefined();
  });

  it('say that nothing is there, or that the calendar is of somebody else', () => {
    expect(typed(stateOf({ day: today + 3 * day }), 'd').state.note).toContain('Nothing is on this day');
    expect(typed(stateOf({ day: today + 2 * day }), 'd').state).toMatchObject({
      note: 'You may only read this calendar.',
      panel: undefined,
    });
  });

  it('ask before an event is deleted, and which of a series', () => {
    const lunch = typed(stateOf(), '[tab]', 'd');
    expect(lunch.effects).toEqual([]);
    expect(screenOf(lunch.state)).toContain('Delete Lunch with Bob, Tuesday 1 December 2026, 12:30-13:30');
    expect(typed(lunch.state, 'n')).toMatchObject({ state: { panel: undefined }, effects: [] });
    expect(typed(lunch.state, 'y').effects).toMatchObject([{ do: 'remove', event: { summary: 'Lunch with Bob' } }]);
    const series = typed(stateOf(), 'd').state;
    expect(typed(series, 'y').effects).toEqual([]);
    expect(typed(series, 'f').effects).toMatchObject([{ do: 'remove', mode: 'thisAndFuture' }]);
  });

  it('write a new event in a line, which is heard with each key and entered once', () => {
    const { state, effects } = typed(stateOf(), 'n', 'qtea', '[backspace]', '[paste: at\n9]');
    expect(state.panel).toMatchObject({ kind: 'line', purpose: 'new', line: { text: 'qte at 9' } });
    expect(new Set(effects.map((effect) => effect.do))).toEqual(new Set(['hear']));
    expect(typed(state, '[return]').effects).toMatchObject([{ do: 'enter', panel: { line: { text: 'qte at 9' } } }]);
    expect(typed(state, '[escape]').state.panel).toBeUndefined();
    expect(view(state, look).cursor).toEqual({ row: 21, column: 14 });
  });

  it('show what was understood before it is written, with a way back and other calendars', () => {
    const proposed = {
      kind: 'proposed',
      text: 'Tea 16:00',
      title: 'Tea',
      words: 'Tuesday',
      given: {},
      calendarId: 'work',
    } as const;
    const state = stateOf({ panel: proposed });
    expect(screenOf(state)).toContain('Add Tea: Tuesday in Work?');
    expect(typed(state, 'n').state.panel).toMatchObject({ kind: 'line', line: { text: 'Tea 16:00' } });
    expect(typed(state, 'y').effects).toMatchObject([{ do: 'add', proposed: { title: 'Tea' } }]);
    // The other calendar can only be read.
    expect(typed(state, 'c').state.panel).toMatchObject({ calendarId: 'work' });
  });

  it('hide calendars, and show them again', () => {
    const { state } = typed(stateOf({ day: today + 2 * day }), 'c', '[down]', ' ', '[escape]');
    expect(state.hidden).toEqual(new Set(['club']));
    expect(screenOf(state)).not.toContain('▌Club');
    expect(screenOf(typed(state, 'c', 'j', ' ', 'q').state)).toContain('▌Club');
  });

  it('go to what was found, on the next day of a series', () => {
    const one = { ...eventOf('Tea', '2026-01-06', '2026-01-07'), score: 1, matchedIn: [] } as FoundEvent;
    const found = [one, { ...one, allDay: false, nextOccurrence: '2027-02-03T23:30:00.000Z', id: 'series' }];
    const state = stateOf({ panel: { kind: 'found', words: 'tea', found, at: 0 } });
    expect(dayText(typed(state, '[return]').state.day)).toBe('2026-01-06');
    const next = typed(state, '[down]', '[return]').state;
    expect([dayText(next.day), next.chosenId]).toEqual(['2027-02-04', 'series']);
  });

  it('quit', () => {
    expect(typed(stateOf(), 'q').effects).toEqual([{ do: 'quit' }]);
    expect(typed(stateOf(), '[ctrl-d]').effects).toEqual([{ do: 'quit' }]);
  });
});

describe('the screen of the calendar', () => {
  it.each([
    [40, 20],
    [80, 24],
    [200, 60],
    [59, 12],
    [60, 13],
    [34, 12],
    [20, 3],
    [100, 8],
  ])('fills %i×%i, and shows nothing raw, whatever is on it', (columns, rows) => {
    const long = hostile.repeat(9);
    const bad = { calendarId: 'work', location: long, description: `${long}\n`.repeat(40), isRecurring: true };
    const placed = placedEvents(
      [
        ...events,
        eventOf(long, '2026-12-01T09:00', '2026-12-01T12:00', bad),
        eventOf(long, '2026-11-20', '2026-12-24', bad),
      ],
      berlin,
    );
    const calendars = [calendarNamed('work', long), calendarNamed('club', long)];
    const found = [{ ...eventOf(long, '2026-01-06', '2026-01-07'), score: 1, matchedIn: [] }];
    const base = stateOf({ columns, rows, months: new Map([[startOfMonth(today), placed]]), calendars });
    const statesOf = (kind: State['view']): State[] => {
      const state = { ...base, view: kind };
      return [
        state,
        { ...state, note: long },
        { ...state, months: new Map(), isBusy: true },
        { ...state, panel: { kind: 'found' as const, words: long, found, at: 0 } },
        ...[['[return]'], ['d'], ['e'], ['e', 't', long], ['n', `[paste:${long}]`], ['c'], ['?'], ['[tab]']].map(
          (keys) => typed(state, ...keys).state,
        ),
      ];
    };
    for (const state of (['month', 'week'] as const).flatMap(statesOf)) {
      const { lines, cursor } = view(state, look);
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map(measure))).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll('👩‍👩‍👧', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(cursor?.row ?? 0).toBeLessThan(rows);
    }
  });

  it('lists the days of a week where a picture does not fit', () => {
    const text = screenOf(stateOf({ columns: 40, view: 'week' }));
    expect(text).toContain('> Tuesday 1 December 2026 (today)\n> 09:00-09:15');
  });

  it('says that it reads, and keeps the picture where it is when it says more', () => {
    expect(screenOf(stateOf({ months: new Map() }))).toContain('reading…');
    const state = stateOf({ view: 'week' });
    const said = { ...state, note: 'A word. '.repeat(30) };
    expect(view(said, look).lines.slice(0, 18)).toEqual(view(state, look).lines.slice(0, 18));
  });
});
