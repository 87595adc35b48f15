import { describe, expect, it } from 'vitest';
import { purgeMail } from '../../../src/services/mail/purge.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool } from './pool-scene.ts';
import { openMail } from './scene.ts';

const DAY = 86_400_000;

describe.each(engines)('what is left of mail on %s', (engine) => {
  it('goes: uploads after a day', async () => {
    await using scene = await openMail(engine);
    const ada = await scene.join('ada');
    const rawBody = new Uint8Array(100_000).fill(1);
    const headers = { 'content-type': 'application/pdf' };
    const { body } = await scene.house.api('POST', '/api/emails/uploads', { token: ada.token, rawBody, headers });
    scene.house.clock.advance(DAY - 1);
    await purgeMail(scene.house.ctx);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
    scene.house.clock.advance(1);
    const late = await scene.ask(ada, 'POST', '/drafts', { attachments: [{ uploadId: body.data.uploadId }] });
    expect([late.status, late.body.error.code]).toEqual([404, 'EMAIL_UPLOAD_NOT_FOUND']);
    await purgeMail(scene.house.ctx);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(0);
    expect(await scene.house.ctx.db.selectFrom('mail_contents').select('id').execute()).toEqual([]);
  });

  it('goes: offers of which nobody will say anything, and what is remembered of arrivals', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const write = async () =>
      await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], subject: 'Hello', textBody: 'Hi.' });
    await write();
    await mail.settled();
    const { id } = await write();
    // The other node has the offer, and never says anything of it.
    await mail.scene.settled();
    mail.scene.network.cut('a', 'b');
    mail.scene.advance(6 * DAY);
    await mail.jobs(a);
    await a.ask(ada, 'DELETE', `/${id}`);
    for (const node of [a, b]) await purgeMail(node.house.ctx);
    expect(await a.house.ctx.db.selectFrom('mail_offers').select('id').execute()).toHaveLength(1);
    expect(await b.house.ctx.db.selectFrom('mail_arrivals').select('offer').execute()).toHaveLength(2);
    mail.scene.advance(70 * DAY);
    for (const node of [a, b]) await purgeMail(node.house.ctx);
    expect(await a.house.ctx.db.selectFrom('mail_offers').select('id').execute()).toEqual([]);
    // The first message, and the notice about the second one.
    expect(await a.house.ctx.db.selectFrom('mail_contents').select('id').execute()).toHaveLength(2);
    expect(await b.house.ctx.db.selectFrom('mail_arrivals').select('outcome').execute()).toEqual([{ outcome: null }]);
  });
});
