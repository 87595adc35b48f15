import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { runJobs } from '../../../src/platform/store/jobs/jobs.ts';
import { relayHandler } from '../../../src/services/mail/sending/relay-job.ts';
import { until } from '../../support/real-time.ts';
import { maximumAttempts } from '../../../src/platform/store/jobs/job-rows.ts';
import { bothEngines, temporaryFolder } from '../../support/stores.ts';
import { at, book, pageOf, refusal } from './booking-scene.ts';
import { openRelayScene, type RelayScene } from './relay-scene.ts';

const times = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };

async function invite({ done, ann }: RelayScene, ...emails: string[]) {
  const attendees = emails.map((email) => ({ email }));
  return (await done(events.createEvent, ann, { summary: 'Plan', ...times, attendees })).event;
}

/** Runs what waits for the relay for the last time. */
async function lastTry({ house }: RelayScene): Promise<void> {
  const { db, store, clock, random, log } = house.ctx;
  const waits = async () =>
    await db.selectFrom('jobs').select('id').where('kind', '=', 'mail-relay').executeTakeFirst();
  const attempts = maximumAttempts - 1;
  await db.updateTable('jobs').set({ attempts, run_at: clock.now() }).where('kind', '=', 'mail-relay').execute();
  const abort = new AbortController();
  const running = runJobs(
    store,
    { 'mail-relay': relayHandler(house.ctx) },
    { clock, random, signal: abort.signal, log },
  );
  await until(async () => (await waits()) === undefined);
  abort.abort();
  await running;
}

const dayMs = 24 * 60 * 60 * 1000;

describe.each(bothEngines)('what the mail relay refuses, on %s', (engine) => {
  it('fails for good with 5xx, of that recipient alone, and its sender hears of it', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, relay } = scene;
    relay.replies.set('gone@far.example', { code: 550, text: 'No such\x1b[2J user' });
    await invite(scene, 'one@far.example', 'gone@far.example', 'two@far.example');
    const page = await pageOf(scene, ann);
    await book(scene, page.slug, at('09:00'), { bookerEmail: 'gone@far.example' });
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to).toSorted()).toEqual(['one@far.example', 'two@far.example']);
    expect(await scene.outcomes()).toEqual({
      'one@far.example': 'RELAYED',
      'gone@far.example': 'FAILED REFUSED',
      'two@far.example': 'RELAYED',
    });
    const [row] = await scene.house.ctx.db
      .selectFrom('mail_deliveries')
      .select('reason')
      .where('status', '=', 'FAILED')
      .execute();
    expect(row?.reason).toMatch(/^The mail relay refused the message: 550 .*No such \[2J user$/);
    expect(row?.reason).not.toContain('\x1b');
    expect((await scene.inboxOf(ann)).toSorted()).toEqual([
      'Not delivered: Booked: Talk, Monday, 19 January 2026 at 09:00',
      'Not delivered: Invitation: Plan',
    ]);
    const failed = await scene.house.ctx.db
      .selectFrom('notifications')
      .select('content')
      .where('type', '=', 'email_failed')
      .execute();
    expect(failed.map(({ content }) => content)).toEqual([
      'Your e-mail did not reach gone@far.example.',
      'Your e-mail did not reach gone@far.example.',
    ]);
  });

  it('is tried again after 4xx, for those alone who have nothing, until it succeeds or the tries are used up', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, relay } = scene;
    for (const who of ['slow@far.example', 'never@far.example'])
      relay.replies.set(who, { code: 451, text: 'Greylisted' });
    await invite(scene, 'one@far.example', 'slow@far.example', 'never@far.example');
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to)).toEqual(['one@far.example']);
    expect(await scene.outcomes()).toMatchObject({
      'slow@far.example': 'IN_TRANSIT',
      'never@far.example': 'IN_TRANSIT',
    });
    relay.replies.delete('slow@far.example');
    await scene.mailed(dayMs / 24);
    expect(relay.taken.flatMap(({ to }) => to)).toEqual(['one@far.example', 'slow@far.example']);
    // It is the same message.
    const [one, other] = await scene.read();
    expect(other?.messageId).toBe(one?.messageId);
    expect(await scene.inboxOf(ann)).toEqual([]);
    await lastTry(scene);
    await scene.mailed(0);
    expect(await scene.outcomes()).toMatchObject({
      'slow@far.example': 'RELAYED',
      'never@far.example': 'FAILED RELAY_FAILED',
    });
    expect(await scene.inboxOf(ann)).toEqual(['Not delivered: Invitation: Plan']);
  });

  it('goes for nobody beyond what a day allows, and for all again a day later', async () => {
    await using scene = await openRelayScene(engine, { mail: { relayPerDay: 2 } });
    const { ann, relay } = scene;
    await invite(scene, 'one@far.example', 'two@far.example', 'three@far.example');
    await scene.mailed();
    await invite(scene, 'four@far.example');
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to)).toEqual(['one@far.example', 'two@far.example']);
    expect(await scene.outcomes()).toMatchObject({
      'three@far.example': 'FAILED RELAY_LIMIT',
      'four@far.example': 'FAILED RELAY_LIMIT',
    });
    expect(await scene.inboxOf(ann)).toEqual(['Not delivered: Invitation: Plan', 'Not delivered: Invitation: Plan']);
    await scene.mailed(dayMs);
    await invite(scene, 'five@far.example');
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to).slice(2)).toEqual(['five@far.example']);
  });
});

