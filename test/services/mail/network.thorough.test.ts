import { describe, expect, it } from 'vitest';
import { arrivalsHandler } from '../../../src/services/mail/network/arrivals.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool } from './pool-scene.ts';

describe.each(engines)('mail between nodes on %s', (engine) => {
  it('arrives with small and large attachments, and the sender learns of it', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const large = Buffer.alloc(300_000, 7);
    const body = {
      from: ada.mailbox,
      to: [bob.mailbox],
      subject: 'Grüße',
      textBody: 'Hello',
      attachments: [
        { filename: 'small.txt', contentType: 'text/plain', content: Buffer.from('hi').toString('base64') },
        { filename: 'large.bin', content: large.toString('base64') },
      ],
    };
    const sent = await a.ask(ada, 'POST', '', body);
    expect(sent.deliveryStatus).toEqual({ 'bob@b.example': 'PENDING' });
    await mail.settled();
    const id = encodeURIComponent(sent.messageId);
    expect((await a.ask(ada, 'GET', `/${id}/deliveries`)).deliveries).toMatchObject([
      { status: 'DELIVERED', failure: null },
    ]);
    const inbox = await b.ask(bob, 'GET', '/inbox');
    expect(inbox).toMatchObject({ total: 1, emails: [{ subject: 'Grüße', from: { address: 'ada@a.example' } }] });
    const content = await b.ask(bob, 'GET', `/${id}/content`);
    expect(content.attachments).toMatchObject([
      { filename: 'small.txt', size: 2 },
      { filename: 'large.bin', size: 300_000 },
    ]);
    const url = `http://x/api/emails/${id}/attachments/1`;
    const file = await b.house.fetch(new Request(url, { headers: { authorization: `Bearer ${bob.token}` } }));
    expect(Buffer.from(await file.arrayBuffer()).equals(large)).toBe(true);
  });

  it('arrives where two offers that come together name the same content', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob, eve] = [await a.join('ada'), await b.join('bob'), await b.join('eve')];
    const attachments = [{ filename: 'large.bin', content: Buffer.alloc(200_000, 7).toString('base64') }];
    // One offer for whom everybody sees, and one for whom nobody does.
    await a.ask(ada, 'POST', '', {
      from: ada.mailbox,
      to: [bob.mailbox],
      bcc: [eve.mailbox],
      subject: 'first',
      attachments,
    });
    await mail.settled();
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(1);
    expect((await b.ask(eve, 'GET', '/inbox')).total).toBe(1);
    // The same attachment is forwarded twice while the other node is off, and something else behind it.
    await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [ada.mailbox], subject: 'second', attachments });
    const { emails } = await a.ask(ada, 'GET', '/inbox');
    mail.scene.network.cut('a', 'b');
    for (const who of [bob, eve]) await a.ask(ada, 'POST', `/${emails[0].id}/forward`, { forwardTo: [who.mailbox] });
    await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], subject: 'third', textBody: 'behind' });
    await mail.scene.network.heal('a', 'b');
    await mail.round();
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(3);
    expect((await b.ask(eve, 'GET', '/inbox')).total).toBe(2);
  });

  it('arrives one by one where it can’t together', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    for (const subject of ['one', 'two', 'three'])
      await a.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], subject, textBody: 'x' });
    await mail.jobs(a);
    await mail.scene.settled();
    const handle = await arrivalsHandler(b.house.ctx);
    const spoiled = b.house.spoil();
    await handle(
      { nodeId: a.nodeId },
      { id: 'arrivals', attempt: 1, signal: new AbortController().signal, finish: async () => undefined },
    );
    expect(spoiled()).toBe(true);
    expect((await b.ask(bob, 'GET', '/inbox')).total).toBe(3);
  });

  it('goes where the list says, also to people whom this node does not know', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const { db } = a.house.ctx;
    const directory = a.house.ctx.gossip.directory();
    const served = directory?.serving;
    Object.assign(directory ?? {}, {
      serving: async (tx: never, domain: string) =>
        await served?.call(directory, tx, domain === 'a.example' ? 'b.example' : domain),
    });
    expect(await db.selectFrom('members').select('id').where('username', '=', 'bob').execute()).toEqual([]);
    const to = [{ localPart: 'bob', domain: 'a.example' }];
    const sent = await a.ask(ada, 'POST', '', { from: ada.mailbox, to, subject: 'x', textBody: 'y' });
    expect(sent.deliveryStatus).toEqual({ 'bob@a.example': 'PENDING' });
    expect(bob.address).toBe('bob@b.example');
  });

  it('fails at once where there is no mailbox, or no node', async () => {
    await using mail = openMailPool(engine);
    const [a] = [await mail.open('a'), await mail.open('b')];
    const ada = await a.join('ada');
    const to = [
      { localPart: 'nobody', domain: 'b.example' },
      { localPart: 'bob', domain: 'elsewhere.example' },
    ];
    const sent = await a.ask(ada, 'POST', '', { from: ada.mailbox, to, subject: 'x', textBody: 'y' });
    expect(sent.deliveryStatus).toEqual({ 'nobody@b.example': 'PENDING', 'bob@elsewhere.example': 'FAILED' });
    await mail.settled();
    expect((await a.ask(ada, 'GET', `/${sent.id}/deliveries`)).deliveries).toMatchObject([
      { status: 'FAILED', failure: 'NO_SUCH_MAILBOX' },
      { status: 'FAILED', failure: 'NO_ROUTE' },
    ]);
  });
});
