import { describe, expect, it } from 'vitest';
import { appointments } from '../../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../../src/contract/calendar/booking.ts';
import { openCalendars, type CalendarScene } from '../../../services/calendar/calendar-scene.ts';
import { aType, appointmentsOf, at, eventsOn, monday, pageOf } from '../../../services/calendar/booking-scene.ts';
import { hiddenOf, linksOf, pageGuest, type Seen } from './guest.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const eve = { name: 'Eve', email: 'eve@else.example' };

async function open(type = {}, more = {}) {
  const scene = await openCalendars('sqljs');
  const page = await pageOf(scene, scene.ann, type, more);
  return { scene, page, guest: pageGuest(scene.house), path: `/book/${page.slug}` };
}

/** The form of a time, as long as a person needs to fill it in. */
async function formOf(
  { scene, guest, path }: Pick<Awaited<ReturnType<typeof open>>, 'scene' | 'guest' | 'path'>,
  time = '09:00',
): Promise<{ form: Seen; hidden: Record<string, string> }> {
  const week = await guest.open(`${path}?date=${monday}`);
  const link = linksOf(week, 'start=').find((href) => href.includes(encodeURIComponent(at(time))));
  if (link === undefined) throw new Error(`${time} is not offered`);
  const form = await guest.open(link);
  expect(form.status).toBe(200);
  scene.house.clock.advance(10 * SECOND);
  return { form, hidden: hiddenOf(form) };
}

function dispose({ scene }: { scene: CalendarScene }): Promise<void> {
  return Promise.resolve(scene[Symbol.asyncDispose]());
}

