import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { pool } from '../../../src/contract/pool.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { acceptOffer } from '../../../src/services/mail/network/accept.ts';
import { mailBlocks } from '../../../src/services/mail/network/network.ts';
import { noteReceipts } from '../../../src/services/mail/network/receipts.ts';
import { receiptsStatement, type Offer } from '../../../src/services/mail/network/wire.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool, type MailNode, type MailPool } from './pool-scene.ts';

async function threeNodes(mail: MailPool) {
  const [a, b, c] = [await mail.open('a'), await mail.open('b'), await mail.open('c')];
  return { a, b, c, ada: await a.join('ada'), bob: await b.join('bob') };
}

/** The offer that waits in the outbox of a node. */
async function waitingOffer({ house }: MailNode): Promise<{ readonly id: string; readonly offer: Offer }> {
  const row = await house.ctx.db
    .selectFrom('outbox_messages')
    .select(['id', 'body'])
    .where('channel', '=', 'mail')
    .executeTakeFirstOrThrow();
  return { id: row.id, offer: JSON.parse(row.body) as Offer };
}

describe.each(engines)('what a node offers on %s', (engine) => {
  it('is delivered only if all of it is what it says', async () => {
    await using mail = openMailPool(engine);
    const { a, b, c, ada, bob } = await threeNodes(mail);
    mail.scene.network.cut('a', 'b');
    const message = { from: ada.mailbox, to: [bob.mailbox], subject: 'Hello', textBody: 'Hi.' };
    await a.ask(ada, 'POST', '', message);
    const { id, offer } = await waitingOffer(a);
    const { ctx } = b.house;
    const taken = async (changes: Partial<Offer> = {}, nodeId = a.nodeId, expiresAt = ctx.clock.now() + 60_000) => {
      const row = {
        node_id: nodeId,
        offer_id: id,
        offer: JSON.stringify({ ...offer, ...changes }),
        outcome: null,
        expires_at: expiresAt,
        created_at: ctx.clock.now(),
      };
      const accepted = await acceptOffer(ctx, row, new AbortController().signal);
      const outcomes = await transaction(ctx, async (tx) => await accepted.deliver(tx, new Set()));
      return outcomes.map(({ code, delivered }) => (delivered ? 'delivered' : code));
    };
    const [block] = offer.blocks;
    const changed = (text: string) =>
      Buffer.from(Buffer.from(text, 'base64').map((byte) => byte ^ 1)).toString('base64');
    expect(await taken({}, c.nodeId)).toEqual(['SENDER_MISMATCH']);
    expect(await taken({ from: 'eve@a.example' })).toEqual(['SENDER_MISMATCH']);
    expect(await taken({ from: 'ada@c.example' })).toEqual(['SENDER_MISMATCH']);
    expect(await taken({ from: 'nobody at all' })).toEqual(['MALFORMED']);
    expect(await taken({ recipients: ['bob@c.example', 'nobody@b.example', 'bob'] })).toEqual([
      'NOT_SERVED',
      'NO_SUCH_MAILBOX',
      'NOT_SERVED',
    ]);
    expect(await taken({ secret: changed(offer.secret) })).toEqual(['MALFORMED']);
    expect(await taken({ layout: changed(offer.layout) })).toEqual(['MALFORMED']);
    expect(await taken({ blocks: [{ ...block!, hash: 'ab'.repeat(64) }] })).toEqual(['MALFORMED']);
    expect(await taken({ blocks: [{ ...block!, sealed: changed(block!.sealed!) }] })).toEqual(['MALFORMED']);
    expect(await taken({ blocks: [{ ...block!, size: block!.size + 1 }] })).toEqual(['MALFORMED']);
    expect(await taken({ blocks: [block!, { ...block!, piece: 1 }] })).toEqual(['MALFORMED']);
    expect(await taken({ blocks: [] })).toEqual([]);
    expect(await taken({ recipients: [] })).toEqual([]);
    expect(await taken({}, a.nodeId, ctx.clock.now())).toEqual(['EXPIRED']);
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(0);
    expect(await ctx.db.selectFrom('mail_contents').select('id').execute()).toEqual([]);
    expect(await taken({ recipients: ['bob@b.example', 'BOB+x@b.example'] })).toEqual(['delivered', 'delivered']);
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(1);
  });

  it('is refused in its transaction when the node has lost the domain meanwhile', async () => {
    await using mail = openMailPool(engine);
    const { a, b, ada, bob } = await threeNodes(mail);
    mail.scene.network.cut('a', 'b');
    await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], textBody: 'Hi.' });
    const { id, offer } = await waitingOffer(a);
    await mail.scene.network.heal('a', 'b');
    const { ctx } = b.house;
    const row = {
      node_id: a.nodeId,
      offer_id: `${id.slice(0, 31)}0`,
      offer: JSON.stringify(offer),
      outcome: null,
      expires_at: ctx.clock.now() + 60_000,
      created_at: ctx.clock.now(),
    };
    const accepted = await acceptOffer(ctx, { ...row, offer_id: id }, new AbortController().signal);
    await a.house.perform(pool.updateNode, { nodeId: a.nodeId, mailDomain: 'elsewhere.example' }, a.boss.token);
    await mail.round();
    const outcomes = await transaction(ctx, async (tx) => await accepted.deliver(tx, new Set()));
    expect(outcomes).toMatchObject([{ delivered: false, code: 'SENDER_MISMATCH' }]);
  });

  it('has blocks for the node that it was offered alone', async () => {
    await using mail = openMailPool(engine);
    const { a, b, c, ada, bob } = await threeNodes(mail);
    mail.scene.network.cut('a', 'b');
    const attachments = [{ filename: 'a', content: Buffer.alloc(200_000, 7).toString('base64') }];
    await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], textBody: 'Hi.', attachments });
    const { offer } = await waitingOffer(a);
    const large = offer.blocks.find(({ inDatabase }) => !inDatabase)!.hash;
    const mayFetch = async ({ nodeId, house }: MailNode) =>
      await mailBlocks(a.house.ctx)(large, { nodeId, publicKey: house.ctx.keys.identity.publicKey } as never);
    expect([await mayFetch(b), await mayFetch(c)]).toEqual([true, false]);
  });

  it('is not delivered because a node says so that the list names no more for the domain', async () => {
    await using mail = openMailPool(engine);
    const { a, b, c, ada, bob } = await threeNodes(mail);
    const other = await c.join('bob');
    mail.scene.network.cut('a', 'b');
    const { id } = await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], textBody: 'Hi.' });
    const { id: offerId } = await waitingOffer(a);
    await a.house.perform(pool.updateNode, { nodeId: b.nodeId, mailDomain: null }, a.boss.token);
    await a.house.perform(pool.updateNode, { nodeId: c.nodeId, mailDomain: 'b.example' }, a.boss.token);
    const { ctx } = a.house;
    const receipts = [{ offerId, outcomes: [{ address: bob.address, delivered: true }] }];
    const at = ctx.clock.now();
    const statement = receiptsStatement({ receipts, at }, { receiver: b.nodeId, sender: a.nodeId });
    const signature = Buffer.from(sign(b.identity.privateKey, statement)).toString('base64');
    const message = { nodeId: b.nodeId, channel: 'mail-receipts', id: 'x', expiresAt: at + 1 };
    await transaction(
      ctx,
      async (tx) => await noteReceipts(tx, { ...message, body: { v: 1, receipts, at, signature } }),
    );
    const statusOf = async () => (await a.ask(ada, 'GET', `/${id}/deliveries`)).deliveries[0].status;
    expect(await statusOf()).toBe('PENDING');
    await mail.round();
    expect(await statusOf()).toBe('DELIVERED');
    expect((await c.ask(other, 'GET', '/inbox')).total).toBe(1);
  });
});
