import { describe, expect, it } from 'vitest';
import { events } from '../../../../src/contract/calendar/events.ts';
import { invitations } from '../../../../src/contract/calendar/invitations.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { bothEngines } from '../../../support/stores.ts';
import { eventText, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { openInvitations } from './invitation-scene.ts';

const asked = 'PARTSTAT=NEEDS-ACTION';

describe.each(bothEngines)('programs that invite on %s', (engine) => {
  it('keep what others answered meanwhile, and ask anew when the time changes', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, done } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    const text = eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob', 'cleo') });
    const made = await scene.put(ann, at, text);
    const { id } = (await scene.copyOf(bob)).event;
    await done(invitations.rsvp, bob, { eventId: id, response: 'ACCEPTED' });
    // The answer changes the tag of the resource, and not what it says to those who are invited.
    const stale = text.replace('SUMMARY:Meeting', 'SUMMARY:Large meeting');
    expect((await scene.put(ann, at, stale, { 'if-match': made.etag ?? '' })).status).toBe(412);
    const tag = { 'if-schedule-tag-match': made.scheduleTag ?? '' };
    expect(await scene.put(ann, at, stale, tag)).toMatchObject({ status: 204, etag: null });
    expect(await scene.answersIn(ann)).toEqual({ bob: 'ACCEPTED', cleo: 'NEEDS-ACTION' });
    expect((await scene.copyOf(bob)).event).toMatchObject({ summary: 'Large meeting', myPartstat: 'ACCEPTED' });
    expect((await scene.put(ann, at, stale, tag)).status).toBe(412);
    const moved = stale.replace('T100000Z', 'T103000Z');
    expect((await scene.put(ann, at, moved)).status).toBe(204);
    expect((await scene.copyOf(ann)).event).toMatchObject({ sequence: 1 });
    expect(await scene.answersIn(ann)).toEqual({ bob: 'NEEDS-ACTION', cleo: 'NEEDS-ACTION' });
    expect((await scene.copyOf(bob)).event).toMatchObject({ id, myPartstat: 'NEEDS-ACTION', sequence: 1 });
    // Programs that write the same in another order, and with the number that they know, change nothing.
    const { etag } = (await scene.copyOf(bob)).event;
    const again = moved
      .replace('SUMMARY:Large meeting\r\n', '')
      .replace('END:VEVENT', 'SUMMARY:Large meeting\r\nEND:VEVENT');
    expect((await scene.put(ann, at, again)).status).toBe(204);
    expect((await scene.copyOf(bob)).event.etag).toBe(etag);
  });

  it('take back invitations by leaving people out, and cannot give the event to another organizer', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, cleo } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob', 'cleo') }));
    await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob') }));
    expect((await scene.copyOf(cleo)).event.status).toBe('CANCELLED');
    expect((await scene.copyOf(bob)).event.status).toBe('CONFIRMED');
    const other = await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('bob', 'ann') }));
    expect(other).toMatchObject({
      status: 403,
      preconditions: ['c:allowed-organizer-scheduling-object-change'],
    });
    await scene.put(ann, at, eventText({ uid: 'plan@x' }));
    expect((await scene.copyOf(bob)).event.status).toBe('CANCELLED');
  });

  it('invite nobody without an organizer, for others, and if they tell people themselves', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob } = scene;
    const at = await scene.placeOf(ann, '');
    const [organizer = '', attendee = ''] = scene.lines('ann', 'bob');
    const kept = [
      [attendee],
      ['ORGANIZER:mailto:eve@far.example', attendee],
      [organizer.replace(':', ';SCHEDULE-AGENT=CLIENT:'), attendee],
      [organizer, attendee.replace(':', ';SCHEDULE-AGENT=NONE:')],
    ];
    for (const [index, lines] of kept.entries()) {
      const text = eventText({ uid: `${index}@x`, lines });
      expect(await scene.put(ann, `${at}${index}.ics`, text)).toMatchObject({ status: 201, etag: expect.any(String) });
      expect((await scene.dav(ann, 'GET', `${at}${index}.ics`)).text).toBe(text);
      expect((await scene.dav(ann, 'DELETE', `${at}${index}.ics`)).status).toBe(204);
    }
    expect(await scene.noticesOf(bob)).toEqual([]);
  });

  it('have an event with attendees in one calendar, and move it without a word', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob } = scene;
    const [at, other] = [await scene.placeOf(ann, 'plan.ics'), await scene.placeOf(ann, 'other.ics')];
    const text = eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob') });
    await scene.put(ann, at, text);
    const once = { status: 403, preconditions: ['c:unique-scheduling-object-resource'] };
    expect(await scene.put(ann, other, text)).toMatchObject(once);
    const to = { headers: { destination: `http://house.test${other}` } };
    expect(await scene.dav(ann, 'COPY', at, to)).toMatchObject(once);
    expect((await scene.dav(ann, 'MOVE', at, to)).status).toBe(201);
    expect((await scene.dav(ann, 'GET', other)).text).toBe(text);
    expect((await scene.copyOf(bob)).event.status).toBe('CONFIRMED');
    expect(await scene.noticesOf(bob)).toEqual(['event_invitation']);
    await scene.put(ann, at, eventText({ uid: 'free@x' }));
    const over = await scene.dav(ann, 'MOVE', at, { headers: { ...to.headers, overwrite: 'T' } });
    expect([over.status, over.text]).toEqual([403, expect.stringContaining('Delete it first')]);
    const shared = await scene.calendarOf(bob);
    await scene.share(bob, shared.id, ann, 'editor');
    const away = { destination: `http://house.test/dav/calendars/${ann.memberId}/${shared.id}/plan.ics` };
    expect(await scene.dav(ann, 'MOVE', other, { headers: away })).toMatchObject(once);
  });

  it('invite as many people as others may, and not more', async () => {
    const { limits } = (await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' })).config;
    const calendarInviting = { ...limits.rates.calendarInviting, perAccount: { points: 1, seconds: 86_400 } };
    await using scene = await openInvitations(engine, {
      limits: { ...limits, enabled: true, rates: { ...limits.rates, calendarInviting } },
    });
    const { ann, bob } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    const two = eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob', 'cleo') });
    expect((await scene.put(ann, at, two)).status).toBe(429);
    expect((await scene.dav(ann, 'GET', at)).status).toBe(404);
    expect(await scene.noticesOf(bob)).toEqual([]);
  });
});

