import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { search } from '../../../src/contract/calendar/search.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, updateEvent, deleteEvent } = events;
const { searchEvents, filterEvents } = search;

async function add(scene: CalendarScene, calendarId: string, more: object): Promise<string> {
  const given = {
    calendarId,
    dtstart: '2026-03-10T09:00:00',
    tzid: 'UTC',
    duration: 'PT1H',
    summary: 'Event',
    ...more,
  };
  return (await scene.done(createEvent, scene.ann, given)).event.id;
}

async function find(scene: CalendarScene, q: string, who: { token: string } = scene.ann, more: object = {}) {
  const { results, total } = await scene.done(searchEvents, who, { q, ...more });
  return { total, found: results.map(({ summary, matchedIn }) => `${summary}: ${matchedIn.join()}`) };
}

describe.each(bothEngines)('a search of events on %s', (engine) => {
  it('finds all words in any case and without accents, titles first, and follows changes', async () => {
    await using scene = await openCalendars(engine);
    const { id } = await scene.calendarOf(scene.ann);
    const later = await add(scene, id, { summary: 'Lunch', description: 'Über das Café reden' });
    const titled = await add(scene, id, { summary: 'CAFÉ plan', location: 'Lunchroom' });
    expect(await find(scene, 'cafe')).toEqual({ total: 2, found: ['CAFÉ plan: summary', 'Lunch: description'] });
    expect(await find(scene, 'cafe LUNCH')).toEqual({ total: 1, found: ['Lunch: summary,description'] });
    expect(await find(scene, 'cafe', scene.bob)).toEqual({ total: 0, found: [] });
    await scene.done(updateEvent, scene.ann, { id: titled, summary: 'Tea' });
    expect((await find(scene, 'cafe')).found).toEqual(['Lunch: description']);
    await scene.done(deleteEvent, scene.ann, { id: later });
    expect(await find(scene, 'cafe')).toEqual({ total: 0, found: [] });
    expect((await find(scene, '!!!')).total).toBe(0);
    expect(await scene.refused(searchEvents, scene.ann, { q: 'a', cursor: 'x' })).toBe('400 INVALID_CURSOR');
  });

  it('finds series that happen in a range, with their next instance, in pages', async () => {
    await using scene = await openCalendars(engine);
    const { id } = await scene.calendarOf(scene.ann);
    const other = await scene.calendarOf(scene.ann);
    await add(scene, id, { summary: 'Review weekly', rrule: 'FREQ=WEEKLY' });
    await add(scene, other.id, { summary: 'Review once' });
    await add(scene, id, { summary: 'Old', description: 'review' });
    const { results } = await scene.done(searchEvents, scene.ann, { q: 'weekly' });
    expect(results[0]).toMatchObject({ nextOccurrence: '2026-03-10T09:00:00.000Z', isRecurring: true });
    for (const year of [2027, 2040]) {
      const range = { start: `${year}-01-01`, end: `${year}-02-01` };
      expect(await find(scene, 'review', scene.ann, range)).toEqual({ total: 1, found: ['Review weekly: summary'] });
    }
    expect((await find(scene, 'review', scene.ann, { end: '2026-03-10T09:00:00Z' })).total).toBe(0);
    const all: string[] = [];
    const totals: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = { q: 'review', limit: 1, ...(cursor !== '' && { cursor }) };
      const reply = (await scene.done(searchEvents, scene.ann, page)) as { nextCursor?: string; total: number } & {
        results: { summary: string }[];
      };
      all.push(...reply.results.map(({ summary }) => summary));
      totals.push(reply.total);
      cursor = reply.nextCursor;
    }
    expect(all.toSorted()).toEqual(['Old', 'Review once', 'Review weekly']);
    expect(all.at(-1)).toBe('Old');
    expect(totals).toEqual([2, 3, 3]);
  });

  it('finds nothing by what its reader may not read', async () => {
    await using scene = await openCalendars(engine);
    const { bob, cleo } = scene;
    const { id } = await scene.calendarOf(scene.ann);
    await add(scene, id, { summary: 'Doctor secret', visibility: 'PRIVATE' });
    await add(scene, id, { summary: 'Merger plan', description: 'hostile', visibility: 'CONFIDENTIAL' });
    const series = await add(scene, id, { summary: 'Standup open', rrule: 'FREQ=DAILY;COUNT=3' });
    await scene.done(updateEvent, scene.ann, {
      id: `${series}_20260311T090000Z`,
      summary: 'Firing',
      visibility: 'PRIVATE',
    });
    await scene.share(scene.ann, id, bob, 'viewer');
    await scene.share(scene.ann, id, cleo, 'freebusy');
    const none = { total: 0, found: [] };
    expect((await find(scene, 'secret')).found).toEqual(['Doctor secret: summary']);
    expect((await find(scene, 'firing')).found).toEqual(['Standup open: summary']);
    for (const q of ['secret', 'doctor', 'busy', 'hostile', 'plan hostile', 'firing']) {
      expect(await find(scene, q, bob)).toEqual(none);
      expect(await find(scene, q, cleo)).toEqual(none);
    }
    expect(await find(scene, 'merger PLAN', bob)).toEqual({ total: 1, found: ['Merger plan: summary'] });
    expect(await find(scene, 'standup', bob)).toEqual({ total: 1, found: ['Standup open: summary'] });
    expect(await find(scene, 'standup', cleo, { calendarIds: id })).toEqual(none);
    const documents = await scene.house.ctx.db.selectFrom('search_documents').select('words').execute();
    expect(JSON.stringify(documents)).not.toMatch(/secret|doctor|merger/);
    const filtered = await scene.done(filterEvents, cleo, { calendarId: id });
    expect(filtered).toEqual({ results: [], total: 0 });
  });
});

