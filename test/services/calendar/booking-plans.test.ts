import { describe, expect, it } from 'vitest';
import { CompiledQuery } from 'kysely';
import type { Actor, Guest } from '../../../src/service/actor.ts';
import { listAppointments } from '../../../src/services/calendar/appointments.ts';
import { listSlots, showBookingPage } from '../../../src/services/calendar/booking.ts';
import { planOf, statementsOf } from '../../support/plans.ts';
import { bothEngines } from '../../support/stores.ts';
import { book, at, pageOf } from './booking-scene.ts';
import { openCalendars } from './calendar-scene.ts';

const guest: Guest = { kind: 'guest', address: '192.0.2.1', userAgent: 'test' };

/** What purges and bookings ask, where they are not reached by the statements of readers. */
const others = [
  ['select count(*) from appointments where page_id = $1 and created_at > $2', ['x', 1]],
  [
    'select min(end_at) from appointments where page_id = $1 and guest_key = $2 and seat is not null and end_at > $3',
    ['x', 'y', 1],
  ],
  ['select * from appointments where request_hash = $1', ['x']],
  ['select seat from appointments where type_id = $1 and start_at = $2 and seat is not null', ['x', 1]],
  ['select * from booking_cells where host_id = $1 and cell >= $2 and cell < $3', ['x', 1, 2]],
  ['select id from appointments where end_at <= $1 order by end_at limit 200', [1]],
  ['select host_id, cell from booking_cells where cell < $1 limit 200', [1]],
] as const;

describe.each(bothEngines)('reading booking pages on %s', (engine) => {
  it('reads no table whole', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { slug } = await pageOf(scene, ann);
    await book(scene, slug, at('09:00'));
    const actor = { kind: 'member', memberId: ann.memberId, username: 'ann' } as Actor;
    const statements = await statementsOf(scene, async (ctx) => {
      await showBookingPage(ctx, guest, { slug });
      await listSlots(ctx, guest, { slug, appointmentType: 'Talk', date: '2026-01-19', days: 62 });
      await listAppointments(ctx, actor, { limit: 50 });
      await listAppointments(ctx, actor, { limit: 50, start: '2026-01-19', end: '2026-01-20' });
    });
    expect(statements.length).toBeGreaterThan(10);
    const more = others.map(([sql, parameters]) => CompiledQuery.raw(sql, [...parameters]));
    const plans: string[] = [];
    for (const statement of [...statements, ...more]) plans.push(await planOf(scene, statement, true));
    expect(plans.filter((plan) => /Seq Scan|SCAN (?!CONSTANT)/.test(plan))).toEqual([]);
  });
});
