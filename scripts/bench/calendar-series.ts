// What a calendar with 5,000 series of one event a week costs: writing the rows of all instances from a year back to two years ahead, a page of
// a month, and adding events 32 at a time, each next to the bare statements in a store of its own.
// Run: npx tsx scripts/bench/calendar-series.ts [--series 5000] [--rounds 5] [--engine sqljs] [--small]
import { transaction, type Context } from '../../src/service/context.ts';
import type { Actor } from '../../src/service/actor.ts';
import type { Tables } from '../../src/platform/store/tables/tables.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import { createEvent, listEvents } from '../../src/services/calendar/events.ts';
import { calendarSpace } from '../../src/services/calendar/indexing.ts';
import type { JcalComponent } from '../../src/services/calendar/icalendar/jcal.ts';
import { insertPrepared, type PreparedObject, prepareObject } from '../../src/services/calendar/objects/write.ts';
import { insertCalendar, openContentKey } from '../../src/services/calendar/own-calendars.ts';
import { createTurns } from '../../src/services/calendar/turns.ts';
import { withEngine } from './engine.ts';
import { memberRow } from './fill-social.ts';
import { inTurns, median, type Measured, ratioOf, report, settings } from './harness.ts';

const { series, rounds, engine } = settings({ series: 5_000, rounds: 5, engine: 'sqljs' }, { series: 200, rounds: 1 });

/** Series of one transaction: as many as a step of 10 ms has room for. */
const TOGETHER = 6;
const CONNECTIONS = 32;
const DAY = 86_400_000;

report(
  `Series of calendars on ${engine}`,
  await withEngine(
    async ({ context: ours }) => await withEngine(async ({ context: bare }) => await measured(ours, bare), engine),
    engine,
  ),
);

async function measured(ctx: Context, bare: Context): Promise<Measured[]> {
  const now = ctx.clock.now();
  const member = memberRow(1, now);
  await insertRows(ctx.db, 'members', [member]);
  const about = { owner_id: member.id, name: 'Series', color: '#1a73e8', about: '', zone: 'Europe/Berlin' };
  const calendar = await transaction(ctx, async (tx) => await insertCalendar(tx, about));
  const written = await writing(ctx, calendar);
  const same = await inserting(ctx, bare, calendar.id);
  const sessionId = 'bench';
  const session = { id: sessionId, member_id: member.id, jti_hash: sessionId, sealed_key: null, user_agent: '' };
  await insertRows(ctx.db, 'sessions', [{ ...session, created_at: now, last_used_at: now, expires_at: now + DAY }]);
  const actor = { memberId: member.id, sessionId } as unknown as Actor;
  const range = { start: new Date(now).toISOString(), end: new Date(now + 30 * DAY).toISOString() };
  const single = await insertedCalendar(ctx, about);
  let number = 0;
  const times = await inTurns(rounds, {
    month: async () =>
      await spentBy(async () => await listEvents(ctx, actor, { calendarId: [calendar.id], ...range } as never)),
    create: async () => await spentBy(async () => await eachOf(async () => await create(ctx, actor, single, number++))),
    rows: async () => await bareRows(ctx, bare, single),
  });
  return [
    {
      what: `the rows of ${written.events} events of ${series} series`,
      value: written.cpu / 1000,
      unit: 's of the processor',
      nextTo: `inserting them, ${(same / 1000).toFixed(1)} s`,
      ratio: written.cpu / same,
      atMost: 5,
    },
    { what: 'a transaction of them', value: written.usual, unit: 'ms of the processor', atMost: 10 },
    {
      what: 'a page of a month of them, 1,000 events',
      value: median(times.month),
      unit: 'ms of the processor',
      atMost: 60,
    },
    {
      what: `adding ${CONNECTIONS} events at once`,
      value: median(times.create),
      unit: 'ms of the processor',
      nextTo: `their rows, ${median(times.rows).toFixed(1)} ms`,
      ratio: ratioOf(times.create, times.rows),
    },
  ];
}

async function insertedCalendar(ctx: Context, about: Parameters<typeof insertCalendar>[1]): Promise<string> {
  return (await transaction(ctx, async (tx) => await insertCalendar(tx, { ...about, name: 'Single' }))).id;
}

