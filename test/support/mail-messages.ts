import { attachmentContent } from '../../src/services/mail/message/attachments.ts';
import { parseMessage, type ParsedMessage } from '../../src/services/mail/message/parse.ts';
import { contentBytes } from '../../src/services/mail/message/part-content.ts';
import type { Segment } from '../../src/services/mail/message/segments.ts';

/** What stands for a random number. */
export const nonce = 'ab'.repeat(16);

/** Lines that end with CRLF. Characters above U+00FF aren't for this function. */
export function latin(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
}

export async function parsed(octets: Uint8Array | string, segments: readonly Segment[] = []): Promise<ParsedMessage> {
  return await parseMessage(Buffer.from(octets as string), { nonce, segments });
}

/** The decoded content of a part, one character for each byte. */
export async function contentAt(skeleton: Uint8Array, path: number, contents: readonly Buffer[] = []): Promise<string> {
  const segments = contents.map(({ length }) => ({ size: length, width: 76 }));
  const found = attachmentContent(skeleton, path, { nonce, segments })!;
  const all: Uint8Array[] = [];
  for await (const bytes of contentBytes(found, segments, async function* (index) {
    yield contents[index]!;
  }))
    all.push(bytes);
  return Buffer.concat(all).toString('latin1');
}

/** The fields of a usual message. */
export const usual = [
  'From: "Ada Lovelace" <ada@home.example>',
  'To: bob@home.example, Team: Carol <carol@home.example>, dan@home.example;',
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <1@home.example>',
  'Date: Fri, 21 Nov 1997 09:55:06 -0600',
];

/** A message with two texts and two attachments. */
export const mixed = latin(
  ...usual,
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  'Not shown.',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe  =',
  'an alle=20',
  '--inner',
  'Content-Type: text/html; charset=iso-8859-1',
  '',
  '<p>Gr\u00fc\u00dfe</p>',
  '--inner--',
  '--outer',
  'Content-Type: image/png; name="=?utf-8?Q?b=C3=A4r.png?="',
  'Content-Transfer-Encoding: base64',
  'Content-ID: <logo@home.example>',
  'Content-Disposition: inline',
  '',
  'AAEC',
  'Aw==',
  '',
  '--outer',
  'Content-Type: application/pdf',
  "Content-Disposition: attachment; filename*0*=utf-8''%C3%9Cber; filename*1=sicht.pdf",
  '',
  'a\u00ff\n--outer-not',
  '--outer--  ',
  'Not shown either.',
);
