import { describe, expect, it } from 'vitest';
import { pool } from '../../../src/contract/pool.ts';
import { noteReceipts } from '../../../src/services/mail/network/receipts.ts';
import { receiptsStatement } from '../../../src/services/mail/network/wire.ts';
import { transaction } from '../../../src/service/context.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool, type MailNode, type MailPool } from './pool-scene.ts';
import type { Correspondent } from './scene.ts';

const DAY = 86_400_000;

async function twoNodes(mail: MailPool) {
  const [a, b] = [await mail.open('a'), await mail.open('b')];
  return { a, b, ada: await a.join('ada'), bob: await b.join('bob') };
}

const write = async (a: MailNode, ada: Correspondent, bob: Correspondent) =>
  await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], subject: 'Hello', textBody: 'Hi.' });

async function outcomeOf(a: MailNode, ada: Correspondent, id: string): Promise<string> {
  const { deliveries } = await a.ask(ada, 'GET', `/${id}/deliveries`);
  return deliveries
    .map(({ status, failure }: { status: string; failure: string | null }) =>
      [status, failure].filter(Boolean).join(' '),
    )
    .join();
}

const total = async (node: MailNode, who: Correspondent): Promise<number> =>
  (await node.ask(who, 'GET', '/inbox')).total;

describe.each(engines)('mail on its way on %s', (engine) => {
  it('waits for a node that is away, can be taken back meanwhile, and arrives once', async () => {
    await using mail = openMailPool(engine);
    const { a, b, ada, bob } = await twoNodes(mail);
    mail.scene.network.cut('a', 'b');
    const [one, two] = [await write(a, ada, bob), await write(a, ada, bob)];
    await mail.settled();
    expect(await outcomeOf(a, ada, one.id)).toBe('PENDING');
    await a.ask(ada, 'POST', `/${two.id}/cancel`, {});
    mail.scene.advance(DAY);
    await mail.scene.network.heal('a', 'b');
    await mail.settled();
    expect(await outcomeOf(a, ada, one.id)).toBe('DELIVERED');
    expect(await total(b, bob)).toBe(1);
    const late = await a.house.api('POST', `/api/emails/${one.id}/cancel`, { token: ada.token, body: {} });
    expect(late.body.error.code).toBe('EMAIL_NOT_PENDING');
  });

  it('fails when nobody acknowledges it in time', { tags: 'thorough' }, async () => {
    await using mail = openMailPool(engine);
    const { a, ada, bob } = await twoNodes(mail);
    mail.scene.network.cut('a', 'b');
    const { id } = await write(a, ada, bob);
    mail.scene.advance(5 * DAY + 1);
    await mail.settled();
    expect(await outcomeOf(a, ada, id)).toBe('FAILED EXPIRED');
  });

  it(
    'goes to the node that has the domain now, and what another one says does not count',
    { tags: 'thorough' },
    async () => {
      await using mail = openMailPool(engine);
      const { a, b, ada, bob } = await twoNodes(mail);
      const c = await mail.open('c');
      const other = await c.join('bob');
      mail.scene.network.cut('a', 'b');
      const { id } = await write(a, ada, bob);
      await mail.settled();
      await a.house.perform(pool.updateNode, { nodeId: b.nodeId, mailDomain: null }, a.boss.token);
      await a.house.perform(pool.updateNode, { nodeId: c.nodeId, mailDomain: 'b.example' }, a.boss.token);
      await mail.round();
      expect(await outcomeOf(a, ada, id)).toBe('DELIVERED');
      expect(await total(c, other)).toBe(1);
      await mail.scene.network.heal('a', 'b');
      await mail.settled();
      expect(await total(b, bob)).toBe(0);
    },
  );

  it(
    'is there once when the domain moves away and back while the receipt is on its way',
    { tags: 'thorough' },
    async () => {
      await using mail = openMailPool(engine);
      const { a, b, ada, bob } = await twoNodes(mail);
      const c = await mail.open('c');
      const { id } = await write(a, ada, bob);
      await mail.scene.settled();
      mail.scene.network.cut('a', 'b');
      mail.scene.network.cut('a', 'c');
      await mail.jobs(b);
      expect(await total(b, bob)).toBe(1);
      const move = async (from: MailNode, to: MailNode) => {
        await a.house.perform(pool.updateNode, { nodeId: from.nodeId, mailDomain: null }, a.boss.token);
        await a.house.perform(pool.updateNode, { nodeId: to.nodeId, mailDomain: 'b.example' }, a.boss.token);
        await mail.round();
      };
      await move(b, c);
      await move(c, b);
      const offers = await a.house.ctx.db.selectFrom('mail_offers').select('node_id').execute();
      expect(offers).toEqual([{ node_id: b.nodeId }]);
      await mail.scene.network.heal('a', 'b');
      await mail.settled();
      expect(await outcomeOf(a, ada, id)).toBe('DELIVERED');
      expect(await total(b, bob)).toBe(1);
    },
  );

  it('fails when its node was removed from the pool', async () => {
    await using mail = openMailPool(engine);
    const { a, b, ada, bob } = await twoNodes(mail);
    mail.scene.network.cut('a', 'b');
    const { id } = await write(a, ada, bob);
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    await mail.round();
    expect(await outcomeOf(a, ada, id)).toBe('FAILED NO_ROUTE');
  });

  it(
    'is not delivered by receipts that are forged, of another node, or of another offer',
    { tags: 'thorough' },
    async () => {
      await using mail = openMailPool(engine);
      const { a, b, ada, bob } = await twoNodes(mail);
      mail.scene.network.cut('a', 'b');
      const { id } = await write(a, ada, bob);
      const { ctx } = a.house;
      const { id: offerId } = await ctx.db.selectFrom('mail_offers').select('id').executeTakeFirstOrThrow();
      const told = (offer: string, key: Uint8Array, receiver: string) => {
        const receipts = [{ offerId: offer, outcomes: [{ address: bob.address, delivered: true }] }];
        const at = ctx.clock.now();
        const statement = receiptsStatement({ receipts, at }, { receiver, sender: a.nodeId });
        return { v: 1, receipts, at, signature: Buffer.from(sign(key, statement)).toString('base64') };
      };
      const note = async (nodeId: string, body: unknown) =>
        await transaction(
          ctx,
          async (tx) =>
            await noteReceipts(tx, { nodeId, channel: 'mail-receipts', id: 'x', body, expiresAt: ctx.clock.now() + 1 }),
        );
      const [own, theirs] = [a.identity.privateKey, b.identity.privateKey];
      const refused = { kind: 'invalid', code: 'RECEIPT_INVALID' };
      await expect(note(b.nodeId, told(offerId, own, b.nodeId))).rejects.toMatchObject(refused);
      await expect(note(b.nodeId, told(offerId, theirs, a.nodeId))).rejects.toMatchObject(refused);
      await expect(note(b.nodeId, { ...told(offerId, theirs, b.nodeId), at: 1 })).rejects.toMatchObject(refused);
      await note(a.nodeId, told(offerId, own, a.nodeId));
      await note(b.nodeId, told('0'.repeat(32), theirs, b.nodeId));
      expect(await outcomeOf(a, ada, id)).toBe('PENDING');
      const genuine = told(offerId, theirs, b.nodeId);
      await note(b.nodeId, genuine);
      await note(b.nodeId, genuine);
      expect(await outcomeOf(a, ada, id)).toBe('DELIVERED');
    },
  );

  it('counts a late receipt after it had failed', { tags: 'thorough' }, async () => {
    await using mail = openMailPool(engine);
    const { a, b, ada, bob } = await twoNodes(mail);
    const { id } = await write(a, ada, bob);
    // The other node has it, and its receipt is on the way for longer than it may.
    await mail.scene.settled();
    mail.scene.network.cut('a', 'b');
    await mail.jobs(b);
    mail.scene.advance(5 * DAY + 1);
    await mail.jobs(a);
    expect(await outcomeOf(a, ada, id)).toBe('FAILED EXPIRED');
    expect(await total(b, bob)).toBe(1);
    await mail.scene.network.heal('a', 'b');
    await mail.settled();
    expect(await outcomeOf(a, ada, id)).toBe('DELIVERED');
  });
});
