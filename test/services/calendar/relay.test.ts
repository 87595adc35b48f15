import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import { at, book, pageOf } from './booking-scene.ts';
import { openRelayScene } from './relay-scene.ts';

describe.each(bothEngines)('mail of the calendar over the relay on %s', (engine) => {
  it('goes to guests and attendees whose address no node serves, and to nobody else', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, bob, house, relay } = scene;
    const page = await pageOf(scene, ann);
    const booked = await book(scene, page.slug, at('09:00'), { bookerEmail: 'eve@else.example' });
    expect([booked.delivery, booked.appointment.delivery]).toEqual(['RELAY', 'RELAY']);
    expect((await book(scene, page.slug, at('10:00'), { bookerEmail: 'bob@home.example' })).delivery).toBe('MAIL');
    const { event } = await scene.done(events.createEvent, ann, {
      summary: 'Plan',
      dtstart: '2026-03-23T09:00:00',
      dtend: '2026-03-23T10:00:00',
      tzid: 'Europe/Berlin',
      attendees: [{ email: 'fay@far.example' }, { userId: bob.memberId }],
    });
    expect(event.attendees.map(({ delivery }) => delivery)).toEqual(['RELAY', undefined]);
    await scene.mailed();

    // The two jobs run side by side.
    expect(relay.taken.map(({ from, to }) => `${from} to ${to.join()}`).toSorted()).toEqual([
      'ann@home.example to eve@else.example',
      'ann@home.example to fay@far.example',
    ]);
    const read = (await scene.read()).toSorted((one, other) => (one.subject! < other.subject! ? -1 : 1));
    const [confirmation, invitation] = read;
    expect(confirmation).toMatchObject({ subject: 'Booked: Talk, Monday, 19 January 2026 at 09:00' });
    expect(confirmation?.from?.value).toEqual([{ address: 'ann@home.example', name: 'ann' }]);
    expect(confirmation?.headers.get('auto-submitted')).toBe('auto-forwarded');
    expect(confirmation?.text).toContain(booked.manageUrl);
    const file = confirmation?.attachments.find(({ filename }) => filename === 'appointment.ics');
    const component = new ICAL.Component(ICAL.parse(file!.content.toString('utf8')) as unknown[]);
    const [opened] = component.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one));
    expect([opened?.summary, opened?.startDate.toJSDate().toISOString()]).toEqual(['Talk (ann)', at('09:00')]);
    expect(invitation?.subject).toBe('Invitation: Plan');
    const part = invitation?.attachments.find(({ contentType }) => contentType === 'text/calendar');
    expect(part?.content.toString('utf8')).toMatch(/^BEGIN:VCALENDAR\r\n(?:.*\r\n)*METHOD:REQUEST\r\n/);
    // What the node notes of attendees stays on the node.
    expect(part?.content.toString('utf8')).not.toMatch(/x-conclave/i);

    expect(await scene.outcomes()).toEqual({
      'eve@else.example': 'RELAYED',
      'bob@home.example': 'DELIVERED',
      'fay@far.example': 'RELAYED',
    });
    // Nothing else goes over it.
    const to = [{ localPart: 'eve', domain: 'else.example' }];
    const from = { localPart: 'ann', domain: 'home.example' };
    const { status } = await house.api('POST', '/api/emails', {
      token: ann.token,
      body: { from, to, subject: 'Buy', textBody: 'our wares' },
    });
    await scene.mailed();
    expect([status, relay.taken.length]).toEqual([201, 2]);
  });
});