describe.each(bothEngines)('programs that are invited on %s', (engine) => {
  it('answer one instance, and the others by themselves', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, done } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    const text = eventText({ uid: 'plan@x', lines: ['RRULE:FREQ=DAILY;COUNT=3', ...scene.lines('ann', 'bob')] });
    await scene.put(ann, at, text);
    const range = { start: '2026-01-10', end: '2026-02-10' };
    const [first] = (await done(events.listEvents, bob, range)).events;
    const path = `/dav/calendars/${bob.memberId}/${first?.calendarId}/${first?.parentEventId}.ics`;
    const copy = (await scene.dav(bob, 'GET', path)).text.replaceAll('\r\n ', '');
    const [, master = ''] = /(BEGIN:VEVENT[\s\S]*END:VEVENT\r\n)/.exec(copy) ?? [];
    const instance = master
      .replace(/RRULE:.*\r\n/, 'RECURRENCE-ID:20260121T100000Z\r\n')
      .replace('DTSTART:20260120', 'DTSTART:20260121')
      .replace('DTEND:20260120', 'DTEND:20260121');
    const answers = async (who: typeof ann) => {
      const { events: all } = await done(events.listEvents, who, range);
      return all.map(({ attendees }) => attendees.find(({ userId }) => userId === bob.memberId)?.partstat);
    };
    const declined = instance.replace(asked, 'PARTSTAT=DECLINED');
    expect((await scene.put(bob, path, copy.replace(master, master + declined))).status).toBe(204);
    expect(await answers(ann)).toEqual(['NEEDS-ACTION', 'DECLINED', 'NEEDS-ACTION']);
    expect(await answers(bob)).toEqual(['NEEDS-ACTION', 'DECLINED', 'NEEDS-ACTION']);
    const accepted = master.replace(asked, 'PARTSTAT=ACCEPTED') + declined;
    expect((await scene.put(bob, path, copy.replace(master, accepted))).status).toBe(204);
    expect(await answers(ann)).toEqual(['ACCEPTED', 'DECLINED', 'ACCEPTED']);
    expect(await answers(bob)).toEqual(['ACCEPTED', 'DECLINED', 'ACCEPTED']);
    // The third one is left out.
    const without = accepted.replace('END:VEVENT', 'EXDATE:20260122T100000Z\r\nEND:VEVENT');
    expect((await scene.put(bob, path, copy.replace(master, without))).status).toBe(204);
    expect(await answers(ann)).toEqual(['ACCEPTED', 'DECLINED', 'DECLINED']);
    expect(await answers(bob)).toEqual(['ACCEPTED', 'DECLINED']);
    const elsewhere = declined.replace('DTSTART:20260121T10', 'DTSTART:20260121T09');
    for (const wrong of [
      elsewhere,
      declined.replace('DECLINED', 'DELEGATED'),
      declined.replace('RECURRENCE-ID:20260121', 'RECURRENCE-ID:20260125'),
    ])
      expect(await scene.put(bob, path, copy.replace(master, without.replace(declined, wrong)))).toMatchObject({
        status: 403,
        preconditions: ['c:allowed-attendee-scheduling-object-change'],
      });
  });

  it('have their own alarms and transparency, and keep what others wrote', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, done } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob') }));
    const copy = await scene.copyOf(bob);
    const alarm = 'BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:Soon\r\nTRIGGER:-PT10M\r\nEND:VALARM\r\n';
    const own = copy.text
      .replace('SUMMARY:Meeting', 'SUMMARY:Mine')
      .replace('END:VEVENT', `TRANSP:TRANSPARENT\r\n${alarm}END:VEVENT`);
    expect((await scene.put(bob, copy.path, own)).status).toBe(204);
    const after = await scene.copyOf(bob);
    expect(after.event).toMatchObject({ summary: 'Meeting', transparency: 'TRANSPARENT', myPartstat: 'NEEDS-ACTION' });
    expect(after.text).toContain('TRIGGER:-PT10M');
    expect(await scene.noticesOf(ann)).toEqual([]);
    // A shared calendar is changed by others, and its owner answers.
    await scene.share(bob, after.event.calendarId, ann, 'editor');
    const theirs = after.path.replace(bob.memberId, ann.memberId);
    const forBob = after.text.replace(asked, 'PARTSTAT=ACCEPTED');
    expect(await scene.put(ann, theirs, forBob)).toMatchObject({
      status: 403,
      preconditions: ['c:allowed-attendee-scheduling-object-change'],
    });
    expect((await scene.put(ann, theirs, after.text)).status).toBe(204);
    // Programs do not know what the node notes of it: it takes changes of the organizer as before.
    await done(events.updateEvent, ann, { id: await idOf(scene, ann), summary: 'Later' });
    expect((await scene.copyOf(bob)).event).toMatchObject({ summary: 'Later', transparency: 'TRANSPARENT' });
  });

  it('accept what waits by storing it, and answer nobody by what they had elsewhere', async () => {
    await using scene = await openInvitations(engine, { calendar: { subscriptions: false, autoAdd: 'none' } });
    const { ann, bob, done } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob') }));
    const path = await scene.placeOf(bob, '');
    const [organizer = '', attendee = ''] = scene.lines('ann', 'bob');
    const accepted = [organizer, attendee.replace(asked, 'PARTSTAT=ACCEPTED')];
    expect((await scene.put(bob, `${path}old.ics`, eventText({ uid: 'old@x', lines: accepted }))).status).toBe(201);
    expect((await scene.dav(bob, 'DELETE', `${path}old.ics`)).status).toBe(204);
    expect(await scene.answersIn(ann)).toEqual({ bob: 'NEEDS-ACTION' });
    expect((await scene.put(bob, `${path}plan.ics`, eventText({ uid: 'plan@x', lines: accepted }))).status).toBe(201);
    expect(await scene.answersIn(ann)).toEqual({ bob: 'ACCEPTED' });
    const { invitations: all } = await done(invitations.listInvitations, bob, { status: 'all' });
    expect(all.map(({ waits, status }) => [waits, status])).toEqual([[false, 'accepted']]);
  });
});

