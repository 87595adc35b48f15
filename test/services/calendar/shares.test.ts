import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { bothEngines } from '../../support/stores.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { openCalendars } from './calendar-scene.ts';

const { listCalendars, showCalendar, deleteCalendar } = calendars;
const { shareCalendar, listShares, removeShare } = shares;
const HOUR = 3_600_000;

describe.each(bothEngines)('shares of calendars on %s', (engine) => {
  it('are given, listed and ended by the owner, and ended by whoever has them', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    const { share } = await scene.done(shareCalendar, ann, { calendarId, grantedToUserId: 'BOB' });
    expect(share).toEqual({
      id: expect.any(String),
      calendarId,
      grantedTo: { id: bob.memberId, username: 'bob' },
      permission: 'viewer',
      createdAt: '2026-01-15T12:00:00.000Z',
    });
    const second = await scene.share(ann, calendarId, cleo, 'freebusy');
    expect((await scene.done(listShares, ann, { calendarId })).shares.map(({ id }) => id).toSorted()).toEqual(
      [share.id, second].toSorted(),
    );
    expect(await scene.refused(shareCalendar, ann, { calendarId, grantedToUserId: bob.memberId })).toBe('409 CONFLICT');
    expect(await scene.refused(shareCalendar, bob, { calendarId, grantedToUserId: 'cleo' })).toBe('403 FORBIDDEN');
    expect(await scene.refused(removeShare, bob, { calendarId, shareId: second })).toBe('403 FORBIDDEN');
    expect(await scene.done(removeShare, bob, { calendarId, shareId: share.id })).toEqual({ success: true });
    expect(await scene.refused(showCalendar, bob, { id: calendarId })).toBe('404 NOT_FOUND');
    expect(await scene.refused(removeShare, ann, { calendarId, shareId: share.id })).toBe('404 NOT_FOUND');
    await scene.done(removeShare, ann, { calendarId, shareId: second });
    expect(await scene.done(listShares, ann, { calendarId })).toEqual({ shares: [] });
  });

  it('answer alike for who is unknown, suspended, or parted by a block', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve] = [await house.register(), await house.register()];
    const { id: calendarId } = await scene.calendarOf(ann);
    await scene.block(bob, ann);
    await scene.block(ann, cleo);
    await scene.suspend(dan);
    const asked = async (grantedToUserId: string) => {
      const { result, statements } = await ownStatements(
        async () => await house.perform(shareCalendar, { calendarId, grantedToUserId }, ann.token),
      );
      return { status: result.status, body: result.body, statements };
    };
    const unknown = await asked('0'.repeat(24));
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    for (const { memberId } of [bob, cleo, dan]) expect(await asked(memberId)).toEqual(unknown);
    expect((await asked(eve.memberId)).status).toBe(201);
    expect(await scene.refused(shareCalendar, ann, { calendarId, grantedToUserId: ann.memberId })).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('open nothing after their end, after a block, or while the owner is suspended', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    const past = { calendarId, grantedToUserId: 'bob', expiresAt: '2026-01-15T12:00:00Z' };
    expect(await scene.refused(shareCalendar, ann, past)).toBe('400 VALIDATION_ERROR');
    await scene.done(shareCalendar, ann, { ...past, expiresAt: '2026-01-15T13:00:00Z' });
    const sees = async (who: typeof bob) =>
      (await scene.done(listCalendars, who, {})).calendars.some(({ id }) => id === calendarId);
    expect(await sees(bob)).toBe(true);
    await scene.later(HOUR);
    expect(await sees(bob)).toBe(false);
    expect(await scene.refused(showCalendar, bob, { id: calendarId })).toBe('404 NOT_FOUND');
    expect(await scene.done(listShares, ann, { calendarId })).toEqual({ shares: [] });
    // One that has ended is in the way of no new one.
    await scene.share(ann, calendarId, bob);
    await scene.share(ann, calendarId, cleo);
    await scene.block(bob, ann);
    expect([await sees(bob), await sees(cleo)]).toEqual([false, true]);
    expect(await scene.refused(showCalendar, bob, { id: calendarId })).toBe('404 NOT_FOUND');
    await scene.suspend(ann);
    expect(await sees(cleo)).toBe(false);
  });

  it('end with the calendar', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    await scene.share(ann, calendarId, bob);
    await scene.done(deleteCalendar, ann, { id: calendarId });
    expect(await house.ctx.db.selectFrom('calendar_shares').selectAll().execute()).toEqual([]);
  });
});
