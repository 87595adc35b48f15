import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openMail } from './scene.ts';

const HOUR = 3_600_000;

describe.each(engines)('sending on %s', (engine) => {
  it('tells nobody of those in Bcc, but their sender', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy, eve] = [
      await scene.join('ada'),
      await scene.join('bob'),
      await scene.join('cy'),
      await scene.join('eve'),
    ];
    const sent = await scene.send(ada, [bob], { cc: [cy.mailbox], bcc: [eve.mailbox], textBody: 'Surprise' });
    expect(sent.deliveryStatus).toEqual({
      [bob.address]: 'DELIVERED',
      [cy.address]: 'DELIVERED',
      [eve.address]: 'DELIVERED',
    });
    const path = `/${encodeURIComponent(sent.messageId)}`;
    for (const who of [bob, cy, eve]) {
      const raw = await scene.house.fetch(
        new Request(`http://house.test/api/emails${path}/raw`, { headers: { authorization: `Bearer ${who.token}` } }),
      );
      const seen = [
        await raw.text(),
        ...(await Promise.all(
          ['', '/content', '/thread', '/delivery-status', '/deliveries'].map(async (rest) =>
            JSON.stringify((await scene.ask(who, 'GET', `${path}${rest}`, undefined, 200)).body),
          ),
        )),
      ].join('\n');
      expect(seen).not.toMatch(/\bbcc\b/i);
      expect(seen).not.toContain(eve.address);
    }
    expect((await scene.ask(bob, 'GET', '/inbox?searchText=eve', undefined, 200)).body.data.total).toBe(0);
    expect((await scene.ask(ada, 'GET', '/sent?searchText=eve', undefined, 200)).body.data.total).toBe(1);
    expect((await scene.ask(ada, 'GET', path, undefined, 200)).body.data.bcc).toMatchObject([{ address: eve.address }]);
    const own = await scene.house.fetch(
      new Request(`http://house.test/api/emails/${sent.id}/raw`, { headers: { authorization: `Bearer ${ada.token}` } }),
    );
    expect(await own.text()).toContain(`Bcc: ${eve.address}`);
    const { data: answer } = (
      await scene.ask(bob, 'POST', `${path}/reply`, { from: bob.mailbox, replyAll: true, textBody: 'Oh' }, 201)
    ).body;
    expect(Object.keys(answer.deliveryStatus).toSorted()).toEqual([ada.address, cy.address]);
  });

  it('keeps to the own mailbox, and says what is wrong with each field', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const other = await scene.ask(ada, 'POST', '', { from: bob.mailbox, to: [bob.mailbox], textBody: 'x' });
    expect([other.status, other.body.error]).toMatchObject([
      403,
      { code: 'FORBIDDEN', message: `You can send from ${ada.address} alone.` },
    ]);
    const alias = { ...ada.mailbox, localPart: 'ADA+lists' };
    await scene.ask(ada, 'POST', '', { from: alias, to: [{ ...bob.mailbox, localPart: 'bob+x' }], textBody: 'x' }, 201);
    const wrong = async (more: object) => {
      const { status, body } = await scene.ask(ada, 'POST', '', {
        from: ada.mailbox,
        to: [bob.mailbox],
        textBody: 'x',
        ...more,
      });
      return [status, body.error.message];
    };
    const many = Array.from({ length: 101 }, (_, index) => ({ localPart: `m${index}`, domain: 'x.example' }));
    expect(await wrong({ to: [] })).toEqual([400, 'to: must name at least one recipient, or cc or bcc must']);
    expect(await wrong({ to: undefined, cc: many })).toEqual([400, 'cc: must be at most 100 mailboxes']);
    expect(await wrong({ cc: many.slice(0, 100) })).toEqual([
      400,
      'to: must be, with cc and bcc, at most 100 recipients',
    ]);
    expect(await wrong({ to: [{ localPart: 'a b', domain: 'no domain' }] })).toEqual([
      400,
      'to.0: is not a valid mailbox',
    ]);
    expect(await wrong({ subject: 'Hi\r\nBcc: eve@x.example' })).toEqual([
      400,
      'subject: must be one line without control characters',
    ]);
    expect(await wrong({ to: [{ ...bob.mailbox, displayName: 'Bob\r\nX: y' }] })).toEqual([
      400,
      'to.0.displayName: must not contain control characters',
    ]);
    expect(await wrong({ attachments: [{ filename: '../../etc/passwd', content: '' }] })).toEqual([
      400,
      'attachments.0.filename: must be a file name without path separators or control characters',
    ]);
    expect(await wrong({ attachments: [{ content: 'no base64!' }] })).toEqual([
      400,
      'attachments.0.content: must be base 64',
    ]);
    expect(await wrong({ attachments: [{}] })).toEqual([400, 'attachments.0: must have either content or uploadId']);
    expect(await wrong({ attachments: [{ contentType: 'multipart/mixed', content: '' }] })).toEqual([
      400,
      'attachments.0.contentType: must not be a type that other parts belong to',
    ]);
    const { body } = await scene.ask(ada, 'POST', '', { to: [bob.mailbox] });
    expect(body.error.code).toBe('VALIDATION_ERROR');
    expect(
      await scene.house.ctx.db.selectFrom('mail_parts').select('hash').where('block_id', 'is not', null).execute(),
    ).toEqual([]);
  });

  it('says of a mailbox that is blocked or full, or has no node, that it failed, and why', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const rules = [{ name: 'No', conditions: { from: 'ada@' }, actions: { refuse: true } }];
    await scene.ask(cy, 'PUT', '/rules', { rules }, 200);
    const { db } = scene.house.ctx;
    const { perMemberBytes } = scene.house.ctx.config.storage;
    await db.insertInto('member_storage').values({ member_id: bob.memberId, bytes: perMemberBytes }).execute();
    const sent = await scene.send(ada, [bob, cy], { cc: [{ localPart: 'x', domain: 'elsewhere.example' }] });
    const { data } = (await scene.ask(ada, 'GET', `/${sent.id}/deliveries`, undefined, 200)).body;
    expect(
      data.deliveries.map(({ status, failure }: { status: string; failure: string }) => [status, failure]),
    ).toEqual([
      ['FAILED', 'MAILBOX_FULL'],
      ['FAILED', 'BLOCKED'],
      ['FAILED', 'NO_ROUTE'],
    ]);
    expect((await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(0);
    const dan = await scene.join('dan');
    const block = { member_id: dan.memberId, blocked_id: ada.memberId, created_at: scene.house.clock.now() };
    await db.insertInto('member_blocks').values(block).execute();
    const kept = await scene.send(ada, [dan]);
    const { data: told } = (await scene.ask(ada, 'GET', `/${kept.id}/deliveries`, undefined, 200)).body;
    expect(told.deliveries).toMatchObject([{ status: 'FAILED', failure: 'BLOCKED' }]);
  });

  it('can wait, and be taken back until then', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const sendAt = new Date(scene.house.clock.now() + HOUR).toISOString();
    const [one, two] = [
      await scene.send(ada, [bob], { sendAt }),
      await scene.send(ada, [], { bcc: [bob.mailbox], sendAt }),
    ];
    expect(one.deliveryStatus).toEqual({ [bob.address]: 'PENDING' });
    expect((await scene.ask(ada, 'GET', `/${one.id}`, undefined, 200)).body.data.sendAt).toBe(sendAt);
    await scene.ask(ada, 'POST', `/${two.id}/cancel`, {}, 200);
    scene.house.clock.advance(HOUR);
    await runDueJobs(scene, 'mail');
    expect((await scene.ask(ada, 'GET', `/${one.id}/delivery-status`, undefined, 200)).body.data).toEqual({
      [bob.address]: 'DELIVERED',
    });
    expect((await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(1);
    const late = await scene.ask(ada, 'POST', `/${one.id}/cancel`, {});
    expect([late.status, late.body.error.code]).toEqual([409, 'EMAIL_NOT_PENDING']);
    // What was taken back is a draft, with Bcc and all, and can be sent after all.
    const { data: drafts } = (await scene.ask(ada, 'GET', '/drafts', undefined, 200)).body;
    expect(drafts.emails).toMatchObject([{ id: two.id, keywords: ['$draft'] }]);
    const { data: sent } = (await scene.ask(ada, 'POST', `/${two.id}/send`, {}, 201)).body;
    expect(sent.deliveryStatus).toEqual({ [bob.address]: 'DELIVERED' });
    expect((await scene.ask(ada, 'GET', '/drafts', undefined, 200)).body.data.total).toBe(0);
  });

  it('begins with a draft, which keeps its attachments from version to version', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const upload = await scene.house.api('POST', '/api/emails/uploads', {
      token: ada.token,
      rawBody: new Uint8Array(100_000).fill(5),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(upload.body.data).toMatchObject({ size: 100_000 });
    const attachments = [{ filename: 'five.bin', uploadId: upload.body.data.uploadId }];
    const stolen = await scene.ask(bob, 'POST', '', { from: bob.mailbox, to: [bob.mailbox], attachments });
    expect([stolen.status, stolen.body.error.code]).toEqual([404, 'EMAIL_UPLOAD_NOT_FOUND']);
    const { data: first } = (
      await scene.ask(ada, 'POST', '/drafts', { subject: 'D', textBody: 'one', attachments }, 201)
    ).body;
    const again = await scene.ask(ada, 'POST', '/drafts', { attachments });
    expect([again.status, again.body.error.code]).toEqual([404, 'EMAIL_UPLOAD_NOT_FOUND']);
    const { data: second } = (
      await scene.ask(ada, 'PUT', `/${first.id}/draft`, { subject: 'E', textBody: 'two', to: [bob.mailbox] }, 200)
    ).body;
    expect(second.messageId).toBe(first.messageId);
    await scene.ask(ada, 'GET', `/${first.id}`, undefined, 404);
    await scene.ask(ada, 'POST', `/${second.id}/send`, {}, 201);
    const { emails } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data;
    const { data: content } = (await scene.ask(bob, 'GET', `/${emails[0].id}/content`, undefined, 200)).body;
    expect(content).toMatchObject({ textBody: 'two', attachments: [{ filename: 'five.bin', size: 100_000 }] });
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
    expect((await scene.ask(ada, 'POST', `/${second.id}/send`, {})).status).toBe(404);
  });

  it('follows rules: folder, labels, and what is forwarded once and not in circles', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const to = (who: typeof bob) => ({ forwardTo: [who.mailbox] });
    const rules = (who: typeof bob) => ({
      rules: [
        {
          name: 'News',
          conditions: { subject: 'news', largerThan: 100 },
          actions: { addLabels: ['News'], moveTo: 'archive', markRead: true },
        },
        { name: 'All', conditions: { smallerThan: 1_000_000 }, actions: { flag: true, ...to(who) } },
      ],
    });
    await scene.ask(bob, 'PUT', '/rules', rules(cy), 200);
    await scene.ask(cy, 'PUT', '/rules', rules(bob), 200);
    await scene.send(ada, [bob], { subject: 'The NEWS', attachments: [{ filename: 'n.txt', content: 'aGk=' }] });
    await runDueJobs(scene, 'mail');
    expect((await scene.ask(bob, 'GET', '/messages?folder=archive', undefined, 200)).body.data.emails).toMatchObject([
      { labels: ['News'], read: true, keywords: ['$flagged', '$forwarded'] },
    ]);
    const { emails } = (await scene.ask(cy, 'GET', '/messages', undefined, 200)).body.data;
    expect(emails).toMatchObject([{ subject: 'Fwd: The NEWS', from: { address: bob.address }, hasAttachments: true }]);
    expect((await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(0);
    const wrong = [
      { name: 'x', conditions: { from: 'a' }, actions: { forwardTo: [{ localPart: 'a b', domain: 'x y' }] } },
    ];
    expect((await scene.ask(bob, 'PUT', '/rules', { rules: wrong })).body.error.message).toBe(
      'rules.0.actions.forwardTo.0: is not a valid mailbox',
    );
  });
});
