import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

type Answer = { readonly status: number; readonly to: string[]; readonly subject: string };

async function reply(
  scene: MailScene,
  who: Correspondent,
  messageId: string,
  replyAll: boolean,
  more: object = {},
): Promise<Answer> {
  const body = { from: who.mailbox, replyAll, textBody: 'Yes', ...more };
  const answer = await scene.ask(who, 'POST', `/${encodeURIComponent(messageId)}/reply`, body);
  const { data, error } = answer.body;
  return {
    status: answer.status,
    to: data === undefined ? [error.message] : Object.keys(data.deliveryStatus).toSorted(),
    subject: data?.subject,
  };
}

async function arrive(scene: MailScene, who: Correspondent, head: readonly string[], body = 'Hi'): Promise<string> {
  const answer = await scene.house.api('POST', '/api/emails/import?folder=inbox', {
    token: who.token,
    rawBody: `${head.join('\r\n')}\r\n\r\n${body}\r\n`,
    headers: { 'content-type': 'message/rfc822' },
  });
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

describe.each(engines)('answers on %s', (engine) => {
  it('go to those who are meant, and never to oneself', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const everybody = await scene.send(ada, [bob, cy], { cc: [ada.mailbox, { ...bob.mailbox, localPart: 'bob+x' }] });
    expect(await reply(scene, bob, everybody.messageId, false)).toMatchObject({ status: 201, to: [ada.address] });
    expect((await reply(scene, bob, everybody.messageId, true)).to).toEqual([ada.address, cy.address]);
    // An answer to an own message goes on to those it went to.
    expect((await reply(scene, ada, everybody.messageId, false)).to).toEqual([bob.address, cy.address]);
    const note = await scene.send(ada, [ada]);
    expect(await reply(scene, ada, note.messageId, true)).toMatchObject({
      status: 400,
      to: ['to: would be nobody but yourself. Write a new message instead'],
    });
    const list = await arrive(scene, bob, [
      `From: ${ada.address}`,
      `Reply-To: List <${cy.address}>, ${bob.address}`,
      `To: ${bob.address}`,
      'Subject: Re: [x] RE: Plans',
    ]);
    expect(await reply(scene, bob, list, false)).toMatchObject({ to: [cy.address], subject: 'Re: [x] RE: Plans' });
    expect((await reply(scene, bob, list, true)).to).toEqual([cy.address]);
    expect((await reply(scene, cy, list, true)).status).toBe(404);
    // What is no address in Reply-To is not answered, and keeps nobody from answering.
    for (const no of ['do not reply', '<>', '"no reply"', 'no-reply@']) {
      const unanswered = await arrive(scene, bob, [`From: ${ada.address}`, `Reply-To: ${no}`, 'Subject: x']);
      expect(await reply(scene, bob, unanswered, false)).toMatchObject({ status: 201, to: [ada.address] });
    }
    const half = await arrive(scene, bob, [`From: ${ada.address}`, `Reply-To: nobody, ${cy.address}`, 'Subject: x']);
    expect((await reply(scene, bob, half, true)).to).toEqual([cy.address]);
    const wrong = await arrive(scene, bob, ['From: nobody at all', 'Subject: x']);
    expect((await reply(scene, bob, wrong, false)).status).toBe(400);
    expect((await reply(scene, bob, list, false, { from: ada.mailbox })).to).toEqual([
      'You can send from bob@home.example alone.',
    ]);
  });

  it('stay in their thread whatever their subject, and mark what they answer', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const first = await scene.send(ada, [bob], { subject: 'Plans' });
    await reply(scene, bob, first.messageId, false, { subject: 'Something else' });
    const path = `/${encodeURIComponent(first.messageId)}`;
    for (const who of [ada, bob]) {
      const { messages } = (await scene.ask(who, 'GET', `${path}/thread`, undefined, 200)).body.data;
      expect(messages.map(({ subject }: { subject: string }) => subject)).toEqual(['Plans', 'Something else']);
    }
    const { keywords } = (await scene.ask(bob, 'GET', path, undefined, 200)).body.data;
    expect(keywords).toContain('$answered');
    const { keywords: others } = (await scene.ask(ada, 'GET', path, undefined, 200)).body.data;
    expect(others).not.toContain('$answered');
    // A head full of references is cut, and keeps its first and last ones.
    const ids = Array.from({ length: 500 }, (_, index) => `<${index}@far.example>`);
    const long = await arrive(scene, bob, [
      `From: ${ada.address}`,
      `References: ${ids.join('\r\n ')}`,
      'Message-ID: <m@far.example>',
    ]);
    const [{ id }] = [
      (await scene.ask(bob, 'POST', `/${long}/reply`, { from: bob.mailbox, textBody: 'x' }, 201)).body.data,
    ];
    const { references } = (await scene.ask(bob, 'GET', `/${id}`, undefined, 200)).body.data;
    expect([references[0], references.at(-1)]).toEqual(['0@far.example', 'm@far.example']);
  });
});

