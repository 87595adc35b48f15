import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { config as mailConfig } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { asGuest, at, book, pageOf } from './booking-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly from: string;
  readonly attachments: readonly string[];
}

describe.each(bothEngines)('e-mail to guests on %s', (engine) => {
  async function open(): Promise<CalendarScene> {
    return await openCalendars(engine, { config: mailConfig });
  }

  async function mailOf({ house }: CalendarScene, { token }: HouseMember): Promise<Mail[]> {
    const { body } = await house.api('GET', '/api/emails/inbox', { token });
    const found: Mail[] = [];
    for (const { id, from } of body.data.emails as { id: string; from: { address: string } }[]) {
      const { body: content } = await house.api('GET', `/api/emails/${id}/content`, { token });
      const file = await house.fetch(
        new Request(`http://localhost/api/emails/${id}/attachments/0`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      );
      const { subject } = (await house.api('GET', `/api/emails/${id}`, { token })).body.data;
      found.push({ subject, from: from.address, text: content.data.textBody, attachments: [await file.text()] });
    }
    return found;
  }

  it('goes to addresses that this node serves, once, with a file and the way to the page', async () => {
    await using scene = await open();
    const { ann, bob } = scene;
    const page = await pageOf(scene, ann, { location: 'Room 7' });
    const guest = { bookerName: 'Bob <b>', bookerEmail: 'bob@home.example', timezone: 'Europe/Berlin' };
    const { appointment, manageToken: token, manageUrl, delivery } = await book(scene, page.slug, at('09:00'), guest);
    expect(delivery).toBe('MAIL');
    expect(await mailOf(scene, bob)).toEqual([]);
    await scene.later(0);
    await scene.later(60_000);
    const [mail, ...more] = await mailOf(scene, bob);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: 'ann@home.example', subject: 'Booked: Talk, Monday, 19 January 2026 at 10:00' });
    for (const text of ['With: ann', 'Where: Room 7', '(Europe/Berlin)', manageUrl]) expect(mail?.text).toContain(text);
    expect(mail?.attachments[0]).toContain('BEGIN:VEVENT');
    // A name is what the guest wrote, too.
    expect(JSON.stringify(mail)).not.toContain('Bob <b>');
    await asGuest(scene, appointments.cancelAppointment, { id: appointment.id, token, reason: 'Buy our wares' });
    await scene.later(0);
    const all = await mailOf(scene, bob);
    expect(all.map(({ subject }) => subject.split(':')[0]).toSorted()).toEqual(['Booked', 'Cancelled']);
    const cancelled = all.find(({ subject }) => subject.startsWith('Cancelled'));
    expect(cancelled?.attachments[0]).toContain('STATUS:CANCELLED');
    expect(cancelled?.text).not.toContain(token);
    expect(cancelled?.attachments[0]?.replaceAll('\r\n ', '')).not.toContain(token);
    // Whoever books in the name of another has the host say nothing to them.
    expect(cancelled?.text).not.toContain('wares');
  });

  it('says when the host has decided, and the last of several changes', async () => {
    await using scene = await open();
    const { ann, bob } = scene;
    const page = await pageOf(scene, ann, { requiresConfirmation: true });
    const guest = { bookerEmail: 'BOB@home.example' };
    const one = await book(scene, page.slug, at('09:00'), guest);
    await scene.later(0);
    await scene.done(appointments.confirmAppointment, ann, { id: one.appointment.id });
    await scene.later(0);
    const two = await book(scene, page.slug, at('10:00'), guest);
    await scene.done(appointments.rejectAppointment, ann, { id: two.appointment.id, reason: 'I am away.' });
    await scene.later(0);
    const found = await mailOf(scene, bob);
    expect(found.map(({ subject }) => subject.split(':')[0]).toSorted()).toEqual([
      'Booked',
      'Confirmed',
      'Not possible',
    ]);
    expect(found.find(({ subject }) => subject.startsWith('Not'))?.text).toContain('I am away.');
  });

  it('goes nowhere for addresses that nobody serves, and for hosts who are suspended or have no storage left', async () => {
    await using scene = await open();
    const { ann, bob, house } = scene;
    const page = await pageOf(scene, ann);
    expect((await book(scene, page.slug, at('09:00'), { bookerEmail: 'eve@else.example' })).delivery).toBe('NO_ROUTE');
    expect(
      await house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'calendar-guest-mail').execute(),
    ).toEqual([]);
    await book(scene, page.slug, at('10:00'), { bookerEmail: 'bob@home.example' });
    const { config } = house.ctx;
    Object.assign(config, { storage: { ...config.storage, perMemberBytes: 10 } });
    await scene.later(0);
    Object.assign(config, { storage: { ...config.storage, perMemberBytes: 10_000_000 } });
    await book(scene, page.slug, at('11:00'), { bookerEmail: 'bob@home.example' });
    await scene.suspend(ann);
    await scene.later(0);
    expect(await mailOf(scene, bob)).toEqual([]);
    expect(
      await house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'calendar-guest-mail').execute(),
    ).toEqual([]);
  });
});
