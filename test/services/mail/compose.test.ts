import fc from 'fast-check';
import { simpleParser, type AddressObject } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { addressOf, mailboxFrom, mailboxIn } from '../../../src/services/mail/message/address.ts';
import type { NamedMailbox } from '../../../src/services/mail/message/addresses.ts';
import { composeMessage, type MessageFields } from '../../../src/services/mail/message/compose.ts';
import { checkMessage } from '../../../src/services/mail/message/fields.ts';
import { parseMessage } from '../../../src/services/mail/message/parse.ts';
import { messageOctets } from '../../../src/services/mail/message/segments.ts';
import { skeletonOf } from '../../../src/services/mail/message/skeleton.ts';
import { inStage, runs } from '../../support/stage.ts';

const plain: MessageFields = {
  messageId: 'one@home.example',
  date: Date.parse('2026-11-21T00:28:43Z'),
  from: { localPart: 'ada', domain: 'home.example' },
  to: [{ localPart: 'bob', domain: 'home.example' }],
  cc: [],
  bcc: [],
  subject: 'Hello',
  references: [],
  textBody: 'Hi.',
  attachments: [],
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The octets of a message with these contents of its attachments. */
async function written(fields: MessageFields, contents: readonly Uint8Array[] = []): Promise<Buffer> {
  const { pieces } = await composeMessage({
    ...fields,
    attachments: fields.attachments.map((one, index) => ({ ...one, size: contents[index]?.length ?? 0 })),
  });
  const segments = contents.map(({ length }) => ({ size: length, width: 76 }));
  const octets: Uint8Array[] = [];
  for await (const piece of messageOctets(pieces, segments, (index) => once(contents[index] ?? new Uint8Array())))
    octets.push(piece);
  return Buffer.concat(octets);
}

const head = (octets: Buffer): string => octets.toString('latin1').split('\r\n\r\n')[0] ?? '';
const isAllowed = (text: string): boolean => {
  try {
    checkMessage({ ...plain, subject: text }, []);
    return true;
  } catch {
    return false;
  }
};

describe('a composed message', () => {
  it('has the fields of RFC 5322, lines that end with CRLF, and its text first', async () => {
    const octets = await written({
      ...plain,
      cc: [{ localPart: 'cy', domain: 'home.example', displayName: 'Cy, the 3rd' }],
    });
    expect(head(octets).split('\r\n').toSorted()).toEqual([
      'Cc: "Cy, the 3rd" <cy@home.example>',
      'Content-Transfer-Encoding: 7bit',
      'Content-Type: text/plain; charset=utf-8',
      'Date: Sat, 21 Nov 2026 00:28:43 +0000',
      'From: ada@home.example',
      'MIME-Version: 1.0',
      'Message-ID: <one@home.example>',
      'Subject: Hello',
      'To: bob@home.example',
    ]);
    expect(octets.toString().endsWith('\r\n\r\nHi.\r\n')).toBe(true);
  });

  it('names nobody in Bcc unless it is the own copy of the sender', async () => {
    const bcc = [{ localPart: 'eve', domain: 'home.example' }];
    expect(head(await written(plain))).not.toContain('Bcc');
    expect(head(await written({ ...plain, bcc }))).toContain('Bcc: eve@home.example');
  });

  it('folds what is long, and encodes what has no place to fold', async () => {
    for (const subject of [
      'word '.repeat(180).trim(),
      'x'.repeat(998),
      'ü'.repeat(499),
      '=?utf-8?q?no?= '.repeat(20),
    ]) {
      const octets = await written({ ...plain, subject });
      expect(
        Math.max(
          ...octets
            .toString('latin1')
            .split('\r\n')
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(998);
      expect(folded((await simpleParser(octets)).subject ?? '')).toBe(folded(subject));
    }
  });

  it('reads no file and no page that a field names', async () => {
    const body = { path: '/etc/hostname' } as unknown as string;
    await expect(written({ ...plain, htmlBody: body })).rejects.toThrow('is not a function');
  });
});

// Readers drop what nobody sees, each in another way.
const word = fc
  .string({ unit: 'binary', minLength: 0, maxLength: 40 })
  .map((text) => text.replaceAll(/[\p{Cf}\p{Cn}]/gu, ''))
  .filter(isAllowed);
const localPart = fc.oneof(
  fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/),
  // Some readers take a bracket for the end of an address, and =? for an encoded word, also in quotes.
  fc.stringMatching(/^[ -;@-~]{1,30}$/),
  fc.constantFrom('grüße', '用户', 'a.b', '"', 'a\\b', 'a@b', 'a,b', ''),
);
const domain = fc.constantFrom('home.example', 'bücher.example', 'xn--bcher-kva.example', 'a.b.c.example');
const mailbox = fc
  .record({
    localPart,
    domain,
    displayName: fc.oneof(word, fc.constantFrom('=?utf-8?q?x?=', 'A "B" C', 'Ünï, Cödé', '👩‍🚀')),
  })
  .map(({ displayName, localPart: local, domain: of }): NamedMailbox | undefined => {
    const found = mailboxFrom({ localPart: local, domain: of });
    const name = displayName.trim();
    return found === undefined || name === '' ? found : Object.assign(found, { displayName: name });
  })
  .filter((one): one is NamedMailbox => one !== undefined);
const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((one) => !/\0|\p{Surrogate}/u.test(one));
const attachments = fc.array(
  fc.record({
    filename: fc
      .oneof(word, fc.constantFrom('Übersicht.pdf', 'x'.repeat(200), 'a;b="c".txt', "it's 100%.txt", '名前.txt'))
      .map((name) => name.replaceAll(/[/\\\u202a-\u202e\u2066-\u2069]/g, '').trim())
      .filter((name) => name !== '' && !/^\.+$/.test(name)),
    content: fc.uint8Array({ maxLength: 400 }),
  }),
  { maxLength: 3 },
);

const folded = (value: string): string => value.replaceAll(/\s+/g, ' ').trim();
const lines = (value: string): string => value.replaceAll(/\r\n?/g, '\n');

describe('any message', () => {
  it('is read back as it was written, by our reader and by another one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          from: mailbox,
          to: fc.array(mailbox, { maxLength: 5 }),
          subject: word,
          textBody: text,
          html: fc.option(text),
          attachments,
        }),
        async ({ html, attachments: files, ...fields }) => {
          const contents = files.map(({ content }) => content);
          const all: MessageFields = {
            ...plain,
            ...fields,
            references: ['root@x.example', 'parent@x.example'],
            inReplyTo: 'parent@x.example',
            ...(html !== null && { htmlBody: html }),
            attachments: files.map(({ filename }) => ({ filename, contentType: 'application/pdf', size: 0 })),
          };
          checkMessage(all, all.attachments);
          const octets = await written(all, contents);
          const nonce = 'ab'.repeat(16);
          const ours = await parseMessage(skeletonOf([{ octets }], nonce), { nonce, segments: [] });
          // Blanks that stand as they are can be folded; those in an encoded word stay.
          expect(folded(ours.subject)).toBe(folded(fields.subject));
          expect(ours.from[0]?.address).toBe(addressOf(fields.from));
          expect(ours.to.map(({ address }) => address)).toEqual(fields.to.map(addressOf));
          expect(ours.to.map(({ displayName }) => folded(displayName))).toEqual(
            fields.to.map(({ displayName = '' }) => folded(displayName)),
          );
          expect(ours.references).toEqual(all.references);
          expect(ours.inReplyTo).toEqual(['parent@x.example']);
          expect(ours.attachments.map(({ filename, size }) => [filename, size])).toEqual(
            files.map(({ filename, content }) => [filename, content.length]),
          );
          const other = await simpleParser(octets, { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true });
          expect(folded(other.subject ?? '')).toBe(folded(fields.subject));
          // It shows domains with U-labels.
          const sender = mailboxIn((other.from as AddressObject).value[0]?.address ?? '');
          expect(sender && addressOf(sender)).toBe(addressOf(fields.from));
          expect(lines(other.text ?? '').trimEnd()).toBe(lines(fields.textBody).trimEnd());
          expect(other.attachments.map(({ content }) => Buffer.from(content).toString('hex'))).toEqual(
            contents.map((one) => Buffer.from(one).toString('hex')),
          );
          expect(other.attachments.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename));
        },
      ),
      { numRuns: inStage(25, 25, runs(300)) },
    );
  });
});
