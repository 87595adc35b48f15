import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { scheduling } from '../../../src/contract/calendar/scheduling.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import { bothEngines } from '../../support/stores.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { channelOf, groupOf, sendDirect } from '../chat/chat-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { freeBusy, findAvailableTimes } = scheduling;
const { createEvent, updateEvent } = events;

const day = { rangeStart: '2026-03-23T00:00:00Z', rangeEnd: '2026-03-24T00:00:00Z' };
type Created = RawInputOf<typeof createEvent>;

async function add({ done }: CalendarScene, who: CalendarScene['ann'], from: string, to: string, more: Created = {}) {
  const times = { dtstart: `2026-03-23T${from}:00Z`, dtend: `2026-03-23T${to}:00Z`, tzid: 'UTC' };
  return (await done(createEvent, who, { summary: 'Secret', ...times, ...more })).event;
}

async function busyOf(
  { done, ann }: CalendarScene,
  userIds: string[],
  more: Partial<RawInputOf<typeof freeBusy>> = {},
): Promise<Record<string, string>> {
  const { freeBusy: found, errors } = await done(freeBusy, ann, { userIds, ...day, ...more });
  const shown = found.map(({ username, slots }): [string, string] => [
    username,
    slots.map(({ start, end, type }) => `${start.slice(11, 16)}-${end.slice(11, 16)} ${type}`).join(', '),
  ]);
  return Object.fromEntries([...shown, ...Object.entries(errors).map(([name, { code }]) => [name, code])]);
}

// The same of everybody, whatever the reason is.
const message = 'You do not see when this member has time. Ask them to share a calendar with you.';
const unseen = { code: 'NOT_VISIBLE', message };

