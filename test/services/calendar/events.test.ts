import { describe, expect, it } from 'vitest';
import { createEvent, listEvents, showEvent } from '../../../src/services/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars } from './calendar-scene.ts';

describe.each(bothEngines)('events on %s', (engine) => {
  it('are created and listed by range', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const actor = { ...ann, kind: 'member', scopes: undefined } as never;
    const session = (await house.ctx.db.selectFrom('sessions').select('id').where('member_id', '=', ann.memberId).executeTakeFirstOrThrow()).id;
    const who = { ...(actor as object), sessionId: session } as never;
    const { event } = await createEvent(house.ctx, who, { summary: 'Standup', dtstart: '2026-01-15T09:00:00', tzid: 'Europe/Berlin', duration: 'PT30M', rrule: 'FREQ=DAILY;COUNT=5' } as never);
    console.log(JSON.stringify(event));
    const list = await listEvents(house.ctx, who, { start: '2026-01-16', end: '2026-01-18', limit: 250 } as never);
    console.log(JSON.stringify(list, undefined, 1));
    expect(list.events).toHaveLength(2);
    expect((await showEvent(house.ctx, who, { id: list.events[1]!.id } as never)).event).toEqual(list.events[1]);
    const far = await createEvent(house.ctx, who, { summary: 'Forever', dtstart: '2020-01-01T09:00:00', tzid: 'Europe/Berlin', duration: 'PT30M', rrule: 'FREQ=MONTHLY' } as never);
    const later = await listEvents(house.ctx, who, { start: '2040-01-01', end: '2040-12-31', limit: 5 } as never);
    console.log(later.events.map((e) => [e.id, e.start]), later.nextCursor !== undefined, far.event.rrule);
    const around = await listEvents(house.ctx, who, { start: '2027-11-01', end: '2028-06-30', limit: 50 } as never);
    console.log(around.events.map((e) => e.start));
  });
});
