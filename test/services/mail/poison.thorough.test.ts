import { describe, expect, it } from 'vitest';
import { rerouteMoved } from '../../../src/services/mail/network/rerouting.ts';
import { asUsual, planForwards } from '../../../src/services/mail/rules/apply.ts';
import { purgeMail } from '../../../src/services/mail/purge.ts';
import { transaction } from '../../../src/service/context.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openMailPool } from './pool-scene.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const totals = async (scene: MailScene, who: Correspondent, folder = 'inbox') =>
  (await scene.ask(who, 'GET', `/messages?folder=${folder}`, undefined, 200)).body.data.total;

describe.each(engines)('a rule for mail that always fails, on %s', (engine) => {
  it('is left out where it can not be read: the others and the mail go on, and the log says so', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const conditions = { subject: 'hello' };
    const rules = [
      { name: 'one', conditions, actions: { markRead: true } },
      { name: 'two', conditions, actions: { moveTo: 'archive' } },
    ];
    const kept = (await scene.ask(bob, 'PUT', '/rules', { rules }, 200)).body.data.rules;
    const { db } = scene.house.ctx;
    await db
      .updateTable('mail_rules')
      .set({ sealed: new Uint8Array(60) })
      .where('id', '=', kept[0].id)
      .execute();
    const sent = await scene.send(ada, [bob, cy]);
    expect(sent.deliveryStatus).toEqual({ [bob.address]: 'DELIVERED', [cy.address]: 'DELIVERED' });
    expect([await totals(scene, bob, 'archive'), await totals(scene, cy)]).toEqual([1, 1]);
    expect(scene.house.log.lines).toContainEqual(expect.objectContaining({ level: 'error', ruleId: kept[0].id }));
    const listed = (await scene.ask(bob, 'GET', '/rules', undefined, 200)).body.data.rules;
    expect(listed).toMatchObject([{ name: 'two' }]);
  });

  it('forwards to the others where one address is out of reach, and fails for that one alone', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const forwards = [
      { localPart: 'x', domain: 'nowhere.example' },
      { localPart: 'gone', domain: 'home.example' },
    ];
    const rules = [...forwards, cy.mailbox].map((to, at) => ({
      name: `rule ${at}`,
      conditions: { from: 'ada' },
      actions: { forwardTo: [to] },
    }));
    await scene.ask(bob, 'PUT', '/rules', { rules }, 200);
    await scene.send(ada, [bob]);
    await runDueJobs(scene, 'mail');
    expect(await totals(scene, cy)).toBe(1);
    const deliveries = scene.house.ctx.db.selectFrom('mail_deliveries').select(['address', 'status', 'code']);
    expect(await deliveries.where('sender_id', '=', bob.memberId).orderBy('address').execute()).toEqual([
      { address: cy.address, status: 'DELIVERED', code: null },
      { address: 'x@nowhere.example', status: 'FAILED', code: 'NO_ROUTE' },
    ]);
  });

  it('forwards to all, where rules name more than a message may have', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    await scene.send(ada, [bob]);
    const { ctx } = scene.house;
    const row = await ctx.db
      .selectFrom('mail_items')
      .selectAll()
      .where('folder', '=', 'inbox')
      .executeTakeFirstOrThrow();
    const forwardTo = Array.from({ length: 201 }, (_, at) => ({ localPart: `x${at}`, domain: 'nowhere.example' }));
    await transaction(ctx, async (tx) => await planForwards(tx, row, { ...asUsual, forwardTo }));
    await runDueJobs(scene, 'mail');
    const { length } = await ctx.db.selectFrom('mail_deliveries').select('id').where('code', '=', 'NO_ROUTE').execute();
    expect(length).toBe(201);
  });
});

