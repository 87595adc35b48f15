import { expect, describe, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { search } from '../../../src/contract/calendar/search.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars } from './calendar-scene.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent } = events;
const first = { summary: 'Never', dtstart: '2026-03-23T09:00:00', tzid: 'UTC' };
const far = { start: '2044-01-01', end: '2060-01-01' };

describe.each(bothEngines)('a series that takes too much work on %s', (engine) => {
  it.each([
    ['never matches again', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'],
    ['is counted in seconds', 'FREQ=SECONDLY;COUNT=1000000'],
  ])('and %s is found, shown and removed, and stops nothing beside it', async (_, rrule) => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = (await scene.done(createEvent, ann, { ...first, rrule })).event;
    await scene.done(createEvent, ann, { ...first, summary: 'Yearly', rrule: 'FREQ=YEARLY' });
    const { events: later } = await scene.done(listEvents, ann, far);
    expect(later.map(({ summary }) => summary)).toEqual(Array.from({ length: 16 }, () => 'Yearly'));
    const { results } = await scene.done(search.searchEvents, ann, { q: 'never' });
    expect(results.map((found) => found.id)).toEqual([id]);
    expect(await scene.done(search.searchEvents, ann, { q: 'never', ...far })).toMatchObject({ results: [] });
    expect(await scene.refused(showEvent, ann, { id: `${id}_20500323T090000Z` })).toBe('404 NOT_FOUND');
    await scene.done(updateEvent, ann, { id: `${id}_20260323T090000Z`, summary: 'Once' });
    await scene.done(deleteEvent, ann, { id: `${id}_20260323T090000Z` });
    expect(await scene.refused(showEvent, ann, { id: `${id}_20260323T090000Z` })).toBe('404 NOT_FOUND');
    await scene.done(deleteEvent, ann, { id });
    const { events: left } = await scene.done(listEvents, ann, { start: '2026-03-23', end: '2026-03-24' });
    expect(left.map(({ summary }) => summary)).toEqual(['Yearly']);
  });
});

it('a rule is refused if what there is of it cannot be found', async () => {
  await using scene = await openCalendars('sqljs');
  const given = { ...first, dtstart: '1970-01-01T00:00:00', rrule: 'FREQ=SECONDLY;COUNT=1000000' };
  const { status, body } = await scene.house.perform(createEvent, given, scene.ann.token);
  expect([status, body.error?.code, body.error?.message]).toEqual([
    400,
    'VALIDATION_ERROR',
    expect.stringContaining('rrule: This rule takes too long to work out'),
  ]);
});
