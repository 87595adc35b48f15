import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars } from './calendar-scene.ts';

const { createCalendar, listCalendars, showCalendar, updateCalendar, deleteCalendar } = calendars;

describe.each(bothEngines)('calendars on %s', (engine) => {
  it('begin with a default one, of which two first requests make one', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    await house.ctx.db.updateTable('member_settings').set({ timezone: 'Europe/Berlin' }).execute();
    const [first, second] = await Promise.all([scene.done(listCalendars, ann, {}), scene.done(listCalendars, ann, {})]);
    expect(first).toEqual(second);
    expect(first.calendars).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        ownerId: ann.memberId,
        displayName: 'Calendar',
        color: '#1a73e8',
        description: '',
        timezone: 'Europe/Berlin',
        isDefault: true,
        isSubscription: false,
        permission: 'owner',
        shareCount: 0,
        ctag: '0',
        dateCreated: '2026-01-15T12:00:00.000Z',
        dateModified: '2026-01-15T12:00:00.000Z',
      },
    ]);
  });

  it('are created, listed by name, changed and deleted by their owner', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const made = await scene.calendarOf(ann, { displayName: 'Work 10', color: '#0A8', timezone: 'america/new_york' });
    expect(made).toMatchObject({ color: '#00aa88', timezone: 'America/New_York', isDefault: false, description: '' });
    await scene.calendarOf(ann, { displayName: 'Work 9', isDefault: true });
    const names = async () =>
      (await scene.done(listCalendars, ann, {})).calendars.map(
        (one) => `${one.displayName}${one.isDefault ? ' *' : ''}`,
      );
    expect(await names()).toEqual(['Calendar', 'Work 9 *', 'Work 10']);
    house.clock.advance(1_000);
    const { calendar } = await scene.done(updateCalendar, ann, {
      id: made.id,
      displayName: 'Garden / house',
      description: 'Trees\nand stones',
      timezone: 'Asia/Kolkata',
      isDefault: true,
    });
    expect(calendar).toEqual({
      ...made,
      displayName: 'Garden / house',
      description: 'Trees\nand stones',
      timezone: 'Asia/Kolkata',
      isDefault: true,
      dateModified: '2026-01-15T12:00:01.000Z',
    });
    expect(await scene.done(showCalendar, ann, { id: made.id })).toEqual({ calendar });
    expect(await names()).toEqual(['Calendar', 'Garden / house *', 'Work 9']);
    expect(await scene.refused(deleteCalendar, ann, { id: made.id })).toBe('409 DEFAULT_CALENDAR');
    const [first] = (await scene.done(listCalendars, ann, {})).calendars;
    await scene.done(updateCalendar, ann, { id: first!.id, isDefault: true });
    expect(await scene.done(deleteCalendar, ann, { id: made.id })).toEqual({ success: true });
    expect(await scene.refused(showCalendar, ann, { id: made.id })).toBe('404 NOT_FOUND');
    expect(await scene.refused(deleteCalendar, ann, { id: made.id })).toBe('404 NOT_FOUND');
    await scene.later(0);
    expect(await names()).toEqual(['Calendar *', 'Work 9']);
  });

  it('refuse what is none, and more than a member may have', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const wrong = async (more: object) => await scene.refused(createCalendar, ann, { displayName: 'Work', ...more });
    for (const more of [
      { displayName: '' },
      { displayName: '  ' },
      { displayName: '\u202ekroW' },
      { displayName: 'a'.repeat(256) },
      { color: 'red' },
      { color: '#12345' },
      { timezone: 'Europe/Atlantis' },
      { timezone: '+01:00' },
      { description: 'a'.repeat(2_001) },
    ])
      expect(await wrong(more), JSON.stringify(more)).toBe('400 VALIDATION_ERROR');
    const emoji = '📅'.repeat(255);
    expect((await scene.calendarOf(ann, { displayName: emoji })).displayName).toBe(emoji);
    const key = { 'idempotency-key': 'again' };
    const again = async () => await house.perform(createCalendar, { displayName: 'Once' }, ann.token, { headers: key });
    const [one, two] = [await again(), await again()];
    expect(two.body).toEqual(one.body);
    const { calendars: there } = await scene.done(listCalendars, ann, {});
    expect(there).toHaveLength(3);
    for (let count = there.length; count < calendarLimits.calendars - 1; count += 1) await scene.calendarOf(ann);
    const last = await Promise.all(
      ['x', 'y'].map(async (displayName) => (await house.perform(createCalendar, { displayName }, ann.token)).status),
    );
    expect(last.toSorted()).toEqual([201, 409]);
    expect(await wrong({})).toBe('409 CALENDARS_FULL');
  });

  it('are unknown to others, whatever they ask, and listed for those they are shared with', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const { id } = await scene.calendarOf(ann);
    const asked = async () => [
      await scene.refused(showCalendar, bob, { id }),
      await scene.refused(updateCalendar, bob, { id, displayName: 'Mine' }),
      await scene.refused(deleteCalendar, bob, { id }),
      await scene.refused(shares.listShares, bob, { calendarId: id }),
    ];
    expect(await asked()).toEqual(['404 NOT_FOUND', '404 NOT_FOUND', '404 NOT_FOUND', '404 NOT_FOUND']);
    await scene.share(ann, id, bob, 'editor');
    const { calendars: seen } = await scene.done(listCalendars, bob, {});
    expect(seen.map((one) => [one.displayName, one.permission, one.isDefault, one.shareCount])).toEqual([
      ['Calendar', 'owner', true, 0],
      ['Work', 'editor', false, 0],
    ]);
    expect((await asked()).slice(1)).toEqual(['403 FORBIDDEN', '403 FORBIDDEN', '403 FORBIDDEN']);
    expect((await scene.done(showCalendar, ann, { id })).calendar.shareCount).toBe(1);
  });
});
