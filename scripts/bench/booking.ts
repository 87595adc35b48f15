// Free times of a booking page: 60 days over 10 calendars with many events, next to reading the same rows of instances bare. On the embedded engine, in
// one process, without what is kept of earlier answers.
// npx tsx scripts/bench/booking.ts [--calendars 10] [--events 300 (of each, weekly series among them)] [--rounds 31] [--small]
import type { Actor } from '../../src/service/actor.ts';
import type { Context } from '../../src/service/context.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { insertRows, writtenQuery } from '../../src/platform/store/written-query.ts';
import { bookableSlots } from '../../src/services/calendar/booking/find-slots.ts';
import { openContentKey, insertCalendar } from '../../src/services/calendar/own-calendars.ts';
import { newEvent } from '../../src/services/calendar/icalendar/fields/change.ts';
import { zonesOf, zonesOfObject } from '../../src/services/calendar/objects/known-zones.ts';
import { insertObject } from '../../src/services/calendar/objects/write.ts';
import { checkedTypes } from '../../src/services/calendar/booking/page-input.ts';
import {
  pageKeyPurpose,
  requirePublicPage,
  sealJson,
  settingsPurpose,
} from '../../src/services/calendar/booking/page-rows.ts';
import { sealedContentKey } from '../../src/shared/content-keys/content-keys.ts';
import { withEngine } from './engine.ts';
import { memberRow } from './fill-social.ts';
import { inTurns, median, ratioOf, report, settings } from './harness.ts';

const { calendars, events, rounds } = settings(
  { calendars: 10, events: 300, rounds: 31 },
  { calendars: 2, events: 20, rounds: 3 },
);

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Milliseconds that 60 days may take, on a machine that does nothing else. */
const MOST_MS = 60;
const DAYS = 60;
const zone = 'Europe/Berlin';
const slug = 'bench-page';
const everyDay = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: '06:00', endTime: '22:00' }));

const instances = writtenQuery(`
  select object_id, start_at, end_at from event_runs
  where calendar_id = $1 and long = 0 and start_at > $2 and start_at < $3 and opaque = 1`);

await withEngine(async ({ context: ctx }) => {
  const { ids, now } = await fill(ctx);
  const from = Math.floor(now / DAY) * DAY;
  const range = { from, to: from + DAYS * DAY };
  let version = 0;
  let found = 0;
  const measured = await inTurns(rounds, {
    ours: async () => {
      const page = await requirePublicPage(ctx, slug);
      const [type] = page.settings.appointmentTypes;
      if (type === undefined) throw new Error('the page has no kinds');
      // As after a change: nothing that was kept serves.
      const fresh = { ...page, row: { ...page.row, modified_at: (version += 1) } };
      found = (await bookableSlots(ctx, fresh, type, range)).length;
    },
    bare: async () => {
      for (const id of ids) await ctx.db.executeQuery(instances(id, range.from - 31 * DAY, range.to));
    },
  });
  report(`${DAYS} days of free times over ${calendars} calendars with ${events} events each: ${found}`, [
    {
      what: 'free times',
      value: median(measured.ours),
      unit: 'ms',
      nextTo: `reading the rows: ${median(measured.bare).toFixed(1)} ms`,
      ratio: ratioOf(measured.ours, measured.bare),
      atMost: MOST_MS,
      ratioAtMost: 3,
    },
  ]);
});

/** A host with calendars, a fifth of whose events are weekly series. */
async function fill(ctx: Context): Promise<{ ids: string[]; now: number }> {
  const now = ctx.clock.now();
  const { publicKey } = generateKeyPair();
  const memberId = memberIdOf(publicKey);
  await insertRows(ctx.db, 'members', [memberRow(0, now, { id: memberId, publicKey: toHex(publicKey) })]);
  const ids: string[] = [];
  for (let at = 0; at < calendars; at += 1) ids.push(await calendarOf(ctx, { memberId }, now, at));
  const given = {
    name: 'Talk',
    durationMinutes: 30,
    slotIntervalMinutes: 15,
    availableWindows: everyDay,
    seats: 1,
    requiresConfirmation: false,
    active: true,
  };
  const id = toHex(ctx.random(16));
  const place = { id, content_key: sealedContentKey(ctx, pageKeyPurpose(id)) };
  const page = {
    title: 'Bench',
    description: '',
    timezone: zone,
    appointmentTypes: checkedTypes(ctx, [given]),
    minNoticeMinutes: 0,
    maxAdvanceDays: 365,
  };
  const row = { ...place, owner_id: memberId, slug, active: 1, created_at: now, modified_at: now, deleted_at: null };
  await insertRows(ctx.db, 'booking_pages', [{ ...row, sealed: sealJson(ctx, place, settingsPurpose(id), page) }]);
  return { ids, now };
}

async function calendarOf(
  ctx: Context,
  { memberId }: Pick<Actor, 'memberId'>,
  now: number,
  at: number,
): Promise<string> {
  const about = { owner_id: memberId, name: `Calendar ${at}`, color: '#1a73e8', about: '', zone };
  const row = await insertCalendar(ctx, about);
  const key = openContentKey(ctx, row);
  const zones = zonesOfObject(zonesOf(ctx), zone, ['vcalendar', [], []]);
  for (let index = 0; index < events; index += 1) {
    // In the mornings, so that the afternoons are free.
    const start = (Math.floor(now / DAY) + ((index * 37 + at * 11) % DAYS)) * DAY + (5 + (index % 6)) * HOUR;
    const times = { dtstart: new Date(start).toISOString(), dtstartTzid: zone, duration: 'PT30M' };
    const rule = index % 5 === 0 ? { rrule: 'FREQ=WEEKLY' } : {};
    const event = newEvent(
      `bench-${at}-${index}`,
      { summary: 'Busy', ...times, ...rule },
      { ...zones, now, memberOf: () => undefined },
    );
    await ctx.store.transaction(
      async (db) =>
        await insertObject(
          { ...ctx, db },
          { ...row, key },
          { object: ['vcalendar', [], [event]], createdBy: memberId },
        ),
    );
  }
  return row.id;
}