/** Milliseconds of the processor: other work on the machine hardly moves them. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function spentBy(work: () => Promise<unknown>): Promise<number> {
  const began = spent();
  await work();
  return spent() - began;
}

async function writing(ctx: Context, calendar: Tables['calendars']) {
  const key = openContentKey(ctx, calendar);
  const writable = { ...calendar, key, space: calendarSpace({ id: calendar.id, key }) };
  const turns = createTurns();
  const began = spent();
  // Asking for the time of the processor takes as long as much of this work: few transactions are measured by themselves.
  const each: number[] = [];
  let events = 0;
  for (let at = 0; at < series; at += TOGETHER) {
    const all: PreparedObject[] = [];
    for (let number = at; number < Math.min(series, at + TOGETHER); number += 1) {
      all.push(prepareObject(ctx, writable, { object: weekly(number), createdBy: calendar.owner_id }));
      await turns.take();
    }
    events += all.reduce((sum, { instances }) => sum + instances.length, 0);
    const work = async () => await transaction(ctx, async (tx) => await insertPrepared(tx, calendar, all));
    if (at % (TOGETHER * 20) === 0) each.push(await spentBy(work));
    else await work();
  }
  return { events, usual: median(each), cpu: spent() - began };
}

function weekly(number: number): JcalComponent {
  const two = (value: number): string => String(value).padStart(2, '0');
  const at = `2024-03-${two(1 + ((number * 7919) % 28))}T${two(8 + ((number * 31) % 10))}:${two(((number * 13) % 4) * 15)}`;
  const zone = { tzid: 'Europe/Berlin' };
  return [
    'vcalendar',
    [],
    [
      [
        'vevent',
        [
          ['uid', {}, 'text', `series-${number}@example.com`],
          ['dtstart', zone, 'date-time', `${at}:00`],
          ['duration', {}, 'duration', 'PT45M'],
          ['rrule', {}, 'recur', { freq: 'WEEKLY' }],
          ['summary', {}, 'text', `Meeting ${number} about something`],
        ],
        [],
      ],
    ],
  ];
}

/** @returns milliseconds of the processor for inserting the same rows with statements of 16 rows */
async function inserting(from: Context, to: Context, calendarId: string): Promise<number> {
  const { db } = from;
  const objects = await db.selectFrom('calendar_objects').selectAll().where('calendar_id', '=', calendarId).execute();
  let took = 0;
  for (let at = 0; at < objects.length; at += TOGETHER) {
    const some = objects.slice(at, at + TOGETHER);
    const ids = some.map(({ id }) => id);
    const rows = await db.selectFrom('event_runs').selectAll().where('object_id', 'in', ids).execute();
    const began = spent();
    await transaction(to, async (tx) => {
      await insertRows(tx.db, 'calendar_objects', some);
      for (let row = 0; row < rows.length; row += 16) await insertRows(tx.db, 'event_runs', rows.slice(row, row + 16));
    });
    took += spent() - began;
  }
  return took;
}

async function eachOf(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

async function create(ctx: Context, actor: Actor, calendarId: string, number: number): Promise<unknown> {
  const dtstart = `2026-03-${String(1 + (number % 28)).padStart(2, '0')}T10:00:00`;
  return await createEvent(ctx, actor, {
    calendarId,
    summary: `Meeting ${number}`,
    dtstart,
    duration: 'PT1H',
    notify: false,
  });
}

/** The rows of as many events as were added last, each in a transaction of its own. */
async function bareRows(from: Context, to: Context, calendarId: string): Promise<number> {
  const { db } = from;
  const objects = await db
    .selectFrom('calendar_objects')
    .selectAll()
    .where('calendar_id', '=', calendarId)
    .orderBy('change_seq', 'desc')
    .limit(CONNECTIONS)
    .execute();
  const ids = objects.map(({ id }) => id);
  const instances = await db.selectFrom('event_runs').selectAll().where('object_id', 'in', ids).execute();
  const documents = await db.selectFrom('search_documents').selectAll().where('id', 'in', ids).execute();
  const pending = await db.selectFrom('search_pending').selectAll().where('id', 'in', ids).execute();
  const began = spent();
  await Promise.all(
    objects.map(
      async (object) =>
        await transaction(to, async (tx) => {
          const ofObject = <T extends { readonly id: string }>(all: readonly T[]) =>
            all.filter(({ id }) => id === object.id);
          await insertRows(tx.db, 'calendar_objects', [object]);
          await insertRows(
            tx.db,
            'event_runs',
            instances.filter(({ object_id: id }) => id === object.id),
          );
          await insertRows(tx.db, 'search_documents', ofObject(documents));
          await insertRows(tx.db, 'search_pending', ofObject(pending));
        }),
    ),
  );
  return spent() - began;
}