describe('the mail relay', () => {
  it('counts from the moment when it is turned on, and what waits fails when it is turned off', async () => {
    await using scene = await openRelayScene('sqljs');
    const { ann, mail, relay } = scene;
    const { relayHost } = mail;
    mail.relayHost = undefined;
    const page = await pageOf(scene, ann);
    expect((await book(scene, page.slug, at('09:00'))).delivery).toBe('NO_ROUTE');
    expect((await invite(scene, 'a@far.example')).attendees.map(({ delivery }) => delivery)).toEqual(['NO_ROUTE']);
    await scene.mailed();
    expect([await scene.outcomes(), relay.taken]).toEqual([{}, []]);
    mail.relayHost = relayHost;
    const booked = await book(scene, page.slug, at('10:00'), { bookerEmail: 'eve@else.example' });
    expect(booked.delivery).toBe('RELAY');
    const seen = await scene.house.fetch(new Request(booked.manageUrl));
    expect(await seen.text()).toContain('A message about it goes to eve@else.example.');
    relay.replies.set('eve@else.example', { code: 450, text: 'Later' });
    await scene.mailed();
    mail.relayHost = undefined;
    await scene.mailed(dayMs / 24);
    expect(await scene.outcomes()).toEqual({ 'eve@else.example': 'FAILED NO_ROUTE' });
    expect(await scene.inboxOf(ann)).toEqual(['Not delivered: Booked: Talk, Monday, 19 January 2026 at 10:00']);
  });

  it('gets a message again, as the same one, when the connection ended before its answer', async () => {
    await using scene = await openRelayScene('sqljs');
    const { relay } = scene;
    relay.cuts = 1;
    await invite(scene, 'fay@far.example');
    await scene.mailed();
    expect([relay.taken.length, await scene.outcomes()]).toEqual([1, { 'fay@far.example': 'IN_TRANSIT' }]);
    await scene.mailed(dayMs / 24);
    await scene.mailed(dayMs / 24);
    expect([relay.taken.length, await scene.outcomes()]).toEqual([2, { 'fay@far.example': 'RELAYED' }]);
    const [one, other] = await scene.read();
    expect(other?.messageId).toBe(one?.messageId);
  });

  it('gets nothing for a domain that a node serves meanwhile', async () => {
    await using scene = await openRelayScene('sqljs');
    const { relay, mail } = scene;
    relay.replies.set('ann@far.example', { code: 450, text: 'Later' });
    await invite(scene, 'ann@far.example');
    await scene.mailed();
    mail.domain = 'far.example';
    relay.replies.clear();
    await scene.mailed(dayMs / 24);
    expect([await scene.outcomes(), relay.taken]).toEqual([{ 'ann@far.example': 'DELIVERED' }, []]);
  });

  it('gets no words of guests, no lines of anybody, and no blind copies', async () => {
    await using scene = await openRelayScene('sqljs');
    const { ann, relay } = scene;
    const page = await pageOf(scene, ann);
    for (const bookerEmail of ['eve@else.example\r\nBcc: x@far.example', 'eve@else.example>\r\nDATA', 'a@b@[c'])
      expect(await refusal(scene, page.slug, at('09:00'), { bookerEmail })).toBe('400 VALIDATION_ERROR');
    const { appointment } = await book(scene, page.slug, at('09:00'), {
      bookerName: 'Eve Bcc: all@far.example',
      bookerEmail: 'eve@else.example',
      notes: 'Buy\r\n.\r\nMAIL FROM:<x@y.example>',
    });
    await scene.mailed();
    await scene
      .done(appointments.rejectAppointment, ann, { id: appointment.id, reason: 'Ill\n.\nRSET' })
      .catch(
        async () =>
          await scene.done(appointments.cancelAppointment, ann, { id: appointment.id, reason: 'Ill\n.\nRSET' }),
      );
    const attendees = [{ email: 'fay@far.example' }];
    const description = '.\r\nRSET\r\nMAIL FROM:<x@y.example>';
    await scene.done(events.createEvent, ann, {
      summary: 'Plan Bcc: all@far.example',
      description,
      ...times,
      attendees,
    });
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to).toSorted()).toEqual([
      'eve@else.example',
      'eve@else.example',
      'fay@far.example',
    ]);
    for (const { message } of relay.taken) {
      const head = message.slice(0, message.indexOf('\r\n\r\n'));
      expect(head).toMatch(/^From: ann <ann@home\.example>\r$/m);
      expect(head).not.toMatch(/^bcc:/im);
      expect(message).not.toContain('Buy');
    }
  });

  it('is signed in to over TLS whose certificate holds, with a password that is in no log, job or message', async () => {
    const { certificate, key } = await selfSignedCertificate(['127.0.0.1', 'localhost'], Date.now());
    await using folder = await temporaryFolder();
    const relayPasswordFile = join(folder.path, 'password');
    await writeFile(relayPasswordFile, 'wrong battery\n');
    const outgoing = { lookup: async () => [], allows: () => false, ca: [certificate] };
    await using scene = await openRelayScene('sqljs', {
      server: { key, cert: certificate, authOptional: false },
      mail: { relayTls: 'starttls', relayUser: 'node', relayPasswordFile },
      context: { outgoing },
    });
    const { ann, house, relay } = scene;
    await invite(scene, 'fay@far.example');
    await scene.mailed();
    expect([relay.taken, await scene.outcomes()]).toEqual([[], { 'fay@far.example': 'PENDING' }]);
    const trouble = () => house.log.lines.findLast(({ message }) => message === 'the mail relay can not be used');
    expect(trouble()?.['reason']).toBe(
      'it does not take the sign-in (535): check mail.relay.user and the file of mail.relay.password_file',
    );
    // A new password counts at once.
    await writeFile(relayPasswordFile, 'correct horse\n');
    await scene.mailed(dayMs / 24);
    expect(relay.taken).toMatchObject([{ user: 'node', secure: true, to: ['fay@far.example'] }]);
    // Neither does a certificate of nobody whom the node knows.
    Object.assign(house.ctx, { outgoing: { ...outgoing, ca: undefined } });
    await invite(scene, 'guy@far.example');
    await scene.mailed();
    expect(trouble()?.['reason']).toMatch(/self-signed certificate/);
    await writeFile(relayPasswordFile, '');
    await lastTry(scene);
    await scene.mailed(0);
    expect(await scene.outcomes()).toMatchObject({ 'guy@far.example': 'FAILED RELAY_FAILED' });
    expect(await scene.inboxOf(ann)).toEqual(['Not delivered: Invitation: Plan']);
    const jobs = await house.ctx.db.selectFrom('jobs').selectAll().execute();
    const deliveries = await house.ctx.db.selectFrom('mail_deliveries').selectAll().execute();
    const everywhere = JSON.stringify([house.log.lines, jobs, deliveries, relay.taken]);
    for (const secret of ['battery', 'horse', 'AUTH PLAIN']) expect(everywhere).not.toContain(secret);
    expect(JSON.stringify(deliveries)).not.toContain('password');
    expect(relay.taken).toHaveLength(1);
  });
});
