import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const large = Buffer.alloc(200_000, 7);

async function bytesOf({ house }: MailScene, who: Correspondent, path: string): Promise<Buffer> {
  const request = new Request(`http://house.test/api/emails${path}`, {
    headers: { authorization: `Bearer ${who.token}` },
  });
  const answer = await house.fetch(request);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

describe.each(engines)('messages on %s', (engine) => {
  it('come with their attachments, small and large, and with all octets', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const attachments = [
      { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('hello').toString('base64') },
      { filename: 'b.bin', content: large.toString('base64') },
      { filename: 'empty', content: '' },
    ];
    const sent = await scene.send(ada, [bob], { attachments });
    expect(sent.deliveryStatus).toEqual({ [bob.address]: 'DELIVERED' });
    const { data: inbox } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body;
    expect(inbox).toMatchObject({
      total: 1,
      emails: [{ subject: 'Hello', preview: 'Hi.', read: false, hasAttachments: true, from: { address: ada.address } }],
    });
    const path = `/${encodeURIComponent(sent.messageId)}`;
    const { data: content } = (await scene.ask(bob, 'GET', `${path}/content`, undefined, 200)).body;
    expect(content).toMatchObject({
      textBody: 'Hi.',
      problems: [],
      attachments: [
        { filename: 'a.txt', contentType: 'text/plain', size: 5 },
        { filename: 'b.bin', size: 200_000 },
        { filename: 'empty', size: 0 },
      ],
    });
    expect(content.attachments[1].blockId).toMatch(/^[0-9a-f]{128}$/);
    expect(await bytesOf(scene, bob, `${path}/attachments/1`)).toEqual(large);
    expect((await bytesOf(scene, bob, `${path}/attachments/0`)).toString()).toBe('hello');
    const raw = await bytesOf(scene, bob, `${path}/raw`);
    expect(raw.length).toBe(inbox.emails[0].size);
    expect(raw.toString('latin1')).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
    expect(await bytesOf(scene, ada, `/${sent.id}/raw`)).toEqual(raw);
    const missing = await scene.ask(bob, 'GET', `${path}/attachments/3`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'EMAIL_ATTACHMENT_NOT_FOUND']);
  });

  it('may have long texts, which threads write and read', { tags: 'thorough' }, async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const textBody = 'Grüße, '.repeat(60_000);
    const sent = await scene.send(ada, [bob], { textBody });
    const path = `/${encodeURIComponent(sent.messageId)}/content`;
    const { data: content } = (await scene.ask(bob, 'GET', path, undefined, 200)).body;
    expect(content.textBody.trimEnd()).toBe(textBody.trimEnd());
  });

  it('lie nowhere in clear, and leave nothing behind when nobody has them any more', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const secret = 'the treasure lies under the old oak';
    const sent = await scene.send(ada, [bob], {
      textBody: secret,
      attachments: [{ content: large.toString('base64') }],
    });
    const { db, blocks } = scene.house.ctx;
    for (const table of ['mail_items', 'mail_parts', 'mail_contents', 'search_documents', 'search_pending'] as const) {
      const text = JSON.stringify(await db.selectFrom(table).selectAll().execute(), (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      );
      for (const word of ['treasure', 'the old oak']) expect(text, table).not.toContain(word);
    }
    expect((await scene.ask(bob, 'GET', '/inbox?searchText=old%20treasure', undefined, 200)).body.data.total).toBe(1);
    await scene.ask(ada, 'DELETE', `/${sent.id}`, undefined, 200);
    expect((await blocks.stat()).blocks).toBe(1);
    await scene.ask(bob, 'DELETE', `/${encodeURIComponent(sent.messageId)}`, undefined, 200);
    for (const table of [
      'mail_items',
      'mail_parts',
      'mail_contents',
      'mail_content_keys',
      'mail_deliveries',
      'mail_thread_ids',
    ] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    expect((await blocks.stat()).blocks).toBe(0);
    expect(await db.selectFrom('member_storage').select('bytes').execute()).toEqual([{ bytes: 0 }, { bytes: 0 }]);
  });

  it('are known to sender and recipients alone', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, eve] = [await scene.join('ada'), await scene.join('bob'), await scene.join('eve')];
    const sent = await scene.send(ada, [bob]);
    const { id } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.emails[0];
    for (const name of [encodeURIComponent(sent.messageId), sent.id, id]) {
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/content'],
        ['GET', '/thread'],
        ['GET', '/raw'],
        ['GET', '/attachments/0'],
        ['GET', '/delivery-status'],
        ['GET', '/deliveries'],
        ['POST', '/read'],
        ['POST', '/cancel'],
        ['DELETE', ''],
      ] as const) {
        const answer = await scene.ask(eve, method, `/${name}${rest}`);
        expect([rest, answer.status, answer.body.error]).toEqual([
          rest,
          404,
          { code: 'EMAIL_NOT_FOUND', message: 'There is no such message.' },
        ]);
      }
      const body = { from: eve.mailbox, textBody: 'x' };
      expect((await scene.ask(eve, 'POST', `/${name}/reply`, body)).body.error.code).toBe('EMAIL_NOT_FOUND');
      expect((await scene.ask(eve, 'POST', `/${name}/forward`, { forwardTo: [eve.mailbox] })).body.error.code).toBe(
        'EMAIL_NOT_FOUND',
      );
    }
    const inbox = await scene.ask(eve, 'GET', `/inbox?memberId=${ada.memberId}`);
    expect([inbox.status, inbox.body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('form threads by what they refer to, in whichever order they come', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const first = await scene.send(ada, [bob]);
    const path = `/${encodeURIComponent(first.messageId)}`;
    const { data: answer } = (
      await scene.ask(
        bob,
        'POST',
        `${path}/reply`,
        { from: bob.mailbox, textBody: 'Yes', subject: 'Another subject' },
        201,
      )
    ).body;
    expect(answer).toMatchObject({
      subject: 'Another subject',
      inReplyTo: first.messageId,
      to: [{ address: ada.address }],
    });
    await scene.send(ada, [bob], { subject: 'Another subject' });
    const { data: thread } = (await scene.ask(ada, 'GET', `${path}/thread`, undefined, 200)).body;
    expect(thread.messages.map(({ messageId }: { messageId: string }) => messageId)).toEqual([
      first.messageId,
      answer.messageId,
    ]);
    // What comes late joins what had nothing in common before.
    const raw = (id: string, references: string) =>
      `From: x@x.example\r\nMessage-ID: <${id}@x.example>\r\n${references}\r\nText\r\n`;
    const importRaw = async (text: string) =>
      await scene.house.api('POST', '/api/emails/import', {
        token: bob.token,
        rawBody: text,
        headers: { 'content-type': 'message/rfc822' },
      });
    const threadOf = async (id: string) =>
      (await scene.ask(bob, 'GET', `/${id}%40x.example/thread`, undefined, 200)).body.data;
    await importRaw(raw('c', 'References: <a@x.example> <b@x.example>\r\n'));
    await importRaw(raw('e', 'In-Reply-To: <d@x.example>\r\n'));
    expect((await idsOf(threadOf, 'c')).length).toBe(1);
    await importRaw(raw('d', 'In-Reply-To: <b@x.example>\r\n'));
    expect((await idsOf(threadOf, 'e')).toSorted()).toEqual(['c@x.example', 'd@x.example', 'e@x.example']);
  });

  it('can be read, moved, labelled and kept apart by keywords, each change with a number', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    for (const subject of ['One', 'Two', 'Three']) await scene.send(ada, [bob], { subject });
    const list = async (query: string) =>
      (await scene.ask(bob, 'GET', query, undefined, 200)).body.data.emails
        .map((one: { subject: string }) => one.subject)
        .toSorted();
    const all = (await scene.ask(bob, 'GET', '/inbox?sortBy=subject&sortDirection=asc', undefined, 200)).body.data
      .emails;
    expect(all.map(({ subject }: { subject: string }) => subject)).toEqual(['One', 'Three', 'Two']);
    const [one, three] = all;
    const { data: before } = (await scene.ask(bob, 'GET', '/changes', undefined, 200)).body;
    expect(before.changed).toHaveLength(3);
    const change = { folder: 'archive', addLabels: ['Work', 'work'], addKeywords: ['$flagged', 'Custom'] };
    const { data: changed } = (await scene.ask(bob, 'PATCH', `/${one.id}`, change, 200)).body;
    expect(changed).toMatchObject({ folder: 'archive', labels: ['Work'], keywords: ['$flagged', 'custom'], uid: 1 });
    await scene.ask(bob, 'POST', `/${three.id}/read`, {}, 200);
    expect(await list('/inbox')).toEqual(['Three', 'Two']);
    expect(await list('/inbox?readStatus=unread')).toEqual(['Two']);
    expect(await list('/messages?label=WORK')).toEqual(['One']);
    expect(await list('/messages?flagged=true')).toEqual(['One']);
    expect(await list('/messages?subjectContains=T%25')).toEqual([]);
    expect(await list('/messages?subjectContains=th')).toEqual(['Three']);
    expect(await list(`/inbox?senderAddress=${ada.address.toUpperCase()}`)).toEqual(['Three', 'Two']);
    expect((await scene.ask(bob, 'GET', '/inbox/unread-count', undefined, 200)).body.data).toEqual({ unreadCount: 1 });
    await scene.ask(bob, 'DELETE', `/${three.id}`, undefined, 200);
    const { data: after } = (await scene.ask(bob, 'GET', `/changes?since=${before.modseq}`, undefined, 200)).body;
    expect(after.changed.map(({ id, folder }: { id: string; folder: string }) => [id, folder])).toEqual([
      [one.id, 'archive'],
    ]);
    expect(after.removed.map(({ id }: { id: string }) => id)).toEqual([three.id]);
    expect((await scene.ask(bob, 'GET', `/changes?since=${after.modseq}`, undefined, 200)).body.data).toMatchObject({
      changed: [],
      removed: [],
    });
    const { data: boxes } = (await scene.ask(bob, 'GET', '/mailboxes', undefined, 200)).body;
    expect(boxes.address).toBe(bob.address);
    expect(boxes.mailboxes.filter(({ total }: { total: number }) => total > 0)).toMatchObject([
      { name: 'inbox', total: 1, unread: 1, uidNext: 4 },
      { name: 'archive', total: 1, unread: 1, uidNext: 2 },
      { name: 'Work', kind: 'label', total: 1 },
    ]);
    const refused = await scene.ask(bob, 'PATCH', `/${one.id}`, { folder: 'drafts' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'EMAIL_FOLDER_REFUSED']);
    expect(refused.body.error.message).toBe('The folder drafts takes drafts alone.');
  });
});

async function idsOf(
  threadOf: (id: string) => Promise<{ messages: { messageId: string }[] }>,
  id: string,
): Promise<string[]> {
  return (await threadOf(id)).messages.map(({ messageId }) => messageId);
}
