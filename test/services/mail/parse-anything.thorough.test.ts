import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { contentAt, mixed, parsed, usual } from '../../support/mail-messages.ts';
import { inStage, runs } from '../../support/stage.ts';

describe('a message that is made to be heavy', () => {
  const MiB = 1024 * 1024;
  const top = `${usual.join('\r\n')}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
  const partsText = 'The message has very many parts. Not all of them were read.';

  it('may have many parts, texts and attachments', { tags: 'soak' }, async () => {
    const many = await parsed(`${top}${'--b\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(100_000)}`);
    expect(many.attachments).toHaveLength(1000);
    expect(many.problems).toEqual([partsText, 'The message has 8999 more attachments, which are not listed.']);
    const texts = await parsed(`${top}${'--b\r\n\r\nx\r\n'.repeat(100_000)}`);
    expect(texts).toMatchObject({ truncated: true, attachments: [] });
    expect((await parsed(`${top}${'--b\r\n'.repeat(2 * MiB)}`)).problems).toContain(partsText);
  });

  it('may be deep', async () => {
    const level = (index: number) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`;
    const deep = await parsed(`${Array.from({ length: 10_000 }, (_, index) => level(index)).join('')}\r\nx`);
    expect(deep.problems).toContain(partsText);
    const message = 'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000);
    expect((await parsed(message)).attachments).toHaveLength(1);
  });

  it.each([
    ['line feeds', 'Subject: x\n\n', '\n'],
    ['one line', 'Subject: x\r\n\r\n', 'x'],
    ['padding', 'Content-Transfer-Encoding: base64\r\n\r\n', 'QQ=='],
    ['escapes', 'Content-Transfer-Encoding: quoted-printable\r\n\r\n', '='],
    ['escaped blanks', 'Content-Transfer-Encoding: quoted-printable\r\n\r\n', '=  '],
    ['flowed lines', 'Content-Type: text/plain; format=flowed\r\n\r\n', ' \n'],
    ['HTML', 'Content-Type: text/html\r\n\r\n', '<a href="'],
    ['dashes', top, '--\r\n'],
    ['ends', top, '--b--\r\n'],
  ])('may have MiBs of %s', async (_what, header, content) => {
    const message = await parsed(`${header}${content.repeat((inStage(1.1, 1.1, 8) * MiB) / content.length)}`);
    expect(message.textBody?.length ?? 0).toBeLessThanOrEqual(MiB);
    expect(message.htmlBody?.length ?? 0).toBeLessThanOrEqual(MiB);
  });

  it.each([
    ['Subject', 'a'],
    ['Subject', 'a\r\n '],
    ['Subject', '=?a?q?x?= '],
    ['Subject', '=?'],
    ['Subject', '=?utf-8?q?=c3?= '],
    ['To', 'a@b.example, '],
    ['To', '"'],
    ['To', '('],
    ['To', '<'],
    ['To', ':'],
    ['To', 'a:(:),'],
    ['To', 'a:b;'],
    ['To', '=?'],
    ['References', '<a@b>'],
    ['References', '<'],
    ['Message-ID', '@'],
    ['Date', '('],
    ['Content-Type', 'a=b;'],
    ['Content-Type', '('],
    ['Content-Type', '"'],
    ['Content-Type', ';('],
    ['Content-Type', ' '],
    ['Content-Disposition', 'attachment; filename*0*=a;'],
  ])('may have a field %s of %j, many times', async (name, content) => {
    const message = await parsed(
      `${name}: ${content.repeat((inStage(0.25, 0.25, 1) * MiB - 100) / content.length)}\r\nSubject: b\r\n\r\nHello`,
    );
    expect(message.subject.length).toBeLessThanOrEqual(2000);
    expect(message.to.length).toBeLessThanOrEqual(10_000);
  });

  it('may have many fields and recipients', async () => {
    const many = await parsed(`${'a: b\r\n'.repeat(MiB / 6)}\r\nHello`);
    expect(many.headers).toHaveLength(1000);
    expect(many.textBody).toBe('Hello');
    const to = await parsed(
      `To: ${Array.from({ length: 10_000 }, (_, index) => `m${index}@home.example`).join(',\r\n ')}\r\n\r\n`,
    );
    expect(to.to).toHaveLength(10_000);
  });

  it('is read up to 32 MiB', async () => {
    const { problems, textBody } = await parsed(
      Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), Buffer.alloc(33 * MiB, 'x')]),
    );
    expect(problems).toContain('The message is very long. Its end was not read.');
    expect(problems).toContain('The text is very long. Only its beginning is shown.');
    expect(textBody).toHaveLength(MiB);
  });
});

describe('whatever comes', async () => {
  const composed = await new MailComposer({
    from: 'Ada <ada@home.example>',
    to: 'bob@home.example',
    subject: 'Grüße aus der Küche',
    text: 'Grüße',
    html: '<p>Grüße <img src="cid:a@b"></p>',
    attachments: [
      { filename: 'Übersicht.txt', content: 'x'.repeat(500) },
      { cid: 'a@b', content: 'x', filename: 'a.png' },
    ],
  })
    .compile()
    .build();
  const messages = [mixed, composed];
  const bit = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        '\r\n',
        '\n',
        '--',
        '--outer',
        '--inner--',
        '=?utf-8?B?',
        '"',
        '(',
        '<',
        ';',
        '=',
        ':',
        '\0',
        'Content-Type: multipart/digest; boundary=outer\r\n',
      )
      .map((text) => Buffer.from(text)),
  );

  it('nothing is thrown, and everything has its bounds', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 60 }), bit), { maxLength: 6 });
    const changed = fc.tuple(fc.constantFrom(...messages), changes).map(([message, all]) => {
      let octets = message;
      for (const [place, removed, added] of all) {
        const at = place % (octets.length + 1);
        octets = Buffer.concat([octets.subarray(0, at), added, octets.subarray(at + removed)]);
      }
      return octets;
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          changed,
          changed,
          fc.uint8Array({ maxLength: 2000 }),
          fc.string().map((text) => Buffer.from(text)),
        ),
        async (octets) => {
          const message = await parsed(octets);
          expect(message.problems.length).toBeLessThanOrEqual(20);
          expect(message.preview.length).toBeLessThanOrEqual(200);
          expect(`${message.subject}${message.preview}${message.textBody}`).not.toMatch(/(?![\n\t])\p{Cc}|\p{Cs}/u);
          for (const { path, size, filename } of message.attachments) {
            expect((await contentAt(octets, path)).length).toBe(size);
            expect(filename).toMatch(/^(?!\.{0,2}$)[^/\\\p{Cc}]+$/u);
          }
        },
      ),
      { numRuns: runs(inStage(300, 80, 300)) },
    );
  });
});
