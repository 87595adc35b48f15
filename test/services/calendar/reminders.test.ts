import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { notificationInbox } from '../../../src/contract/notifications/inbox.ts';
import { notificationPreferences } from '../../../src/contract/notifications/preferences.ts';
import type { JsonOperation, RawInputOf } from '../../../src/contract/operation.ts';
import { planJob } from '../../../src/platform/store/jobs/plans.ts';
import { bothEngines } from '../../support/stores.ts';
import { config } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openPushScene } from '../notifications/push-scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, updateEvent, deleteEvent } = events;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The clock of a house begins on 15 January 2026 at 12:00 UTC.
const times = { dtstart: '2026-01-15T15:00:00', dtend: '2026-01-15T16:00:00', tzid: 'Europe/Berlin' };
const before = (triggerMinutesBefore: number) => ({ triggerMinutesBefore });

async function add({ done, ann }: CalendarScene, more: RawInputOf<typeof createEvent> = {}) {
  return (await done(createEvent, ann, { summary: 'Tea', ...times, reminders: [before(30)], ...more })).event;
}

async function remindersOf({ house }: CalendarScene, { token }: HouseMember) {
  const { body } = await house.perform(notificationInbox.list, {}, token);
  return body.data.notifications.filter(({ type }: { type: string }) => type === 'event_reminder') as {
    content: string;
    targetId: string;
    category: string;
  }[];
}

