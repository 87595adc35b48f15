import { describe, expect, it } from 'vitest';
import { attachmentContent } from '../../../src/services/mail/message/attachments.ts';
import { parseMessage } from '../../../src/services/mail/message/parse.ts';
import type { Piece } from '../../../src/services/mail/message/segments.ts';
import { segmentIn, skeletonOf } from '../../../src/services/mail/message/skeleton.ts';
import { contentAt, latin, mixed, nonce, parsed, usual } from '../../support/mail-messages.ts';

describe('a message', () => {
  it('is read with its fields, texts and attachments', async () => {
    const message = await parsed(mixed);
    expect(message).toMatchObject({
      messageId: '1@home.example',
      inReplyTo: [],
      references: [],
      from: [{ localPart: 'ada', domain: 'home.example', address: 'ada@home.example', displayName: 'Ada Lovelace' }],
      to: [
        { localPart: 'bob', domain: 'home.example', address: 'bob@home.example', displayName: '' },
        { localPart: 'carol', domain: 'home.example', address: 'carol@home.example', displayName: 'Carol' },
        { localPart: 'dan', domain: 'home.example', address: 'dan@home.example', displayName: '' },
      ],
      cc: [],
      bcc: [],
      replyTo: [],
      subject: 'Grüße',
      date: Date.parse('1997-11-21T15:55:06Z'),
      textBody: 'Grüße  an alle ',
      htmlBody: '<p>Grüße</p>',
      truncated: false,
      attachments: [
        {
          filename: 'bär.png',
          contentType: 'image/png',
          contentId: 'logo@home.example',
          inline: true,
          size: 4,
          path: 2,
        },
        { filename: 'Übersicht.pdf', contentType: 'application/pdf', inline: false, size: 14, path: 3 },
      ],
      preview: 'Grüße an alle',
      problems: [],
    });
    expect(message.headers.map(({ name }) => name)).toEqual([
      'From',
      'To',
      'Subject',
      'Message-ID',
      'Date',
      'MIME-Version',
      'Content-Type',
    ]);
    expect(message.headers[2]!.value).toBe('Grüße');
    expect(await contentAt(mixed, 2)).toBe('\u0000\u0001\u0002\u0003');
    expect(await contentAt(mixed, 3)).toBe('a\u00ff\n--outer-not');
    expect(attachmentContent(mixed, 4, { nonce, segments: [] })).toBeUndefined();
  });

  it('may have LF alone at the ends of lines, and no text', async () => {
    const { subject, textBody, problems } = await parsed('Subject: a\n b\n\nHello\nyou\n');
    expect({ subject, textBody }).toEqual({ subject: 'a b', textBody: 'Hello\nyou\n' });
    expect(problems).toEqual([
      'The message does not say who sent it.',
      'The message has no Message-ID.',
      'The message has no Date.',
    ]);
    expect((await parsed(latin(...usual))).textBody).toBe('');
  });

  it('has its attached messages as attachments, octet by octet', async () => {
    const inner = latin('Subject: inner', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'x', '--b--');
    const message = latin(
      ...usual,
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      'Content-Type: message/rfc822',
      '',
      `${inner.toString()}--o--`,
    );
    const { attachments, subject } = await parsed(message);
    expect(subject).toBe('Grüße');
    expect(attachments).toMatchObject([{ filename: 'attachment-1.eml', contentType: 'message/rfc822', path: 0 }]);
    expect(await contentAt(message, 0)).toBe(inner.toString().slice(0, -2));
  });

  it('is shown as text where it is none', async () => {
    const whole = await parsed('hello\nworld');
    expect(whole.textBody).toBe('hello\nworld');
    expect(whole.problems).toContain('The message has no header.');
    for (const type of ['multipart/mixed', 'multipart/mixed; boundary=b']) {
      const { textBody, problems } = await parsed(latin(...usual, `Content-Type: ${type}`, '', 'Hello', '--c', 'you'));
      expect(textBody).toBe('Hello\n--c\nyou\n');
      expect(problems).toContain('The parts of the message could not be told apart. It is shown as one text.');
    }
    expect(await parsed('')).toMatchObject({ subject: '', textBody: '', preview: '', attachments: [] });
  });

  it.each([
    ['iso-8859-1', 'b\u00e4r', 'bär'],
    ['windows-1252', '\u0080', '€'],
    ['koi8-r', '\u00ed', 'М'],
    ['shift_jis', '\u0082\u00a0', 'あ'],
    ['nothing-known', 'b\u00e4r', 'bär'],
    ['utf-8', '\u00ff', '\ufffd'],
  ])('has text of the charset %s', async (charset, written, shown) => {
    const message = latin(`Content-Type: text/plain; charset="${charset}"`, '', written);
    expect((await parsed(message)).textBody!.trim()).toBe(shown);
  });

  it('has text of which wrong encodings leave what can be left', async () => {
    const body = async (encoding: string, text: string) =>
      (await parsed(latin(`Content-Transfer-Encoding: ${encoding}`, 'From: a@b.example', '', text))).textBody!.trim();
    expect(await body('quoted-printable', 'a=3Db=ZZ=\r\nc=4')).toBe('a=b=ZZc=4');
    expect(await body('quoted-printable', 'a= \t\r\nb')).toBe('ab');
    expect(await body('base64', 'SGVs*bG8=\r\nSGVsbG8=')).toBe('HelloHello');
    expect(await body('BASE64 (as ever)', 'SGVsbG8')).toBe('Hello');
    expect(await body('something', 'Hello')).toBe('Hello');
  });

  it('joins flowed lines, and shows texts one after the other', async () => {
    const text = 'Content-Type: text/plain; format=flowed';
    const message = latin(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      text,
      '',
      'Hello ',
      'you',
      '--b',
      '',
      '<3',
      '--b',
      'Content-Type: text/html',
      '',
      '<b>x</b>',
      '--b--',
    );
    expect(await parsed(message)).toMatchObject({
      textBody: 'Hello you\n<3\nx',
      htmlBody: '<pre>Hello you</pre>\n<pre>&lt;3</pre>\n<b>x</b>',
    });
  });

  it('never shows what moves a cursor or turns text', async () => {
    const words = Buffer.from('a\u202eb\u0007c\u2066\u009bd\u2029e').toString('base64');
    const { subject, from, textBody, preview, attachments } = await parsed(
      latin(
        `Subject: =?utf-8?B?${words}?= \u0007x`,
        `From: =?utf-8?B?${words}?= <a@b.example>`,
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('\u001b[31mred\u009b2J\ttab\r\n\u202eline\u0000').toString('base64'),
        '--b',
        `Content-Disposition: attachment; filename="..\\\\../=?utf-8?B?${words}?="`,
        '',
        '--b--',
      ),
    );
    expect(subject).toBe('abc›d e x');
    expect(from[0]!.displayName).toBe('abc›d e');
    expect(textBody).toBe('[31mred›2J\ttab\n\u202eline');
    expect(preview).toBe('[31mred›2J tab line');
    expect(attachments[0]!.filename).toBe('abc›d e');
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    [String.raw`C:\\Users\\x\\a.txt`, 'a.txt'],
    ['..', 'attachment-1.txt'],
    ['.', 'attachment-1.txt'],
    ['a/', 'attachment-1.txt'],
    ['\u0001', 'attachment-1.txt'],
    [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(251)}.pdf`],
  ])('names a file %s as %s', async (written, name) => {
    const header = `Content-Disposition: attachment; filename="${written}"`;
    expect((await parsed(latin(header, '', 'x'))).attachments[0]!.filename).toBe(name);
  });

  it('has the sender that is written, not one that is encoded', async () => {
    const from = async (value: string) => (await parsed(latin(`From: ${value}`, ''))).from;
    const encoded = `=?utf-8?B?${Buffer.from('Eve <eve@evil.example>').toString('base64')}?=`;
    expect(await from(encoded)).toMatchObject([{ address: 'eve@evil.example', displayName: 'Eve' }]);
    expect((await from(encoded))[0]).not.toHaveProperty('domain');
    expect(await from(`${encoded} <ada@home.example>`)).toMatchObject([{ localPart: 'ada', domain: 'home.example' }]);
    expect(await from('"eve@evil.example" <ada@home.example>')).toMatchObject([
      { localPart: 'ada', displayName: 'eve@evil.example' },
    ]);
    expect(await from('not an address')).toEqual([{ address: '', displayName: 'not an address' }]);
    const several = await parsed(latin('From: a@b.example', 'From: c@d.example', ''));
    expect(several.problems).toContain('The message has several senders.');
  });

  it('has addresses whose local parts are quoted, in angle brackets and without', async () => {
    const from = async (value: string) => (await parsed(`From: ${value}\r\n\r\nx`)).from;
    for (const [value, localPart] of [
      ['"Ada L"@far.example', 'Ada L'],
      ['Ada <"Ada L"@far.example>', 'Ada L'],
      ['"a@b"@far.example', 'a@b'],
      ['"a\\"b\\\\"@far.example', 'a"b\\'],
      ['"ada"@far.example', 'ada'],
    ] as const)
      expect([value, await from(value)]).toEqual([
        value,
        [expect.objectContaining({ localPart, domain: 'far.example' })],
      ]);
    expect(await from('a@b@far.example')).toEqual([expect.not.objectContaining({ domain: 'far.example' })]);
  });

  it('has the ids that are well-formed', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `${index}@x`);
    const message = await parsed(
      latin(
        'Message-ID: <a b@c>',
        `References: ${ids.map((id) => `<${id}>`).join('\r\n ')} <no>`,
        'In-Reply-To: Yours <1@x> of today',
        '',
      ),
    );
    expect(message).not.toHaveProperty('messageId');
    expect(message.problems).toContain('The Message-ID of the message is not well-formed.');
    expect(message.inReplyTo).toEqual(['1@x']);
    expect(message.references).toEqual(['0@x', ...ids.slice(-99)]);
  });

  it.each([
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06Z'],
    ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06Z'],
    ['21 Nov 49 09:55 UT', '2049-11-21T09:55:00Z'],
    ['21 Nov 103 09:55 EST', '2003-11-21T14:55:00Z'],
    ['Fri, 21 Nov 1997 09(comment (nested)):   55  :  06 -0600 (CST)', '1997-11-21T15:55:06Z'],
    ['31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00Z'],
    ['29 Feb 2000 12:00:00 Z', '2000-02-29T12:00:00Z'],
    ['29 Feb 2001 12:00:00 Z', undefined],
    ['32 Jan 2001 12:00:00 Z', undefined],
    ['1 Jan 2001 24:00:00 Z', undefined],
    ['1 Foo 2001 12:00:00 Z', undefined],
    ['yesterday', undefined],
  ])('has the date %s', async (written, date) => {
    const message = await parsed(latin(`Date: ${written}`, ''));
    expect(message.date).toBe(date === undefined ? undefined : Date.parse(date));
    expect(message.problems.includes('The Date of the message is not well-formed.')).toBe(date === undefined);
  });
});

describe('a segment in a message', () => {
  const part = ['Content-Type: application/zip; name=a.zip', 'Content-Transfer-Encoding: base64', ''];
  const wrap = (...parts: Piece[][]): Piece[] => [
    { octets: latin(...usual, 'Content-Type: multipart/mixed; boundary=b', '') },
    ...parts.flatMap((pieces) =>
      [[{ octets: Buffer.from('--b\r\n') }], pieces, [{ octets: Buffer.from('\r\n') }]].flat(),
    ),
    { octets: Buffer.from('--b--\r\n') },
  ];
  const segments = [
    { size: 100_000, width: 76 },
    { size: 3, width: 76 },
  ];

  it('is an attachment, and is recognised by its nonce alone', async () => {
    const skeleton = skeletonOf(
      wrap([{ octets: latin(...part) }, { segment: 0 }, { octets: Buffer.from('\r\n') }]),
      nonce,
    );
    const { attachments } = await parseMessage(skeleton, { nonce, segments: segments.slice(0, 1) });
    expect(attachments).toEqual([
      { filename: 'a.zip', contentType: 'application/zip', inline: false, size: 100_000, segment: 0, path: 0 },
    ]);
    const other = await parseMessage(skeleton, { nonce: 'cd'.repeat(16), segments: [] });
    expect(other.attachments).toMatchObject([{ size: 42 }]);
    expect(other.attachments[0]).not.toHaveProperty('segment');
    expect(segmentIn(Buffer.from(`${nonce}.000000007`), nonce)).toBe(7);
    expect(segmentIn(Buffer.from(`${nonce}.00000000x`), nonce)).toBeUndefined();
  });

  it('is written out where it stands in an attached message, and decoded where only a part of a content is one', async () => {
    const pieces = wrap(
      [{ octets: latin('Content-Type: message/rfc822', '', 'Subject: x', ...part) }, { segment: 1 }],
      [{ octets: latin(...part, 'QUJD') }, { segment: 1 }, { octets: Buffer.from('\r\nQUI=') }],
    );
    const skeleton = skeletonOf(pieces, nonce);
    const context = {
      nonce,
      segments: [
        { size: 3, width: 76 },
        { size: 3, width: 76 },
      ],
    };
    const contents = [Buffer.from('xyz'), Buffer.from('abc')];
    const { attachments } = await parseMessage(skeleton, context);
    expect(await contentAt(skeleton, 0, contents)).toMatch(/^Subject: x\r\n(?:.*\r\n)+\r\nYWJj$/);
    expect(await contentAt(skeleton, 1, contents)).toBe('ABCabcAB');
    expect(attachments[0]!.size).toBe((await contentAt(skeleton, 0, contents)).length);
    expect(attachments[1]!.size).toBe(8);
    // The first segment stands nowhere.
    expect(attachments[2]).toEqual({
      filename: 'attachment-1',
      contentType: 'application/octet-stream',
      inline: false,
      size: 3,
      segment: 0,
      path: -1,
    });
    expect(await contentAt(skeleton, -1, contents)).toBe('xyz');
  });

  it('is not shown as text', async () => {
    const text = latin('Content-Type: text/plain; charset=utf-16', 'Content-Transfer-Encoding: base64', '');
    const skeleton = skeletonOf(wrap([{ octets: text }, { segment: 0 }]), nonce);
    const message = await parseMessage(skeleton, { nonce, segments: segments.slice(0, 1) });
    expect(message.attachments).toMatchObject([{ filename: 'attachment-1.txt', segment: 0 }]);
    expect(message).not.toHaveProperty('textBody');
    expect(message.problems).toContain('A text is too long to be shown. It is listed as an attachment.');
  });
});
