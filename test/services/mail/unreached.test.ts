import { describe, expect, it } from 'vitest';
import { submit } from '../../../src/services/mail/sending/raw.ts';
import { mailboxIn } from '../../../src/services/mail/message/address.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool } from './pool-scene.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const nobody = { localPart: 'nobody', domain: 'home.example' };
const DAY = 86_400_000;

const totals = async (scene: MailScene, who: Correspondent) =>
  await Promise.all(
    ['inbox', 'sent', 'drafts'].map(
      async (folder) => (await scene.ask(who, 'GET', `/${folder}`, undefined, 200)).body.data.total,
    ),
  );

describe.each(engines)('a recipient of this node that does not exist, on %s', (engine) => {
  it('is named, and nothing is sent to anybody, also if it has left or is suspended', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    await scene.house.ctx.db
      .updateTable('members')
      .set({ status: 'suspended' })
      .where('id', '=', cy.memberId)
      .execute();
    const plus = { localPart: 'nobody+x', domain: 'HOME.example' };
    const message = { from: ada.mailbox, subject: 'x', textBody: 'y' };
    const lists = { to: [bob.mailbox, nobody], cc: [bob.mailbox], bcc: [cy.mailbox, plus] };
    const refused = await scene.ask(ada, 'POST', '', { ...message, ...lists }, 400);
    expect(refused.body.error).toMatchObject({
      code: 'NO_SUCH_MAILBOX',
      errors: [
        { path: 'to.1', message: 'there is no mailbox nobody@home.example' },
        { path: 'bcc.0', message: 'there is no mailbox cy@home.example' },
        { path: 'bcc.1', message: 'there is no mailbox nobody+x@home.example' },
      ],
    });
    const draft = (await scene.ask(ada, 'POST', '/drafts', { ...message, ...lists }, 201)).body.data;
    const sending = await scene.ask(ada, 'POST', `/${draft.id}/send`, {}, 400);
    expect(sending.body.error.code).toBe('NO_SUCH_MAILBOX');
    expect(await totals(scene, ada)).toEqual([0, 0, 1]);
    expect(await totals(scene, bob)).toEqual([0, 0, 0]);
  });

  it('is left out of an answer to all and of a forward, which name it, and never alone', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    await scene.send(ada, [bob, cy]);
    const { id } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.emails[0];
    const leave = async (who: Correspondent) =>
      await scene.house.ctx.db
        .updateTable('members')
        .set({ status: 'suspended' })
        .where('id', '=', who.memberId)
        .execute();
    await leave(cy);
    const answer = { from: bob.mailbox, textBody: 'x' };
    const all = (await scene.ask(bob, 'POST', `/${id}/reply`, { ...answer, replyAll: true }, 201)).body.data;
    expect(all).toMatchObject({ skipped: [cy.address], deliveryStatus: { [ada.address]: 'DELIVERED' } });
    const forwardTo = [ada.mailbox, cy.mailbox];
    const forwarded = (await scene.ask(bob, 'POST', `/${id}/forward`, { forwardTo }, 201)).body.data;
    expect(forwarded).toMatchObject({ skipped: [cy.address], deliveryStatus: { [ada.address]: 'DELIVERED' } });
    await leave(ada);
    for (const [path, body] of [
      ['reply', answer],
      ['reply', { ...answer, replyAll: true }],
      ['forward', { forwardTo: [cy.mailbox] }],
    ] as const)
      expect((await scene.ask(bob, 'POST', `/${id}/${path}`, body, 400)).body.error.code).toBe('NO_SUCH_MAILBOX');
    expect(await totals(scene, bob)).toEqual([1, 2, 0]);
  });
});

