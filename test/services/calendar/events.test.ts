import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import type { Event } from '../../../src/contract/calendar/event.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent, listInstances } = events;

const berlin = { dtstart: '2026-03-23T09:00:00', tzid: 'Europe/Berlin', duration: 'PT30M' };

async function daily(scene: CalendarScene, more: object = {}): Promise<Event> {
  const rrule = 'FREQ=DAILY;COUNT=10';
  return (await scene.done(createEvent, scene.ann, { summary: 'Standup', ...berlin, rrule, ...more })).event;
}

async function inMarch(scene: CalendarScene, who = scene.ann): Promise<string[]> {
  const range = { start: '2026-03-20', end: '2026-04-10' };
  const { events: found } = await scene.done(listEvents, who, range);
  return found.map(({ start, summary }) => `${start.slice(5, 16)} ${summary}`);
}

const on = (...days: readonly string[]) => days.map((day) => `${day} Standup`);

describe.each(bothEngines)('events on %s', (engine) => {
  it('happen at their wall-clock time, through a change of the clocks, in a range of days', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const made = await daily(scene);
    expect(made).toMatchObject({
      summary: 'Standup',
      dtstart: '2026-03-23T09:00:00',
      dtstartTzid: 'Europe/Berlin',
      dtend: '2026-03-23T09:30:00',
      start: '2026-03-23T08:00:00.000Z',
      rrule: { freq: 'DAILY', count: 10 },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=10'],
      isRecurring: true,
      organizerId: ann.memberId,
      myPermission: 'owner',
    });
    const days = ['03-23T08:00', '03-24T08:00', '03-25T08:00', '03-26T08:00', '03-27T08:00', '03-28T08:00'];
    const summer = ['03-29T07:00', '03-30T07:00', '03-31T07:00', '04-01T07:00'];
    expect(await inMarch(scene)).toEqual(on(...days, ...summer));
    const [first, second] = (
      await scene.done(listEvents, ann, { start: '2026-03-29T07:29:00Z', end: '2026-03-30T07:01:00Z' })
    ).events;
    expect(first).toMatchObject({
      id: `${made.id}_20260329T070000Z`,
      occurrenceId: `${made.id}_20260329T070000Z`,
      parentEventId: made.id,
      recurrenceId: '2026-03-29T09:00:00',
      dtstart: '2026-03-29T09:00:00',
      dtend: '2026-03-29T09:30:00',
      isException: false,
    });
    expect(await scene.done(showEvent, ann, { id: second!.id })).toEqual({ event: second });
    expect(await scene.done(showEvent, ann, { id: made.id })).toEqual({ event: made });
    expect(await scene.refused(showEvent, ann, { id: `${made.id}_20260328T070000Z` })).toBe('404 NOT_FOUND');
    expect(await scene.refused(showEvent, scene.bob, { id: made.id })).toBe('404 NOT_FOUND');
    const { events: instances } = await scene.done(listInstances, ann, {
      id: made.id,
      start: '2026-03-29',
      end: '2026-03-31',
    });
    expect(instances.map(({ start }) => start)).toEqual(['2026-03-29T07:00:00.000Z', '2026-03-30T07:00:00.000Z']);
  });

  it('are changed one by one, from one on, or all, and what was changed by itself moves along', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await daily(scene, { rrule: 'FREQ=DAILY;COUNT=4' });
    const one = `${id}_20260324T080000Z`;
    const { event: moved } = await scene.done(updateEvent, ann, {
      id: one,
      summary: 'Later',
      dtstart: '2026-03-24T15:00:00',
      dtend: '2026-03-24T16:00:00',
    });
    expect(moved).toMatchObject({ id: one, isException: true, sequence: 1, recurrenceId: '2026-03-24T09:00:00' });
    const after = ['03-23T08:00 Standup', '03-24T14:00 Later', '03-25T08:00 Standup', '03-26T08:00 Standup'];
    expect(await inMarch(scene)).toEqual(after);
    const { event: rest } = await scene.done(updateEvent, ann, {
      id,
      modificationMode: 'following',
      recurrenceId: '2026-03-25T09:00:00',
      summary: 'New',
      dtstart: '2026-03-25T10:00:00',
      dtend: '2026-03-25T10:30:00',
    });
    expect(rest).toMatchObject({ splitFrom: expect.any(String), rrule: { count: 2 } });
    expect(rest.id).not.toBe(id);
    expect(await inMarch(scene)).toEqual([...after.slice(0, 2), '03-25T09:00 New', '03-26T09:00 New']);
    const { event: all } = await scene.done(updateEvent, ann, {
      id,
      dtstart: '2026-03-22T09:00:00',
      dtend: '2026-03-22T09:30:00',
    });
    expect(all.sequence).toBeGreaterThan(1);
    expect(await inMarch(scene)).toEqual([
      '03-22T08:00 Standup',
      '03-24T14:00 Later',
      '03-25T09:00 New',
      '03-26T09:00 New',
    ]);
  });

  it('are deleted one by one, from one on, or all', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await daily(scene, { rrule: 'FREQ=DAILY;COUNT=5' });
    await scene.done(deleteEvent, ann, { id: `${id}_20260324T080000Z` });
    await scene.done(deleteEvent, ann, { id, mode: 'thisAndFuture', recurrenceId: '2026-03-26T09:00:00' });
    expect(await inMarch(scene)).toEqual(on('03-23T08:00', '03-25T08:00'));
    expect(await scene.refused(deleteEvent, ann, { id: `${id}_20260324T080000Z` })).toBe('404 NOT_FOUND');
    expect(await scene.refused(deleteEvent, ann, { id, mode: 'single' })).toBe('400 VALIDATION_ERROR');
    await scene.done(deleteEvent, ann, { id });
    expect(await inMarch(scene)).toEqual([]);
    expect(await scene.refused(showEvent, ann, { id })).toBe('404 NOT_FOUND');
    expect(await house.ctx.db.selectFrom('event_runs').selectAll().execute()).toEqual([]);
    const { bytes } = await house.ctx.db.selectFrom('member_storage').select('bytes').executeTakeFirstOrThrow();
    expect(bytes).toBe(0);
  });

  it('are changed only on the version that somebody has read', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id, etag, sequence } = await daily(scene);
    const change = async (tag: string, more: object = {}) =>
      await house.perform(updateEvent, { id, ifMatch: tag, summary: 'Other', ...more }, ann.token);
    const stale = await change('"0"');
    expect([stale.status, stale.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const fresh = await change(`"${etag}"`);
    expect(fresh.status).toBe(200);
    expect(fresh.headers.get('etag')).toBe(`"${fresh.body.event.etag}"`);
    expect((await change(`"${etag}"`)).status).toBe(412);
    expect(await scene.refused(updateEvent, ann, { id, sequence: sequence + 1, summary: 'x' })).toBe(
      '409 SEQUENCE_CONFLICT',
    );
  });

  it('are seen of a shared calendar as far as the share goes', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const { id: calendarId } = await scene.calendarOf(ann, { timezone: 'Europe/Berlin' });
    await scene.share(ann, calendarId, bob, 'viewer');
    await scene.share(ann, calendarId, cleo, 'freebusy');
    const make = async (summary: string, hour: number, more: object = {}) =>
      (
        await scene.done(createEvent, ann, {
          calendarId,
          summary,
          description: 'Secret words',
          location: 'Room 1',
          dtstart: `2026-03-23T${hour}:00:00`,
          duration: 'PT1H',
          ...more,
        })
      ).event;
    await make('Open', 10);
    const hidden = await make('Doctor', 11, { visibility: 'PRIVATE' });
    await make('Deal', 12, { visibility: 'CONFIDENTIAL' });
    await make('Lunch', 13, { transparency: 'TRANSPARENT' });
    expect(await inMarch(scene, bob)).toEqual([
      '03-23T09:00 Open',
      '03-23T10:00 Busy',
      '03-23T11:00 Deal',
      '03-23T12:00 Lunch',
    ]);
    expect(await inMarch(scene, cleo)).toEqual(['03-23T09:00 Busy', '03-23T10:00 Busy', '03-23T11:00 Busy']);
    const { event } = await scene.done(showEvent, bob, { id: hidden.id });
    expect(JSON.stringify(event)).not.toMatch(/Doctor|Secret|Room/);
    for (const one of (await scene.done(listEvents, cleo, { start: '2026-03-23', end: '2026-03-24' })).events)
      expect(await scene.refused(showEvent, cleo, { id: one.id })).toBe('404 NOT_FOUND');
    expect(await scene.refused(showEvent, cleo, { id: hidden.id })).toBe('404 NOT_FOUND');
    expect(await scene.refused(updateEvent, bob, { id: hidden.id, summary: 'Mine' })).toBe('403 FORBIDDEN');
    expect(await scene.refused(createEvent, bob, { calendarId, summary: 'Mine', ...berlin })).toBe('403 FORBIDDEN');
  });

  it('are listed as they are stored, and then only what has changed', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    const make = async (summary: string) => {
      house.clock.advance(1_000);
      return (await scene.done(createEvent, ann, { calendarId, summary, ...berlin, rrule: 'FREQ=DAILY' })).event;
    };
    const made = [await make('one'), await make('two'), await make('three')];
    const first = await scene.done(listEvents, ann, { calendarId, limit: 2 });
    expect(first.events).toEqual(made.slice(0, 2));
    expect(first.syncToken).toBeUndefined();
    const rest = await scene.done(listEvents, ann, { calendarId, limit: 2, cursor: first.nextCursor });
    expect(rest.events).toEqual(made.slice(2));
    expect(rest).not.toHaveProperty('deleted');
    const { syncToken } = rest;
    expect(await scene.done(listEvents, ann, { calendarId, syncToken })).toEqual({
      events: [],
      deleted: [],
      syncToken,
    });
    await scene.done(deleteEvent, ann, { id: made[1]!.id });
    const { event: changed } = await scene.done(updateEvent, ann, { id: made[0]!.id, summary: 'ONE' });
    const since = await scene.done(listEvents, ann, { calendarId, syncToken });
    expect(since).toMatchObject({ events: [changed], deleted: [made[1]!.id] });
    expect(await scene.done(listEvents, ann, { calendarId, syncToken: since.syncToken })).toMatchObject({
      events: [],
      deleted: [],
    });
    const { events: later } = await scene.done(listEvents, ann, { calendarId, updatedSince: made[2]!.dateModified });
    expect(later).toEqual([]);
    expect(await scene.refused(listEvents, ann, { syncToken })).toBe('400 VALIDATION_ERROR');
    expect(await scene.refused(listEvents, ann, { calendarId, syncToken: `${calendarId}.99` })).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await scene.refused(listEvents, scene.bob, { calendarId })).toBe('404 NOT_FOUND');
  });

  it('are stored sealed, and computed far beyond what is stored of their instances', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    await daily(scene, { summary: 'Zanzibar', rrule: 'FREQ=MONTHLY', uid: 'somebody@example.org' });
    const [row] = await house.ctx.db.selectFrom('calendar_objects').selectAll().execute();
    expect(Buffer.from(JSON.stringify(row)).toString()).not.toMatch(/Zanzibar|somebody/);
    expect(Buffer.from(row!.sealed).includes('Zanzibar')).toBe(false);
    const { events: far } = await scene.done(listEvents, ann, { start: '2040-01-01', end: '2040-04-01' });
    expect(far.map(({ start }) => start)).toEqual([
      '2040-01-23T08:00:00.000Z',
      '2040-02-23T08:00:00.000Z',
      '2040-03-23T08:00:00.000Z',
    ]);
    const { events: all } = await scene.done(listEvents, ann, { start: '2026-01-01', end: '2030-01-01' });
    expect(new Set(all.map(({ start }) => start)).size).toBe(46);
    expect(all).toHaveLength(46);
    const pages: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: { events: Event[]; nextCursor?: string | undefined } = await scene.done(listEvents, ann, {
        start: '2026-01-01',
        end: '2030-01-01',
        limit: 7,
        ...(cursor !== '' && { cursor }),
      });
      pages.push(...page.events.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  });
});
