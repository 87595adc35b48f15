import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const submit = async (
  { house }: MailScene,
  who: Correspondent,
  text: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
) =>
  await house.api('POST', '/api/emails/raw', {
    token: who.token,
    rawBody: text,
    headers: { 'content-type': 'message/rfc822', ...more },
  });

const message = (head: string[], body = 'Text') => `${head.join('\r\n')}\r\n\r\n${body}\r\n`;

describe.each(engines)('what other programs write, on %s', (engine) => {
  it('goes to those that it names, without Bcc, and with what was missing', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, eve] = [await scene.join('ada'), await scene.join('bob'), await scene.join('eve')];
    const head = [
      `From: Ada <${ada.address}>`,
      `To: ${bob.address}`,
      `Bcc: Eve <${eve.address}>,`,
      ' nobody@elsewhere.example',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    ];
    const sent = await submit(scene, ada, message(head));
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      {
        subject: 'Grüße',
        deliveryStatus: {
          [bob.address]: 'DELIVERED',
          [eve.address]: 'DELIVERED',
          'nobody@elsewhere.example': 'FAILED',
        },
      },
    ]);
    const { id } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.emails[0];
    const raw = await scene.house.fetch(
      new Request(`http://house.test/api/emails/${id}/raw`, { headers: { authorization: `Bearer ${bob.token}` } }),
    );
    const text = await raw.text();
    expect(text).toMatch(
      /^Message-ID: <[0-9a-f]{32}@home\.example>\r\nDate: Thu, 15 Jan 2026 12:00:00 \+0000\r\nFrom: /,
    );
    expect(text).not.toMatch(/\b(?:bcc|eve|nobody)\b/i);
    const chosen = await submit(scene, ada, message(head), { 'x-recipients': `${bob.address}, ${eve.address}` });
    expect(chosen.body.data.deliveryStatus).toEqual({ [bob.address]: 'DELIVERED', [eve.address]: 'DELIVERED' });
  });

  it('is refused for what could smuggle another message, and for another sender', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const own = [`From: ${ada.address}`, `To: ${bob.address}`];
    for (const [text, reason] of [
      [message(own, 'a\nb'), 'The message has a line feed without a carriage return before it.'],
      [message(own, 'a\rb'), 'The message has a carriage return without a line feed after it.'],
      [message(own, 'a\r\n.\n'), 'The message has a line feed without a carriage return before it.'],
      [message(own, 'a\0b'), 'The message has a NUL octet.'],
      [message(own, 'x'.repeat(999)), 'The message has a line of more than 998 octets.'],
      [message([...own, 'no field']), 'The message has a line in its header section that is no field.'],
      [message([' folded', ...own]), 'The message begins with a folded line.'],
      [
        message([`From: ${ada.address}, ${bob.address}`, `To: ${bob.address}`]),
        'The message has no From with one valid address.',
      ],
      [
        message(
          [...own, `X: ${'y '.repeat(400)}\r\n ${'z '.repeat(400)}`].concat(
            Array.from({ length: 600 }, () => `A: ${'b'.repeat(900)}`),
          ),
        ),
        'The message has a header section of more than 256 KiB.',
      ],
    ]) {
      const { status, body } = await submit(scene, ada, text!);
      expect([status, body.error.code, body.error.message]).toEqual([400, 'EMAIL_MALFORMED', reason]);
    }
    const other = await submit(scene, ada, message([`From: ${bob.address}`, `To: ${bob.address}`]));
    expect([other.status, other.body.error.code]).toEqual([403, 'FORBIDDEN']);
    const nobody = await submit(scene, ada, message([`From: ${ada.address}`]));
    expect([nobody.status, nobody.body.error.message]).toEqual([
      400,
      'to: must name at least one recipient, or cc or bcc must',
    ]);
    expect((await scene.house.ctx.db.selectFrom('mail_contents').select('id').execute()).length).toBe(0);
  });

  it('can be put into a folder as it is, whatever it is', async () => {
    await using scene = await openMail(engine);
    const ada = await scene.join('ada');
    const keep = async (raw: string | Uint8Array<ArrayBuffer>, query = '') =>
      await scene.house.api('POST', `/api/emails/import${query}`, {
        token: ada.token,
        rawBody: raw,
        headers: { 'content-type': 'message/rfc822' },
      });
    const odd = new Uint8Array([0xff, 0, 10, 13, 0x41, 10, 10, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xc3]);
    const kept = await keep(odd, '?folder=archive&read=true&keywords=%24flagged&keywords=mine&label=Old');
    expect(kept.body.data).toMatchObject({ imported: true, uid: 1 });
    const { data: shown } = (await scene.ask(ada, 'GET', `/${kept.body.data.id}`, undefined, 200)).body;
    expect(shown).toMatchObject({
      folder: 'archive',
      read: true,
      keywords: ['$flagged', 'mine'],
      labels: ['Old'],
      size: odd.length,
    });
    const raw = await scene.house.fetch(
      new Request(`http://house.test/api/emails/${kept.body.data.id}/raw`, {
        headers: { authorization: `Bearer ${ada.token}` },
      }),
    );
    expect(new Uint8Array(await raw.arrayBuffer())).toEqual(odd);
    const { data: content } = (await scene.ask(ada, 'GET', `/${kept.body.data.id}/content?as=text`, undefined, 200))
      .body;
    expect(content.problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(content)).not.toContain('\\u001b');
    const again = await keep(odd, '?folder=archive&unlessPresent=true');
    expect(again.body.data).toMatchObject({ imported: true });
    const text = message(['From: x@x.example', 'Message-ID: <same@x.example>']);
    const one = await keep(text, '?unlessPresent=true');
    const two = await keep(text, '?unlessPresent=true');
    expect(two.body.data).toEqual({ ...one.body.data, imported: false });
    const empty = await keep('');
    expect([empty.status, empty.body.error.message]).toEqual([400, 'body: is empty']);
  });
});