describe.each(engines)('what fails later, on %s', (engine) => {
  it('is told once by a notice with an empty return path, and by a notification', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const to = [nobody.localPart, 'nobody-else', 'bob'].map((localPart) => ({ localPart, domain: 'b.example' }));
    const sent = await a.ask(ada, 'POST', '', { from: ada.mailbox, to, subject: 'Grüße', textBody: 'Hi.' });
    await mail.settled();
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(1);
    const { db } = a.house.ctx;
    const bytes = async () =>
      await db.selectFrom('member_storage').select('bytes').where('member_id', '=', ada.memberId).executeTakeFirst();
    const before = await bytes();
    await mail.jobs(a);
    await mail.jobs(a);
    const { emails } = await a.ask(ada, 'GET', '/inbox');
    expect(emails).toMatchObject([{ subject: 'Not delivered: Grüße', from: { address: 'no.reply@a.example' } }]);
    const raw = await a.house.fetch(
      new Request(`http://house.test/api/emails/${emails[0].id}/raw`, {
        headers: { authorization: `Bearer ${ada.token}` },
      }),
    );
    const text = (await raw.text()).replaceAll('\r\n', '\n');
    expect(text).toMatch(/^Return-Path: <>\n/);
    expect(text).toMatch(/^Auto-Submitted: auto-replied$/m);
    expect(text).toMatch(/multipart\/report; report-type=delivery-status/);
    expect(text.match(/^Final-Recipient: .*$/gm)).toEqual([
      'Final-Recipient: rfc822; nobody@b.example',
      'Final-Recipient: rfc822; nobody-else@b.example',
    ]);
    expect(text).toMatch(/^Action: failed\nStatus: 5\.1\.1\nDiagnostic-Code: x-conclave; NO_SUCH_MAILBOX /m);
    // The head of the original, and nothing of its text.
    expect(text).toContain(`Message-ID: <${sent.messageId}>\n`);
    expect(text).not.toContain('Hi.');
    expect(await bytes()).toEqual(before);
    const told = await db.selectFrom('notifications').select(['type', 'content']).orderBy('created_at').execute();
    expect(told).toEqual([
      { type: 'email_failed', content: 'Your e-mail did not reach nobody@b.example, nobody-else@b.example.' },
    ]);
    // Nobody answers it, and removing it frees nothing.
    const reply = { from: ada.mailbox, textBody: 'x' };
    expect(
      (await a.house.api('POST', `/api/emails/${emails[0].id}/reply`, { token: ada.token, body: reply })).status,
    ).toBe(400);
    await a.ask(ada, 'DELETE', `/${emails[0].id}`);
    expect(await bytes()).toEqual(before);
  });

  it('is told of what nobody acknowledged in time, and not of what a program sent', async () => {
    await using mail = openMailPool(engine);
    const [a] = [await mail.open('a'), await mail.open('b')];
    const ada = await a.join('ada');
    await mail.scene.settled();
    mail.scene.network.cut('a', 'b');
    const to = [{ localPart: 'bob', domain: 'b.example' }];
    await a.ask(ada, 'POST', '', { from: ada.mailbox, to, subject: 'One', textBody: 'x' });
    const head = [`From: ${ada.address}`, 'To: bob@b.example', 'Subject: Two', 'Auto-Submitted: auto-replied'];
    await a.house.fetch(
      new Request('http://house.test/api/emails/raw', {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'message/rfc822' },
        body: `${head.join('\r\n')}\r\n\r\nx\r\n`,
      }),
    );
    expect((await a.ask(ada, 'GET', '/sent')).total).toBe(2);
    mail.scene.advance(6 * DAY);
    await mail.jobs(a);
    await mail.jobs(a);
    const { emails } = await a.ask(ada, 'GET', '/inbox');
    expect(emails.map(({ subject }: { subject: string }) => subject)).toEqual(['Not delivered: One']);
  });

  it('is told to whoever sees no answer, such as a program that submits over SMTP', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const block = { member_id: bob.memberId, blocked_id: ada.memberId, created_at: scene.house.clock.now() };
    await scene.house.ctx.db.insertInto('member_blocks').values(block).execute();
    async function* octets() {
      yield Buffer.from(`From: ${ada.address}\r\nTo: ${bob.address}\r\nSubject: Hello\r\n\r\nHi.\r\n`);
    }
    const { id: sessionId } = await scene.house.ctx.db
      .selectFrom('sessions')
      .select('id')
      .where('member_id', '=', ada.memberId)
      .executeTakeFirstOrThrow();
    const actor = { memberId: ada.memberId, username: 'ada', type: 'User', sessionId };
    await submit(scene.house.ctx, actor as never, octets(), [mailboxIn(bob.address)!], { unseen: true });
    await runDueJobs(scene, 'mail');
    const { emails } = (await scene.ask(ada, 'GET', '/inbox', undefined, 200)).body.data;
    expect(emails).toMatchObject([{ subject: 'Not delivered: Hello' }]);
    // Whoever sees the answer is told there.
    const sent = await scene.send(ada, [bob]);
    expect(sent.deliveryStatus).toEqual({ [bob.address]: 'FAILED' });
    await runDueJobs(scene, 'mail');
    expect((await scene.ask(ada, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(1);
  });
});