describe.each(bothEngines)('free and busy times on %s', (engine) => {
  it('are merged, without titles, and without what takes no time', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house, done } = scene;
    await groupOf(house, [ann, bob]);
    await add(scene, bob, '08:00', '09:00');
    await add(scene, bob, '08:30', '10:00', { visibility: 'PRIVATE' });
    await add(scene, bob, '10:00', '11:00', { status: 'TENTATIVE' });
    await add(scene, bob, '12:00', '13:00', { transparency: 'TRANSPARENT' });
    await add(scene, bob, '13:00', '14:00', { status: 'CANCELLED' });
    const series = await add(scene, bob, '22:00', '23:00', { rrule: 'FREQ=DAILY' });
    await done(updateEvent, bob, { id: `${series.id}_20260323T220000Z`, dtend: '2026-03-24T02:00:00Z', tzid: 'UTC' });
    expect(await busyOf(scene, ['bob'])).toEqual({
      bob: '08:00-10:00 BUSY, 10:00-11:00 BUSY-TENTATIVE, 22:00-00:00 BUSY',
    });
    // Beyond what is written of a series ahead it is computed.
    const later = { rangeStart: '2031-05-05T00:00:00Z', rangeEnd: '2031-05-06T00:00:00Z' };
    expect(await busyOf(scene, ['bob', bob.memberId, 'ann'], later)).toEqual({ bob: '22:00-23:00 BUSY', ann: '' });
    const whole = await done(freeBusy, ann, { userIds: ['bob'], ...day });
    expect(JSON.stringify(whole)).not.toContain('Secret');
  });

  it('are for those who are in one small group or channel, and of a shared calendar for whom it is shared with', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, house } = scene;
    await add(scene, bob, '08:00', '09:00');
    const work = await scene.calendarOf(bob);
    await add(scene, bob, '10:00', '11:00', { calendarId: work.id });
    await sendDirect(house, ann, bob, 'Hello');
    await channelOf(house, [bob, cleo]);
    const hidden = { bob: 'NOT_VISIBLE', cleo: 'NOT_VISIBLE', nobody: 'NOT_VISIBLE', ann: '' };
    expect(await busyOf(scene, ['bob', 'cleo', 'nobody', 'ann'])).toEqual(hidden);
    await scene.share(bob, work.id, ann, 'freebusy');
    expect(await busyOf(scene, ['bob', 'cleo'])).toEqual({ bob: '10:00-11:00 BUSY', cleo: 'NOT_VISIBLE' });
    const channel = await channelOf(house, [ann, bob], { name: 'small' });
    expect(await busyOf(scene, ['bob'])).toEqual({ bob: '08:00-09:00 BUSY, 10:00-11:00 BUSY' });
    const size = (count: number) =>
      house.ctx.db.updateTable('rooms').set({ member_count: count }).where('id', '=', channel).execute();
    await size(200);
    expect(await busyOf(scene, ['bob'])).toEqual({ bob: '08:00-09:00 BUSY, 10:00-11:00 BUSY' });
    await size(201);
    expect(await busyOf(scene, ['bob'])).toEqual({ bob: '10:00-11:00 BUSY' });
  });

  it('answer alike for whoever is unknown, suspended, parted by a block, or a stranger', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve] = [await house.register({ username: 'dan' }), await house.register({ username: 'eve' })];
    await groupOf(house, [ann, bob, cleo, dan]);
    for (const one of [bob, cleo, dan, eve]) await add(scene, one, '08:00', '09:00');
    await scene.block(bob, ann);
    await scene.block(ann, cleo);
    await scene.suspend(dan);
    const asked = async (name: string) => {
      const { result, statements } = await ownStatements(
        async () => await house.perform(freeBusy, { userIds: [name], ...day }, ann.token),
      );
      expect([result.status, result.body.errors, result.body.freeBusy]).toEqual([200, { [name]: unseen }, []]);
      return statements;
    };
    const unknown = await asked('0'.repeat(24));
    for (const { memberId } of [bob, cleo, dan, eve]) expect(await asked(memberId)).toEqual(unknown);
  });

  it('find times at which all are free, or as many as can be', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, house, done } = scene;
    await groupOf(house, [ann, bob, cleo]);
    await add(scene, ann, '09:00', '10:00');
    await add(scene, bob, '10:00', '10:30');
    await add(scene, cleo, '10:45', '12:00');
    const range = { rangeStart: '2026-03-23T09:00:00Z', rangeEnd: '2026-03-23T12:00:00Z', timezone: 'UTC' };
    const wanted = {
      requiredAttendees: ['ann', 'bob'],
      optionalAttendees: ['cleo', 'nobody'],
      durationMinutes: 30,
      ...range,
    };
    const find = async (more: object = {}) => await done(findAvailableTimes, ann, { ...wanted, ...more });
    const { slots, errors, timezone } = await find({ maxResults: 2 });
    expect({ slots, errors, timezone }).toEqual({
      slots: [
        {
          start: '2026-03-23T10:30:00.000Z',
          end: '2026-03-23T11:00:00.000Z',
          score: 2001,
          requiredFreeCount: 2,
          optionalFreeCount: 0,
          duringWorkingHours: true,
          conflicts: [cleo.memberId],
        },
        expect.objectContaining({ start: '2026-03-23T10:45:00.000Z' }),
      ],
      errors: { nobody: unseen },
      timezone: 'UTC',
    });
    const starts = async (more: object) =>
      (await find(more)).slots.map(({ start, score }) => `${start.slice(11, 16)} ${score}`);
    expect(await starts({ durationMinutes: 60, bufferMinutes: 15 })).toEqual(['10:45 2001', '11:00 2001']);
    expect(await starts({ includePartial: true, maxResults: 3, durationMinutes: 15 })).toEqual([
      '10:30 2011',
      '10:45 2001',
      '11:00 2001',
    ]);
    const evenings = { workingHours: { windows: [{ dayOfWeek: 1, startTime: '11:00', endTime: '12:00' }] } };
    expect(await starts({ ...evenings, durationMinutes: 60 })).toEqual(['11:00 2001', '10:30 2000', '10:45 2000']);
    const own = [{ userId: 'BOB', timezone: 'Asia/Tokyo', windows: evenings.workingHours.windows }];
    expect(await starts({ workingHoursOf: own, durationMinutes: 75 })).toEqual(['10:30 2000', '10:45 2000']);
    expect((await find({ requiredAttendees: ['nobody'] })).slots).toEqual([]);
  });

  it('refuse ranges and names that are none', async () => {
    await using scene = await openCalendars(engine);
    const { ann, refused } = scene;
    const invalid = '400 VALIDATION_ERROR';
    const ask = async (more: object) => await refused(freeBusy, ann, { userIds: ['ann'], ...day, ...more });
    expect(await ask({ userIds: [] })).toBe(invalid);
    expect(await ask({ userIds: Array.from({ length: 51 }, (_, at) => `m${at}`) })).toBe(invalid);
    expect(await ask({ rangeEnd: day.rangeStart })).toBe(invalid);
    expect(await ask({ rangeEnd: '2026-05-24T00:00:01Z' })).toBe(invalid);
    expect(await ask({ timezone: 'Moon/Sea' })).toBe(invalid);
    const find = { requiredAttendees: ['ann'], durationMinutes: 30, ...day };
    expect(await refused(findAvailableTimes, ann, { ...find, slotIntervalMinutes: 4 })).toBe(invalid);
    expect(
      await refused(findAvailableTimes, ann, { ...find, workingHours: { timezone: 'Moon/Sea', windows: [] } }),
    ).toBe(invalid);
    const many = Array.from({ length: 50 }, (_, at) => `m${at}`);
    expect(await refused(findAvailableTimes, ann, { ...find, optionalAttendees: many })).toBe(invalid);
  });
});
