import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/base/problem.ts';
import type { CalendarObjectRow, EventRunRow } from '../../../src/platform/store/tables/calendars.ts';
import type { Actor } from '../../../src/service/actor.ts';
import type { Context } from '../../../src/service/context.ts';
import { calendarsOf } from '../../../src/services/calendar/access.ts';
import { listChanges } from '../../../src/services/calendar/events/list-changes.ts';
import { instancesIn } from '../../../src/services/calendar/events/instances-in.ts';
import { horizonHandler } from '../../../src/services/calendar/objects/horizon.ts';
import { publicText } from '../../../src/services/calendar/links/public-text.ts';
import { filterEvents } from '../../../src/services/calendar/search.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { plansOf } from '../../support/plans.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars } from './calendar-scene.ts';

const DAY = 86_400_000;
const CALENDARS = 20;
const OBJECTS = 3_000;
/** The first calendar has half of all objects: an engine may as well read all of a small one and sort it, now so and now so. */
const calendarAt = (number: number) => (number % 2 === 0 ? 0 : number % CALENDARS);

/** What shows that an engine reads a whole table, or all of one calendar where a range was asked. */
const whole = {
  sqljs:
    /^SCAN (?:c|s|o|i|calendars|calendar_shares|calendar_objects|calendar_tombstones|event_runs)\b(?! USING INDEX)|AUTOMATIC/m,
  postgres: /Seq Scan on (?:calendars|calendar_shares|calendar_objects|calendar_tombstones|event_runs)\b/,
} as const;

describe.each(bothEngines)('the indexes of calendars on %s', (engine) => {
  it('are used by lists, ranges, changes and jobs', async () => {
    await using scene = await openCalendars(engine);
    const { house, ann } = scene;
    const { db } = house.ctx;
    const now = house.clock.now();
    const ids: string[] = [];
    for (let at = 0; at < CALENDARS; at += 1) ids.push((await scene.calendarOf(ann)).id);
    await scene.done(events.createEvent, ann, {
      calendarId: ids[0]!,
      summary: 'One',
      dtstart: '2026-03-23T09:00:00',
      tzid: 'UTC',
    });
    const first = await db.selectFrom('calendar_objects').selectAll().executeTakeFirstOrThrow();
    const at = await db.selectFrom('event_runs').selectAll().executeTakeFirstOrThrow();
    const objects: CalendarObjectRow[] = [];
    const instances: EventRunRow[] = [];
    for (let number = 0; number < OBJECTS; number += 1) {
      const id = number.toString(16).padStart(32, '0');
      const calendarId = ids[calendarAt(number)]!;
      objects.push({
        ...first,
        id,
        calendar_id: calendarId,
        name: id,
        uid_key: id,
        // What is due is little among much.
        written_from: number % 10 === 0 ? now - 366 * DAY : null,
        written_to: number % 10 === 0 ? now + (number % 100 === 0 ? 690 : 732) * DAY : null,
        change_seq: number + 10,
      });
      for (let day = 0; day < 3; day += 1)
        instances.push({
          ...at,
          object_id: id,
          calendar_id: calendarId,
          recurrence: day,
          start_at: now + (number + day) * DAY,
          end_at: now + (number + day) * DAY + 3_600_000,
          duration: 3_600_000,
        });
    }
    const tombstones = objects.map(({ id, calendar_id: calendarId, change_seq: seq }) => ({
      calendar_id: calendarId,
      name: `gone ${id}`,
      object_id: id,
      change_seq: seq + OBJECTS,
      deleted_at: now - (seq % 80) * DAY,
    }));
    for (let from = 0; from < instances.length; from += 250) {
      const some = <T>(all: readonly T[]) => all.slice(from, from + 250);
      await db.insertInto('event_runs').values(some(instances)).execute();
      if (from >= OBJECTS) continue;
      await db.insertInto('calendar_objects').values(some(objects)).execute();
      await db.insertInto('calendar_tombstones').values(some(tombstones)).execute();
    }
    if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
    const { memberId } = ann;
    const mine = async (ctx: Context) => await calendarsOf(ctx, memberId);
    const expectIndexed = async (run: (ctx: Context) => Promise<unknown>, ...used: readonly string[]) => {
      const plan = await plansOf(
        scene,
        async (ctx) => {
          // What was written here opens nowhere: it is sealed for another place.
          await run(ctx).catch((error: unknown) => {
            if (!(error instanceof Problem && error.code === 'STORE_DAMAGED')) throw error;
          });
        },
        true,
      );
      for (const name of used) expect(plan).toContain(name);
      expect(plan).not.toMatch(whole[engine]);
    };
    await expectIndexed(mine, 'calendars_owner', 'calendar_shares_');
    await expectIndexed(
      async (ctx) => await instancesIn(ctx, await mine(ctx), { from: now, to: now + 30 * DAY }, 250),
      'event_runs_time',
      // Of the index only what is of these periods.
      ...(engine === 'sqljs' ? ['<expr>>? AND <expr><?'] : []),
      'calendar_objects_later',
      'calendar_objects_earlier',
    );
    const shared = await db.selectFrom('calendars').selectAll().where('id', '=', ids[0]!).executeTakeFirstOrThrow();
    await expectIndexed(
      async (ctx) => {
        for await (const piece of publicText(ctx, shared, 'freebusy')) expect(piece).toBeDefined();
      },
      'event_runs_time',
      ...(engine === 'sqljs' ? ['<expr>>?)', '<expr>=? AND (object_id,recurrence)>(?,?)'] : []),
    );
    const wanted = { memberId, updatedSince: undefined, syncToken: undefined };
    await db.updateTable('calendars').set({ change_seq: 10_000 }).execute();
    const one = (await mine(house.ctx)).filter(({ id }) => id === ids[0]);
    await expectIndexed(
      async (ctx) => await listChanges(ctx, { ...wanted, calendars: one }, { limit: 50 }),
      'calendar_objects_changes',
    );
    // So that little has changed since: of much, reading all and sorting it costs the same.
    const syncToken = `${ids[0]!}.${2 * OBJECTS - 100}`;
    await expectIndexed(
      async (ctx) => await listChanges(ctx, { ...wanted, calendars: one, syncToken }, { limit: 50 }),
      'calendar_objects_changes',
      'calendar_tombstones_changes',
    );
    const actor = { memberId } as Actor;
    await expectIndexed(
      async (ctx) =>
        await filterEvents(ctx, actor, { calendarId: ids[0]!, start: '2026-03-23', end: '2026-03-24', limit: 5 }),
      'calendar_objects_changes',
    );
    const signal = new AbortController().signal;
    const renew = (payload: object | null) => async (ctx: Context) =>
      await horizonHandler(ctx)(payload, { signal } as never);
    await expectIndexed(renew(null), 'calendar_objects_zones', 'calendar_objects_horizon');
    await expectIndexed(renew({ calendarId: ids[0]! }), 'calendar_objects_changes');
  });
});