describe.each(bothEngines)('the outbox on %s', (engine) => {
  it('knows when those have time whose time the member sees, and tells nothing of the others', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, cleo } = scene;
    for (const [who, uid] of [
      [bob, 'his@x'],
      [cleo, 'hers@x'],
    ] as const)
      await scene.put(who, await scene.placeOf(who, 'one.ics'), eventText({ uid, summary: 'Secret' }));
    await scene.block(cleo, ann);
    const attendees = ['bob@home.example', 'cleo@home.example', 'nobody@home.example', 'eve@far.example'];
    const body = eventText({ uid: 'free@x', lines: attendees.map((one) => `ATTENDEE:mailto:${one}`) })
      .replaceAll('VEVENT', 'VFREEBUSY')
      .replace('PRODID', 'METHOD:REQUEST\r\nPRODID');
    const outbox = `/dav/calendars/${ann.memberId}/outbox/`;
    const { status, text } = await scene.dav(ann, 'POST', outbox, {
      headers: { 'content-type': 'text/calendar' },
      body,
    });
    const said = [...text.matchAll(/<c:request-status>(.*?)<\/c:request-status>/g)].map(([, one]) => one);
    const unknown = '3.7;Invalid calendar user';
    expect([status, said]).toEqual([200, ['2.0;Success', unknown, unknown, unknown]]);
    expect(text).toContain('FREEBUSY;FBTYPE=BUSY:20260120T100000Z/20260120T110000Z');
    expect(text).not.toContain('Secret');
  });
});

async function idOf(scene: DavScene, who: HouseMember) {
  const { events: all } = await scene.done(events.listEvents, who, { start: '2026-01-10', end: '2026-02-10' });
  return all.find(({ myPermission }) => myPermission === 'owner')?.id ?? '';
}
