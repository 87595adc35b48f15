// How long it takes to import 10,000 events into a calendar, next to inserting the same rows and nothing else into a store of its own, and how
// long the event loop stands still meanwhile.
// Run: npx tsx scripts/bench/calendar.ts [--events 10000] [--rounds 3] [--engine sqljs] [--small]
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { transaction, type Context } from '../../src/service/context.ts';
import type { Tables } from '../../src/platform/store/tables/tables.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import { openFile } from '../../src/services/calendar/imports/given-file.ts';
import { importObjects } from '../../src/services/calendar/imports/import-objects.ts';
import { nothing } from '../../src/services/calendar/imports/notes.ts';
import { zonesOf } from '../../src/services/calendar/objects/known-zones.ts';
import { insertCalendar } from '../../src/services/calendar/own-calendars.ts';
import { withEngine } from './engine.ts';
import { memberRow } from './fill-social.ts';
import { inTurns, median, type Measured, ratioOf, report, settings } from './harness.ts';

const { events, rounds, engine } = settings({ events: 10_000, rounds: 3, engine: 'sqljs' }, { events: 500, rounds: 1 });

/** Rows of one statement, and objects of one transaction, as an import has them. */
const ROWS = 16;
const TOGETHER = 50;

report(
  `Calendars on ${engine}`,
  await withEngine(
    async ({ context: ours }) =>
      await withEngine(async ({ context: bare }) => [...(await importing(ours, bare))], engine),
    engine,
  ),
);

async function importing(ctx: Context, bare: Context): Promise<Measured[]> {
  const member = memberRow(1, ctx.clock.now());
  await insertRows(ctx.db, 'members', [member]);
  const memberId = member.id;
  const file = Buffer.from(fileOf(events));
  const stalls: number[] = [];
  let calendarId = '';
  const times = await inTurns(rounds, {
    ours: async (round) => {
      const about = { owner_id: memberId, name: `Round ${round}`, color: '#1a73e8', about: '', zone: 'Europe/Berlin' };
      calendarId = (await transaction(ctx, async (tx) => await insertCalendar(tx, about))).id;
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const began = performance.now();
      const asked = { memberId, calendarId, mode: 'skip', assertAllowed: async () => {} } as const;
      const { result } = await importObjects(ctx, asked, await openFile(file, zonesOf(ctx)), nothing);
      const took = performance.now() - began;
      delay.disable();
      if (result.imported !== events) throw new Error(`imported ${JSON.stringify(result)}`);
      if (round >= 0) stalls.push(delay.max / 1e6);
      return took;
    },
    bare: async () => await insertSame(ctx, bare, calendarId),
  });
  return [
    {
      what: `import of ${events} events`,
      value: median(times.ours),
      unit: 'ms',
      nextTo: `inserting their rows, ${median(times.bare).toFixed(0)} ms`,
      ratio: ratioOf(times.ours, times.bare),
      atMost: 5_000,
      ratioAtMost: 5,
    },
    { what: 'the event loop stands still meanwhile', value: median(stalls), unit: 'ms', atMost: 20 },
  ];
}

/** @returns milliseconds */
async function insertSame(from: Context, to: Context, calendarId: string): Promise<number> {
  const objects = await from.db
    .selectFrom('calendar_objects')
    .selectAll()
    .where('calendar_id', '=', calendarId)
    .execute();
  const instances = await from.db.selectFrom('event_runs').selectAll().where('calendar_id', '=', calendarId).execute();
  const ofObject = new Map<string, Tables['event_runs'][]>();
  for (const row of instances) ofObject.set(row.object_id, [...(ofObject.get(row.object_id) ?? []), row]);
  const space = await from.db
    .selectFrom('search_spaces')
    .select('id')
    .where('name', '=', `calendar:${calendarId}`)
    .executeTakeFirstOrThrow();
  const documents = await from.db.selectFrom('search_documents').selectAll().where('space', '=', space.id).execute();
  const document = new Map(documents.map((row) => [row.id, row]));
  const began = performance.now();
  for (let at = 0; at < objects.length; at += TOGETHER) {
    const some = objects.slice(at, at + TOGETHER);
    await transaction(to, async (tx) => {
      await insertIn(tx, 'calendar_objects', some);
      await insertIn(
        tx,
        'event_runs',
        some.flatMap(({ id }) => ofObject.get(id) ?? []),
      );
      await insertIn(
        tx,
        'search_documents',
        some.flatMap(({ id }) => document.get(id) ?? []),
      );
    });
  }
  return performance.now() - began;
}

async function insertIn<Name extends keyof Tables>(
  tx: Context,
  table: Name,
  rows: readonly Tables[Name][],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS) await insertRows(tx.db, table, rows.slice(at, at + ROWS));
}

/** Each tenth event repeats. */
function fileOf(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const day = String(1 + (at % 28)).padStart(2, '0');
    return [
      'BEGIN:VEVENT',
      `UID:bench-${at}@example.com`,
      'DTSTAMP:20260101T000000Z',
      `DTSTART;TZID=Europe/Berlin:202603${day}T100000`,
      `DTEND;TZID=Europe/Berlin:202603${day}T110000`,
      ...(at % 10 === 0 ? ['RRULE:FREQ=WEEKLY;COUNT=10'] : []),
      `SUMMARY:Meeting ${at} about something`,
      'LOCATION:Room 4',
      'DESCRIPTION:What is said of it\\, in some words that are found.',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      'END:VALARM',
      'END:VEVENT',
    ].join('\r\n');
  });
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Bench//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}