describe('a booking page without scripts', () => {
  it('books by links and a form, shows the appointment, moves and cancels it', async () => {
    const all = await open({ location: 'Room 7', questions: [{ label: 'Topic', type: 'textarea', required: true }] });
    const { scene, guest, path } = all;
    const { form, hidden } = await formOf(all);
    expect(form.text).toContain('Monday, 19 January 2026 at 09:00');
    const sent = await guest.send(path, { ...hidden, ...eve, 'q-q1': 'Tides\r\nand winds', notes: '', website: '' });
    expect([sent.status, sent.text]).toEqual([303, '']);
    const managed = await guest.open(sent.to ?? '');
    expect(managed.status).toBe(200);
    for (const text of [
      'It is booked.',
      '<dd>ann</dd>',
      'Room 7',
      'Eve, eve@else.example',
      'No e-mail comes to eve@else.example from here',
    ])
      expect(managed.text).toContain(text);
    const [ics = ''] = linksOf(managed, '/ics?token=');
    expect((await guest.open(ics)).text).toContain('BEGIN:VEVENT');
    const [booked] = await appointmentsOf(scene, scene.ann);
    expect(booked?.answers).toEqual({ q1: 'Tides\nand winds' });
    const [move = ''] = linksOf(managed, 'action=reschedule');
    const [later = ''] = linksOf(await guest.open(`${move}&date=${monday}`), encodeURIComponent(at('11:00')));
    const moved = await guest.send(`${path}/${booked?.id}`, hiddenOf(await guest.open(later)));
    expect(moved.status).toBe(303);
    expect((await guest.open(moved.to ?? '')).text).toContain('at 11:00');
    const [cancel = ''] = linksOf(managed, 'action=cancel');
    const cancelled = await guest.send(`${path}/${booked?.id}`, {
      ...hiddenOf(await guest.open(cancel)),
      reason: 'Ill',
    });
    const end = await guest.open(cancelled.to ?? '');
    expect(end.text).toContain('It was cancelled.');
    expect(linksOf(end, 'action=')).toEqual([]);
    expect(await eventsOn(scene, scene.ann)).toEqual([]);
    await dispose(all);
  });

  it('moves what was renamed since, in the zone that is chosen, and says when it is not offered any more', async () => {
    const all = await open();
    const { scene, guest, path, page } = all;
    const { hidden } = await formOf(all);
    const managed = await guest.open((await guest.send(path, { ...hidden, ...eve })).to ?? '');
    const change = async (more: Partial<Parameters<typeof scene.done<typeof booking.updateBookingPage>>[2]>) =>
      await scene.done(booking.updateBookingPage, scene.ann, { slug: page.slug, ...more });
    await change({ appointmentTypes: [aType({ id: page.appointmentTypes[0]?.id, name: 'Chat' })] });
    const [move = ''] = linksOf(managed, 'action=reschedule');
    const [later = ''] = linksOf(await guest.open(`${move}&date=${monday}&timezone=Asia/Tokyo`), 'start=');
    expect((await guest.open(later)).text).toMatch(/at 19:00 (?:JST|GMT\+9)/);
    await change({ active: false });
    const refused = await guest.open(move);
    expect([refused.status, refused.text.includes('It is not offered any more')]).toEqual([200, true]);
    await change({ active: true, appointmentTypes: [aType({ name: 'Walk' })] });
    expect((await guest.open(move)).text).toContain('It is not offered any more');
    const [cancel = ''] = linksOf(refused, 'action=cancel');
    expect((await guest.open(cancel)).text).toContain('Cancel this appointment?');
    const [booked] = await appointmentsOf(scene, scene.ann);
    await scene.done(appointments.cancelAppointment, scene.ann, { id: booked?.id ?? '', reason: 'Away <b>' });
    expect((await guest.open(move)).text).toContain('<dd>Away &lt;b&gt;</dd>');
    await dispose(all);
  });

  it('comes with a strict policy, in no cache, and asks nobody else', async () => {
    const all = await open();
    const { guest, path } = all;
    const { form, hidden } = await formOf(all);
    const done = await guest.send(path, { ...hidden, ...eve });
    const pages = [
      await guest.open(path),
      form,
      await guest.open(done.to ?? ''),
      await guest.open('/book/nothing'),
      done,
    ];
    for (const { headers, text } of pages) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers.get('set-cookie')).toBeNull();
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:|\/\/[a-z]/);
    }
    const style = await guest.open('/book/page.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.text).not.toMatch(/url\(|@import|https?:/);
    await dispose(all);
  });

  it('shows its kinds first where it has several, and its times at once where it has one', async () => {
    const types = [
      aType({ description: 'Short and\nfriendly' }),
      aType({ name: 'Walk' }),
      aType({ name: 'Off', active: false }),
    ];
    const all = await open({}, { appointmentTypes: types });
    const { guest, path, page } = all;
    const kinds = await guest.open(path);
    expect(linksOf(kinds, 'type=')).toEqual(page.appointmentTypes.slice(0, 2).map(({ id }) => `${path}?type=${id}`));
    expect(kinds.text).not.toContain('Off');
    expect(linksOf(await guest.open(`${path}?type=Off&date=${monday}`), 'start=')).toEqual([]);
    const walk = await guest.open(`${path}?type=Walk&date=${monday}&timezone=Asia/Tokyo`);
    expect(walk.text).toContain('>18:00</time>');
    expect(walk.text).toContain('<option value="Asia/Tokyo" selected>');
    await dispose(all);
  });

  it('leads to other weeks, and from an empty one to the next time', async () => {
    const all = await open({ dateOverrides: [] }, { minNoticeMinutes: 7 * 24 * 60 });
    const { guest, path } = all;
    const now = await guest.open(path);
    expect(now.text).toContain('There is no free time in these days. The next one is on');
    expect(now.text).not.toContain('rel="prev"');
    const [next = ''] = linksOf(now, 'date=2026-01-23');
    const week = await guest.open(next);
    expect(week.text).toContain('<h3 id="day-2026-01-23">Friday, 23 January 2026</h3>');
    expect(linksOf(week, 'date=2026-01-30')).toHaveLength(1);
    expect(linksOf(week, 'date=2026-01-16')).toHaveLength(1);
    await dispose(all);
  });

  it('shows times that come twice with their offsets', async () => {
    const windows = [{ dayOfWeek: 0, startTime: '01:30', endTime: '03:30' }];
    const all = await open({ availableWindows: windows }, { timezone: 'Europe/Berlin', maxAdvanceDays: 365 });
    const { text } = await all.guest.open(`${all.path}?date=2026-10-25`);
    expect(text).toContain('>02:30 (UTC+02:00)</time>');
    expect(text).toContain('>02:30 (UTC+01:00)</time>');
    await dispose(all);
  });

  it('says at each field what is wrong with it, and keeps what was entered', async () => {
    const questions = [
      { id: 'topic', label: 'Topic <b>', type: 'text' as const, required: true },
      { id: 'color', label: 'Color', type: 'select' as const, options: ['red', 'a"b'] },
      { id: 'ok', label: 'Agree', type: 'checkbox' as const, required: true },
    ];
    const all = await open({ questions });
    const { guest, path, scene } = all;
    const { hidden } = await formOf(all);
    const filled = {
      name: '<script>alert(1)</script>',
      email: 'eve',
      'q-color': 'a"b',
      notes: '</textarea><b>',
      guests: 'x, y',
    };
    const wrong = await guest.send(path, { ...hidden, ...filled });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('role="alert"');
    expect(linksOf(wrong, '#field-')).toEqual(['#field-email', '#field-guests', '#field-guests']);
    expect(wrong.text).toMatch(/id="field-email"[^>]* aria-invalid="true" aria-describedby="field-email-error"/);
    for (const text of [
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '&lt;/textarea&gt;&lt;b&gt;',
      '<option value="a&quot;b" selected>',
      'Topic &lt;b&gt;',
    ])
      expect(wrong.text).toContain(text);
    expect(wrong.text).not.toContain('<script');
    expect(wrong.text).not.toContain('Topic <b>');
    // The same form can be sent again.
    const half = await guest.send(path, { ...hiddenOf(wrong), ...eve });
    expect(linksOf(half, '#field-')).toEqual(['#field-q-topic']);
    const right = { ...hiddenOf(half), name: '<b>Eve</b>', email: eve.email, 'q-topic': 'x', 'q-ok': 'yes' };
    const done = await guest.send(path, right);
    expect(done.status).toBe(303);
    const managed = await guest.open(done.to ?? '');
    expect(managed.text).toContain('&lt;b&gt;Eve&lt;/b&gt;');
    expect(managed.text).not.toContain('<b>Eve');
    expect(await appointmentsOf(scene, scene.ann)).toHaveLength(1);
    await dispose(all);
  });

  it('books once when its form is sent twice, at once or one after the other', async () => {
    const all = await open();
    const { guest, path, scene } = all;
    const { hidden } = await formOf(all);
    const sent = await Promise.all([1, 2, 3].map(async () => await guest.send(path, { ...hidden, ...eve })));
    sent.push(await guest.send(path, { ...hidden, ...eve }));
    expect(sent.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(new Set(sent.map(({ to }) => to)).size).toBe(1);
    expect(await appointmentsOf(scene, scene.ann)).toHaveLength(1);
    const other = await guest.send(path, { ...hidden, name: 'Mallory', email: eve.email });
    expect([other.status, other.text.includes('This form was sent already')]).toEqual([409, true]);
    await dispose(all);
  });

  it('takes a form after five seconds and within thirty minutes, for its own time, kind and page alone', async () => {
    const all = await open({}, { appointmentTypes: [aType(), aType({ name: 'Walk' })] });
    const { guest, path, scene, page } = all;
    await pageOf(scene, scene.ann, {}, { slug: 'ann-other' });
    const [talk, walk] = page.appointmentTypes;
    const form = await guest.open(`${path}?type=${talk?.id}&start=${encodeURIComponent(at('09:00'))}`);
    const hidden = hiddenOf(form);
    const { clock } = scene.house;
    clock.advance(5 * SECOND - 1);
    const quick = await guest.send(path, { ...hidden, ...eve });
    expect([quick.status, quick.text.includes('That was very quick')]).toEqual([400, true]);
    expect(hiddenOf(quick)['token']).toBe(hidden['token']);
    const forged = [
      { start: at('10:00') },
      { type: walk?.id ?? '' },
      { token: '' },
      { token: hidden['token']?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? '' },
      { token: hidden['token']?.replace(/^\d+/, (moment) => String(Number(moment) + 1)) ?? '' },
    ];
    clock.advance(30 * MINUTE - 5 * SECOND + 1);
    for (const one of forged) {
      const answer = await guest.send(path, { ...hidden, ...eve, ...one });
      expect([answer.status, answer.text.includes('The form was open for too long')]).toEqual([400, true]);
    }
    const elsewhere = await guest.send('/book/ann-other', { ...hidden, ...eve });
    expect(elsewhere.status).toBe(303);
    expect(elsewhere.to).toBe('/book/ann-other');
    expect(await appointmentsOf(scene, scene.ann)).toEqual([]);
    const late = async () => await guest.send(path, { ...hidden, ...eve });
    clock.advance(1);
    expect((await late()).status).toBe(400);
    clock.advance(-1);
    expect((await late()).status).toBe(303);
    await dispose(all);
  });

  it('tells a program that fills in everything nothing, and books nothing', async () => {
    const all = await open();
    const { guest, path, scene } = all;
    const { hidden } = await formOf(all);
    const sent = await guest.send(path, { ...hidden, ...eve, website: 'https://spam.example' });
    expect([sent.status, sent.to]).toEqual([303, path]);
    expect(await appointmentsOf(scene, scene.ann)).toEqual([]);
    await dispose(all);
  });

  it('says that a time is gone, and shows refusals as pages', async () => {
    const all = await open();
    const { guest, path, scene } = all;
    const first = await formOf(all);
    const second = await formOf(all);
    expect((await guest.send(path, { ...first.hidden, ...eve })).status).toBe(303);
    const gone = await guest.send(path, { ...second.hidden, ...eve });
    expect([gone.status, gone.text.includes('This time is not free any more')]).toEqual([409, true]);
    for (const missing of ['/book/nothing', '/book/admin', `${path}/x`, `${path}/${'0'.repeat(32)}?token=x`]) {
      const answer = await guest.open(missing);
      expect([missing, answer.status, answer.headers.get('content-type')]).toEqual([
        missing,
        404,
        'text/html; charset=utf-8',
      ]);
    }
    for (const wrong of ['date=2026-02-30', 'timezone=Moon/Sea', 'start=soon'])
      expect([wrong, (await guest.open(`${path}?${wrong}`)).status]).toEqual([wrong, 400]);
    await scene.suspend(scene.ann);
    expect((await guest.open(path)).status).toBe(404);
    await dispose(all);
  });

  it('shows an appointment with its token alone, and no other of its host', async () => {
    const all = await open();
    const { guest, path, scene } = all;
    const { hidden } = await formOf(all);
    const { to } = await guest.send(path, { ...hidden, ...eve });
    await pageOf(scene, scene.ann, {}, { slug: 'ann-other' });
    const [, id = '', token = ''] = /\/([0-9a-f]{32})\?token=([\w-]+)$/.exec(to ?? '') ?? [];
    for (const address of [
      `${path}/${id}`,
      `${path}/${id}?token=${token.slice(1)}`,
      `/book/ann-other/${id}?token=${token}`,
    ])
      expect((await guest.open(address)).status).toBe(404);
    for (const fields of [{ action: 'cancel' }, { action: 'cancel', token: 'x' }])
      expect((await guest.send(`${path}/${id}`, fields)).status).toBe(404);
    // A link that somebody follows changes nothing.
    await guest.open(`${path}/${id}?token=${token}&action=cancel`);
    expect((await appointmentsOf(scene, scene.ann))[0]?.status).toBe('confirmed');
    await scene.done(appointments.cancelAppointment, scene.ann, { id });
    const again = await guest.send(`${path}/${id}`, { action: 'cancel', token });
    expect([again.status, again.text.includes('This was not possible')]).toEqual([409, true]);
    await scene.done(booking.deleteBookingPage, scene.ann, { slug: 'ann-other' });
    await dispose(all);
  });

  it('counts forms by the address that they come from, and says so as a page', async () => {
    const { loadConfig } = await import('../../../../src/config/load.ts');
    const { config } = await loadConfig({ flags: {}, env: {}, home: '/', cwd: '/' });
    await using scene = await openCalendars('sqljs', { config: { limits: config.limits } });
    const { slug } = await pageOf(scene, scene.ann);
    const send = async () => {
      const request = new Request(`http://localhost/book/${slug}`, {
        method: 'POST',
        headers: { accept: 'text/html' },
        body: new URLSearchParams(eve),
      });
      Object.defineProperty(request, 'ip', { value: '192.0.2.1' });
      return await scene.house.fetch(request);
    };
    for (let number = 0; number < 10; number += 1) expect((await send()).status).toBe(303);
    const refused = await send();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('counts how often its times are asked for', async () => {
    const { loadConfig } = await import('../../../../src/config/load.ts');
    const env = { CONCLAVE_LIMITS_CALENDAR_SLOTS_PER_ADDRESS: '3/1m' };
    const { config } = await loadConfig({ flags: {}, env, home: '/', cwd: '/' });
    await using scene = await openCalendars('sqljs', { config: { limits: config.limits } });
    const { slug } = await pageOf(scene, scene.ann);
    const look = async (path: string) => {
      const request = new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } });
      Object.defineProperty(request, 'ip', { value: '192.0.2.1' });
      return (await scene.house.fetch(request)).status;
    };
    const times = `/api/cal/booking/pages/${slug}/slots?appointmentType=Talk`;
    expect([await look(`/book/${slug}`), await look(times), await look(`/book/${slug}`)]).toEqual([200, 200, 200]);
    expect([await look(times), await look(`/book/${slug}`), await look('/book/page.css')]).toEqual([429, 429, 200]);
  });
});