describe.each(engines)('bad input of mail on %s', (engine) => {
  it('is refused with what is wrong, however much of it there is', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const sent = async (more: object) => {
      const given = { from: ada.mailbox, to: [bob.mailbox], subject: 'x', textBody: 'x', ...more };
      const { status, body } = await scene.ask(ada, 'POST', '', given);
      return [status, body.error?.message ?? Object.values(body.data.deliveryStatus)];
    };
    const many = Array.from({ length: 10_000 }, (_, index) => ({ localPart: `m${index}`, domain: 'home.example' }));
    expect(await sent({ to: many })).toEqual([400, 'to: must be at most 100 mailboxes']);
    expect(await sent({ bcc: many })).toEqual([400, 'bcc: must be at most 100 mailboxes']);
    expect(await sent({ subject: 'x'.repeat(1_000_000) })).toEqual([400, 'subject: must be at most 998 characters']);
    expect(await sent({ to: [{ ...bob.mailbox, displayName: 'x'.repeat(1_000_000) }] })).toEqual([
      400,
      'to.0.displayName: must be at most 256 characters',
    ]);
    expect(await sent({ attachments: Array.from({ length: 101 }, () => ({ content: '' })) })).toEqual([
      400,
      'attachments: must be at most 100 attachments',
    ]);
    expect(await sent({ attachments: [{ content: '', filename: 'empty' }] })).toEqual([201, ['DELIVERED']]);
    const breaks = ['\r\n', '\n', '\r', '\0', '\u2028', '\u0085', '\u001b'];
    for (const one of breaks) {
      const injected = `a${one}Bcc: eve@home.example`;
      for (const more of [
        { subject: injected },
        { from: { ...ada.mailbox, displayName: injected } },
        { to: [{ ...bob.mailbox, localPart: injected }] },
        { to: [{ ...bob.mailbox, domain: `home.example${one}x` }] },
        { attachments: [{ content: '', filename: injected }] },
        { attachments: [{ content: '', contentType: `text/plain${one}x: y` }] },
        { attachments: [{ content: '', contentId: injected }] },
        { replyTo: [{ ...bob.mailbox, displayName: injected }] },
      ]) {
        const [status] = await sent(more);
        expect([more, status]).toEqual([more, 400]);
      }
    }
    expect((await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(1);
  });

  it('in a message that comes from elsewhere is kept, and shown as well as can be', { tags: 'thorough' }, async () => {
    await using scene = await openMail(engine);
    const ada = await scene.join('ada');
    const heads: (readonly string[])[] = [
      [`Subject: ${'x'.repeat(1_100_000)}`],
      Array.from({ length: 40_000 }, (_, index) => `X-${index}: ${'y'.repeat(20)}`),
      [`To: ${Array.from({ length: 10_000 }, (_, index) => `m${index}@x.example`).join(',\r\n ')}`],
      [`References: ${'<a@b.example> '.repeat(60_000)}`],
      ['From: \u0000\u001b[2J', 'Subject: =?utf-8?q?=1B[2J=00?='],
      ['Content-Type: multipart/mixed; boundary=""', 'Date: whenever'],
    ];
    for (const head of heads) {
      const id = await arrive(scene, ada, head, 'The text');
      const shown = (await scene.ask(ada, 'GET', `/${id}`, undefined, 200)).body.data;
      const content = (await scene.ask(ada, 'GET', `/${id}/content?as=text`, undefined, 200)).body.data;
      expect(content.textBody).toContain('The text');
      expect(JSON.stringify([shown, content])).not.toMatch(/\\u00(?:0[0-8]|1b)/);
    }
    expect((await scene.ask(ada, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(heads.length);
  });
});