describe.each(bothEngines)('a filter of events on %s', (engine) => {
  it('wants all conditions, and one of several values of each', async () => {
    await using scene = await openCalendars(engine);
    const { id } = await scene.calendarOf(scene.ann);
    await add(scene, id, { summary: 'A', categories: ['Red'], status: 'TENTATIVE' });
    await add(scene, id, { summary: 'B', categories: ['blue'], rrule: 'FREQ=WEEKLY' });
    await add(scene, id, { summary: 'C', categories: ['blue'], visibility: 'CONFIDENTIAL' });
    const by = async (more: object, who: { token: string } = scene.ann) => {
      const { results, total } = await scene.done(filterEvents, who, { calendarId: id, ...more });
      expect(total).toBe(results.length);
      return results.map(({ summary }) => summary).join('');
    };
    expect(await by({})).toBe('ABC');
    expect(await by({ category: 'BLUE' })).toBe('BC');
    expect(await by({ category: ['red', 'blue'], recurring: 'false' })).toBe('AC');
    expect(await by({ status: 'TENTATIVE' })).toBe('A');
    expect(await by({ visibility: ['CONFIDENTIAL', 'PRIVATE'] })).toBe('C');
    expect(await by({ start: '2026-04-01', end: '2026-05-01' })).toBe('B');
    expect(await by({ organizer: 'ann' })).toBe('ABC');
    expect(await by({ organizer: 'bob' })).toBe('');
    expect(await by({ hasAttendees: 'true' })).toBe('');
    expect(await by({ allDay: 'false', recurring: 'true' })).toBe('B');
    await scene.share(scene.ann, id, scene.bob, 'viewer');
    expect(await by({ category: 'blue' }, scene.bob)).toBe('B');
    const first = await scene.done(filterEvents, scene.ann, { calendarId: id, limit: 2 });
    expect(first).toMatchObject({ results: [{ summary: 'A' }, { summary: 'B' }], total: 3 });
    const cursor = first.nextCursor!;
    const second = await scene.done(filterEvents, scene.ann, { calendarId: id, limit: 2, cursor });
    expect(second).toMatchObject({ results: [{ summary: 'C' }], total: 3 });
    expect(second).not.toHaveProperty('nextCursor');
  });
});
