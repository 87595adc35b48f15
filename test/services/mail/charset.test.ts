import { describe, expect, it } from 'vitest';
import { parsed } from '../../support/mail-messages.ts';

const message = (head: readonly string[], body: string | Buffer, encoding: BufferEncoding = 'latin1') =>
  Buffer.concat([Buffer.from(['From: a@home.example', ...head, '', ''].join('\r\n'), encoding), Buffer.from(body)]);

const textOf = async (charset: string, body: string | Buffer) =>
  (await parsed(message([`Content-Type: text/plain${charset === '' ? '' : `; charset=${charset}`}`], body))).textBody;

describe('the charset of a text', () => {
  it.each([
    'us-ascii',
    'iso-8859-1',
    'ISO_8859-1:1987',
    'latin1',
    'iso-8859-15',
    'windows-1252',
    'x-unknown',
    '"what ever?"',
    'utf-8',
    '""',
    '',
  ])('is UTF-8 if the octets are, whoever says %s', async (charset) => {
    expect(await textOf(charset, 'Grüße, Ωmega 👋')).toBe('Grüße, Ωmega 👋');
  });

  it('is that which is named, if the octets are no UTF-8', async () => {
    expect(await textOf('iso-8859-1', Buffer.from('Grüße Ã©', 'latin1'))).toBe('Grüße Ã©');
    expect(await textOf('us-ascii', Buffer.from('Grüße', 'latin1'))).toBe('Grüße');
    expect(await textOf('iso-8859-1', Buffer.from('café', 'latin1'))).toBe('café');
    expect(await textOf('x-unknown', Buffer.from('Gr\u00fc\u00dfe \u0080', 'latin1'))).toBe('Grüße €');
    expect(await textOf('koi8-r', Buffer.from([0xf0, 0xd2, 0xc9]))).toBe('При');
  });

  it('is that which is named, if the octets are words in it and valid UTF-8', async () => {
    const octets = Buffer.from([0xc2, 0xb5]);
    expect(await textOf('euc-kr', octets)).toBe('쨉');
    expect(await textOf('cp949', octets)).toBe('쨉');
    expect(await textOf('iso-8859-2', Buffer.from('é'))).toBe('ĂŠ');
    expect(await textOf('iso-8859-9', Buffer.from('é'))).toBe('Ã©');
  });

  it('is windows-1252 if none is named and the octets are no UTF-8', async () => {
    expect(await textOf('', Buffer.from('Gr\u00fc\u00dfe \u0080', 'latin1'))).toBe('Grüße €');
  });

  it('is found in HTML, and in text that is encoded', async () => {
    const head = ['Content-Type: text/html; charset=us-ascii', 'Content-Transfer-Encoding: quoted-printable'];
    expect((await parsed(message(head, '<p>Gr=C3=BC=C3=9Fe</p>'))).htmlBody).toBe('<p>Grüße</p>');
  });

  it('is found in text whose end is cut within a character', async () => {
    const long = await textOf('us-ascii', `ü${'a'.repeat(4 * 1024 * 1024 - 3)}ü`);
    expect(long?.slice(0, 2)).toBe('üa');
  });
});

describe('a header without encoded words', () => {
  const koi = (text: number[]) => Buffer.from(text).toString('latin1');
  const hello = koi([0xf0, 0xd2, 0xc9]);

  it('is read as UTF-8 if it is valid', async () => {
    const { subject, from } = await parsed(
      Buffer.from('From: Zoë <z@home.example>\r\nSubject: Grüße\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n'),
    );
    expect([subject, from[0]?.displayName]).toEqual(['Grüße', 'Zoë']);
  });

  it('is read by the charset of the message, or of its first text', async () => {
    const one = await parsed(
      message([`To: ${hello} <b@home.example>`, `Subject: ${hello}`, 'Content-Type: text/plain; charset=koi8-r'], ''),
    );
    expect([one.subject, one.to[0]?.displayName]).toEqual(['При', 'При']);
    expect(one.headers.find(({ name }) => name === 'Subject')?.value).toBe('При');
    const type = 'Content-Type: multipart/mixed; boundary=b';
    const lines = [
      '--b',
      'Content-Type: text/plain; charset="koi8-r"',
      '',
      'x',
      '--b',
      `Content-Disposition: attachment; filename="${hello}.txt"`,
      '',
      'y',
      '--b--',
    ];
    const two = await parsed(message([`Subject: ${hello}`, type], Buffer.from(lines.join('\r\n'), 'latin1')));
    expect([two.subject, two.attachments[0]?.filename]).toEqual(['При', 'При.txt']);
  });

  it('names those that it names for others, though a character may have an octet of ASCII', async () => {
    const head = ['Subject: \u0083\u005c', 'Content-Type: text/plain; charset=shift_jis'];
    const { subject, from } = await parsed(
      Buffer.from(
        `From: "\u0083\u005c" <eve@far.example>" <ada@home.example>\r\n${head.join('\r\n')}\r\n\r\n`,
        'latin1',
      ),
    );
    expect(subject).toBe('ソ');
    expect(from.map(({ address }) => address)).toEqual(['ada@home.example']);
  });

  it.each(['utf-8', 'us-ascii', 'utf-16', 'iso-2022-jp', 'x-unknown', ''])(
    'is read as windows-1252 if %s says nothing of it',
    async (charset) => {
      const type = `Content-Type: text/plain${charset === '' ? '' : `; charset=${charset}`}`;
      const { subject } = await parsed(message(['Subject: Gr\u00fc\u00dfe \u0080 1', type], ''));
      expect(subject).toBe('Grüße € 1');
    },
  );
});