describe.each(bothEngines)('reminders on %s', (engine) => {
  it('come at their time, each once, with the time in the zone of the member', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, later, house } = scene;
    const { id } = await add(scene, { reminders: [before(30), before(60), { trigger: 'PT0S', relatedTo: 'END' }] });
    const count = async () => (await remindersOf(scene, ann)).length;
    await later(HOUR - 1);
    expect(await count()).toBe(0);
    await later(1);
    expect(await remindersOf(scene, ann)).toMatchObject([
      { targetId: id, category: 'calendar', content: 'An event begins on 15 January 2026 at 14:00 (UTC).' },
    ]);
    await later(30 * MINUTE);
    expect(await count()).toBe(2);
    // The program ends before it has noted that it is done, and does it again.
    await house.ctx.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'calendar-reminders').execute();
    await later(1);
    expect(await count()).toBe(2);
    await later(2 * HOUR);
    expect(await count()).toBe(3);
    expect(await remindersOf(scene, bob)).toEqual([]);
    expect(await house.ctx.db.selectFrom('calendar_reminders').selectAll().execute()).toEqual([]);
  });

  it('move with their event, and end with it and with its calendar', async () => {
    await using scene = await openCalendars(engine);
    const { ann, done, later, house } = scene;
    const moved = await add(scene);
    const gone = await add(scene);
    const other = await scene.calendarOf(ann);
    await add(scene, { calendarId: other.id });
    await done(updateEvent, ann, { id: moved.id, dtstart: '2026-01-15T17:00:00', dtend: '2026-01-15T18:00:00' });
    await done(deleteEvent, ann, { id: gone.id });
    await done(calendars.deleteCalendar, ann, { id: other.id });
    await later(3 * HOUR);
    expect(await remindersOf(scene, ann)).toEqual([]);
    await later(HOUR);
    expect((await remindersOf(scene, ann)).map(({ targetId }) => targetId)).toEqual([moved.id]);
    expect(await house.ctx.db.selectFrom('calendar_reminders').selectAll().execute()).toEqual([]);
  });

  it(
    'of a series come with each instance, on the clock, and go on beyond what is written at once',
    { tags: 'thorough' },
    async () => {
      await using scene = await openCalendars(engine);
      const { later, house } = scene;
      await add(scene, { rrule: 'FREQ=WEEKLY;COUNT=12', reminders: [{ trigger: '-P1D' }] });
      for (let week = 0; week < 12; week += 1) await later(7 * DAY);
      // By now every session has ended.
      const found = await house.ctx.db.selectFrom('notifications').select('content').orderBy('created_at').execute();
      // The first one was due before the event was made. In summer the clocks of the series are an hour ahead.
      expect(found.map(({ content }) => content.slice('An event begins '.length).replace(' (UTC).', ''))).toEqual([
        'on 22 January 2026 at 14:00',
        'on 29 January 2026 at 14:00',
        'on 5 February 2026 at 14:00',
        'on 12 February 2026 at 14:00',
        'on 19 February 2026 at 14:00',
        'on 26 February 2026 at 14:00',
        'on 5 March 2026 at 14:00',
        'on 12 March 2026 at 14:00',
        'on 19 March 2026 at 14:00',
        'on 26 March 2026 at 14:00',
        'on 2 April 2026 at 13:00',
      ]);
      expect(await house.ctx.db.selectFrom('calendar_reminders').selectAll().execute()).toEqual([]);
    },
  );

  it('pass quiet hours, and wait for the end of Do Not Disturb', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, done, later, house } = scene;
    const prefer = async (who: HouseMember, operation: JsonOperation, input: object) =>
      expect((await house.perform(operation, input as never, who.token)).status).toBe(200);
    const quiet = { enabled: true, startTime: '00:00', endTime: '23:59', timezone: 'UTC' };
    await prefer(ann, notificationPreferences.setQuietHours, quiet);
    await prefer(bob, notificationPreferences.setDoNotDisturb, { enabled: true });
    await add(scene);
    await done(createEvent, bob, { summary: 'Tea', ...times, reminders: [before(30)] });
    await later(2 * HOUR);
    expect([(await remindersOf(scene, ann)).length, (await remindersOf(scene, bob)).length]).toEqual([1, 0]);
    await prefer(bob, notificationPreferences.setDoNotDisturb, { enabled: false });
    expect((await remindersOf(scene, bob)).length).toBe(1);
  });

  it('are mailed where they say so, once and in time', async () => {
    await using scene = await openCalendars(engine, { config });
    const { ann, later, house } = scene;
    const email = { action: 'EMAIL', triggerMinutesBefore: 30 } as const;
    await add(scene, { reminders: [email] });
    await add(scene, {
      summary: 'Late',
      ...times,
      dtstart: '2026-01-15T17:00:00',
      dtend: '2026-01-15T18:00:00',
      reminders: [email],
    });
    const mails = async () =>
      (await house.api('GET', '/api/emails/inbox', { token: ann.token })).body.data.emails.map(
        ({ subject }: { subject: string }) => subject,
      );
    await later(90 * MINUTE);
    expect(await mails()).toEqual(['Reminder: Tea']);
    // The node was down.
    await later(2 * HOUR + 15 * MINUTE);
    expect(await mails()).toEqual(['Reminder: Tea']);
    expect((await remindersOf(scene, ann)).length).toBe(2);
  });

  it('come again where they repeat, at the times that are left', async () => {
    await using scene = await openCalendars(engine);
    const { ann, later, house } = scene;
    await add(scene, { reminders: [{ triggerMinutesBefore: 30, repeat: 3, duration: 'PT10M' }] });
    const counts: number[] = [];
    await later(80 * MINUTE);
    for (let time = 0; time < 5; time += 1) {
      await later(10 * MINUTE);
      counts.push((await remindersOf(scene, ann)).length);
    }
    expect(counts).toEqual([1, 2, 3, 4, 4]);
    expect(await house.ctx.db.selectFrom('calendar_reminders').selectAll().execute()).toEqual([]);
  });

  it('come at the new time of what is moved when they are due', async () => {
    await using scene = await openCalendars(engine);
    const { ann, done, later, house } = scene;
    const { id } = await add(scene);
    // The node is down when it is due; the first thing that happens then is that the event is moved.
    house.clock.advance(91 * MINUTE);
    await done(updateEvent, ann, { id, dtstart: '2026-01-15T17:00:00', dtend: '2026-01-15T18:00:00' });
    await later(1);
    expect(await remindersOf(scene, ann)).toEqual([]);
    await later(2 * HOUR);
    expect((await remindersOf(scene, ann)).map(({ content }) => content)).toEqual([
      'An event begins on 15 January 2026 at 16:00 (UTC).',
    ]);
  });

  it('come of others when the event of one is damaged, and are mailed once when the program ends in between', async () => {
    await using scene = await openCalendars(engine, { config });
    const { ann, later, house } = scene;
    const { db } = house.ctx;
    const email = { action: 'EMAIL', triggerMinutesBefore: 30 } as const;
    const { id: bad } = await add(scene, { reminders: [email] });
    await db
      .updateTable('calendar_objects')
      .set({ sealed: new Uint8Array(64) })
      .where('id', '=', bad)
      .execute();
    const { id: good } = await add(scene, { reminders: [email] });
    await later(90 * MINUTE);
    const job = {
      id: `calendar-reminders/${ann.memberId}`,
      kind: 'calendar-reminders',
      payload: { memberId: ann.memberId },
    };
    const now = house.clock.now();
    await planJob(db, { ...job, runAt: now, now });
    await later(1);
    expect((await remindersOf(scene, ann)).map(({ targetId }) => targetId)).toEqual([good]);
    const { body } = await house.api('GET', '/api/emails/inbox', { token: ann.token });
    expect(body.data.emails).toHaveLength(1);
  });

  it('come of what happens so often that not all of it is written', { tags: 'thorough' }, async () => {
    await using scene = await openCalendars(engine);
    const { ann, later, house } = scene;
    await add(scene, { ...times, dtend: '2026-01-15T15:01:00', rrule: 'FREQ=HOURLY', reminders: [before(5)] });
    await later(2 * HOUR);
    await house.ctx.db.deleteFrom('event_runs').execute();
    await later(3 * HOUR);
    expect((await remindersOf(scene, ann)).length).toBe(4);
  });
});

describe.each(bothEngines)('push messages of reminders on %s', (engine) => {
  it('are sent at most once, whatever becomes of the first one', { tags: 'thorough' }, async () => {
    await using push = await openPushScene(engine);
    const { house, service } = push;
    const ann = await house.register({ username: 'ann' });
    await push.subscribe(ann);
    const made = await house.perform(createEvent, { summary: 'Tea', ...times, reminders: [before(30)] }, ann.token);
    expect(made.status).toBe(201);
    house.clock.advance(90 * MINUTE);
    await runDueJobs({ house }, 'calendar');
    // It comes, and its answer is lost.
    service.answers.push('hang');
    await push.deliver();
    house.clock.advance(5 * MINUTE);
    await push.deliver();
    expect(push.came().map(([, content]) => content)).toEqual(['An event begins on 15 January 2026 at 14:00 (UTC).']);
  });
});