describe.each(engines)('one item that always fails, on %s', (engine) => {
  it('of the notices of what was not delivered: the others come, and its job says why it waits', async () => {
    await using mail = openMailPool(engine);
    const [a] = [await mail.open('a'), await mail.open('b')];
    const [bad, good] = [await a.join('bad'), await a.join('good')];
    await mail.scene.settled();
    for (const { mailbox: from, ...who } of [bad, good])
      await a.ask({ mailbox: from, ...who }, 'POST', '', {
        from,
        to: [{ localPart: 'nobody', domain: 'b.example' }],
        subject: 'One',
        textBody: 'x',
      });
    const inbox = `new.member_id = '${bad.memberId}' and new.origin like 'notice:%'`;
    await poisonRow(a.house.ctx.store, 'mail_items', 'insert', inbox);
    await mail.settled();
    await mail.jobs(a);
    expect((await a.ask(good, 'GET', '/inbox')).emails).toMatchObject([{ subject: 'Not delivered: One' }]);
    const jobs = a.house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'mail-notice');
    const [job, ...others] = await jobs.execute();
    expect(others).toEqual([]);
    expect(job?.last_error).toContain('poisoned by a test');
    expect((await a.ask(bad, 'GET', '/inbox')).total).toBe(0);
  });

  it('of what another node offered: the others arrive, what is damaged is refused, what fails ends when it expires', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob, eve] = [await a.join('ada'), await b.join('bob'), await b.join('eve')];
    const { store, db } = b.house.ctx;
    await poisonRow(store, 'mail_items', 'insert', `new.member_id = '${eve.memberId}'`);
    const send = async (subject: string, to: Correspondent) =>
      await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [to.mailbox], subject, textBody: 'x' });
    const failing = await send('Never', eve);
    await mail.settled();
    // A row that was damaged while it waited.
    const waiting = await db
      .selectFrom('mail_arrivals')
      .selectAll()
      .where('outcome', 'is', null)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('mail_arrivals')
      .values({ ...waiting, offer_id: 'damaged', offer: '{"cut' })
      .execute();
    await send('Good', bob);
    await mail.settled();
    expect((await b.ask(bob, 'GET', '/inbox')).emails).toMatchObject([{ subject: 'Good' }]);
    const rows = await db.selectFrom('mail_arrivals').select(['offer_id', 'outcome']).execute();
    expect(rows.find((row) => row.offer_id === 'damaged')?.outcome).toBe('[]');
    expect(rows.find((row) => row.offer_id === waiting.offer_id)?.outcome).toBeNull();
    expect(
      b.house.log.lines.some(({ message }) => message === 'an offer of mail could not be taken; it comes again'),
    ).toBe(true);
    mail.scene.advance(30 * DAY + HOUR);
    await mail.settled();
    const ended = await db.selectFrom('mail_arrivals').select('outcome').where('outcome', 'is', null).execute();
    expect(ended).toEqual([]);
    const deliveries = a.house.ctx.db.selectFrom('mail_deliveries').select(['status', 'code']);
    const [delivery] = await deliveries.where('message_id', '=', failing.messageId).execute();
    expect(delivery).toEqual({ status: 'FAILED', code: 'EXPIRED' });
  });

  it('of what goes to another node than before: the others go there, and it is tried again', async () => {
    await using mail = openMailPool(engine);
    const [a] = [await mail.open('a'), await mail.open('b')];
    const ada = await a.join('ada');
    await mail.scene.settled();
    mail.scene.network.cut('a', 'b');
    for (const localPart of ['one', 'two', 'three'])
      await a.ask(ada, 'POST', '', {
        from: ada.mailbox,
        to: [{ localPart, domain: 'b.example' }],
        subject: 'x',
        textBody: 'x',
      });
    const { ctx } = a.house;
    const rows = await ctx.db.selectFrom('mail_deliveries').selectAll().orderBy('id').execute();
    await poisonRow(ctx.store, 'mail_deliveries', 'update', `new.id = '${rows[0]?.id}' and new.offer_id is null`);
    await ctx.db.updateTable('mail_deliveries').set({ domain: 'moved.example' }).execute();
    await expect(rerouteMoved(ctx)).rejects.toThrow('poisoned by a test');
    const offers = await ctx.db.selectFrom('mail_deliveries').select(['id', 'offer_id']).orderBy('id').execute();
    expect(offers.map((row) => row.offer_id === null)).toEqual([false, true, true]);
    expect(a.house.log.lines.filter(({ id }) => id === rows[0]?.id)).toHaveLength(1);
  });

  it('of what is purged: the rest goes, and the job says that it failed', async () => {
    await using scene = await openMail(engine);
    const ada = await scene.join('ada');
    const { ctx } = scene.house;
    for (const content of ['one', 'two', 'three'])
      await scene.house.api('POST', '/api/emails/uploads', {
        token: ada.token,
        rawBody: content,
        headers: { 'content-type': 'text/plain' },
      });
    const [bad, ...others] = await ctx.db.selectFrom('mail_uploads').select('id').orderBy('id').execute();
    expect(others).toHaveLength(2);
    await poisonRow(ctx.store, 'mail_uploads', 'delete', `old.id = '${bad?.id}'`);
    scene.house.clock.advance(2 * DAY);
    await expect(purgeMail(ctx)).rejects.toThrow('poisoned by a test');
    expect(await ctx.db.selectFrom('mail_uploads').select('id').execute()).toEqual([bad]);
  });
});
