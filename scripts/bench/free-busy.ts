// How long it takes to say when 50 members are busy in a week, each with a daily meeting and some events of their own; next to
// reading the same rows by one bare statement.
// npx tsx scripts/bench/free-busy.ts [--members 50] [--events 400] [--small]
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../src/service/actor.ts';
import { transaction } from '../../src/service/context.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import type { GivenEvent } from '../../src/contract/calendar/event.ts';
import { newEvent } from '../../src/services/calendar/icalendar/fields/change.ts';
import { zonesOf, zonesOfObject } from '../../src/services/calendar/objects/known-zones.ts';
import { insertObject } from '../../src/services/calendar/objects/write.ts';
import { defaultCalendar, openContentKey } from '../../src/services/calendar/own-calendars.ts';
import { findAvailableTimes, freeBusy } from '../../src/services/calendar/scheduling.ts';
import { createGroup } from '../../src/services/chat/groups.ts';
import { withEngine } from './engine.ts';
import { memberRow } from './fill-social.ts';
import { inTurns, median, ratioOf, report, settings } from './harness.ts';

const { members, events } = settings({ members: 50, events: 400 }, { members: 5, events: 20 });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const measured = await withEngine(async ({ context: ctx }) => {
  const now = ctx.clock.now();
  const people = Array.from({ length: members }, (_, at) => {
    const { publicKey } = generateKeyPair();
    return memberRow(at, now, { id: memberIdOf(publicKey), publicKey: toHex(publicKey) });
  });
  await ctx.store.transaction(async (db) => await insertRows(db, 'members', people));
  const ids = people.map(({ id }) => id);
  const as = (memberId: string): Actor => ({ memberId }) as Actor;
  const [owner = '', ...others] = ids;
  await createGroup(ctx, as(owner), { name: 'Bench', memberIds: others, mode: 'server' });
  const at = (ms: number): string => new Date(ms).toISOString();
  const monday = now - (now % DAY) + 7 * DAY;
  for (const [place, memberId] of ids.entries()) {
    const calendar = await defaultCalendar(ctx, memberId);
    const key = openContentKey(ctx, calendar);
    const zones = zonesOfObject(zonesOf(ctx), calendar.zone, ['vcalendar', [], []]);
    const given: GivenEvent[] = [
      { summary: 'Standup', dtstart: at(monday - 30 * DAY + 9 * HOUR), duration: 'PT15M', rrule: 'FREQ=DAILY' },
    ];
    for (let index = 0; index < events; index += 1) {
      const start = monday - 60 * DAY + ((index * 7_919 + place * 1_201) % (120 * 24)) * HOUR;
      given.push({ summary: 'Meeting', dtstart: at(start), duration: 'PT1H' });
    }
    await transaction(ctx, async (tx) => {
      for (const one of given) {
        const event = newEvent(randomUUID(), one, { ...zones, now, memberOf: () => undefined });
        await insertObject(tx, { ...calendar, key }, { object: ['vcalendar', [], [event]], createdBy: memberId });
      }
    });
  }
  const range = { rangeStart: at(monday), rangeEnd: at(monday + 7 * DAY), timezone: 'Europe/Berlin' };
  const { busy, times, bare } = await inTurns(21, {
    busy: async () => await freeBusy(ctx, as(owner), { userIds: ids, ...range }),
    times: async () =>
      await findAvailableTimes(ctx, as(owner), {
        requiredAttendees: ids.slice(0, 25),
        optionalAttendees: ids.slice(25, 50),
        durationMinutes: 30,
        slotIntervalMinutes: 15,
        bufferMinutes: 0,
        maxResults: 50,
        includePartial: true,
        ...range,
      }),
    bare: async () =>
      await ctx.db
        .selectFrom('event_runs')
        .selectAll()
        .where('start_at', '>', monday - 31 * DAY)
        .where('start_at', '<', monday + 7 * DAY)
        .execute(),
  });
  const beside = { nextTo: 'reading the same rows by one statement', unit: 'ms' } as const;
  return [
    {
      what: `free and busy times of ${members} members in a week`,
      value: median(busy),
      ratio: ratioOf(busy, bare),
      ratioAtMost: 3,
      atMost: 80,
      ...beside,
    },
    {
      what: `times for ${members} members in a week`,
      value: median(times),
      ratio: ratioOf(times, bare),
      ratioAtMost: 4,
      atMost: 120,
      ...beside,
    },
  ];
});

report('Free and busy', measured);
