import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { attachmentContent } from '../../../src/services/mail/message/attachments.ts';
import { parseMessage } from '../../../src/services/mail/message/parse.ts';
import { contentBytes, contentSize } from '../../../src/services/mail/message/part-content.ts';
import type { Piece } from '../../../src/services/mail/message/segments.ts';
import { skeletonOf } from '../../../src/services/mail/message/skeleton.ts';
import { splitMessage } from '../../../src/services/mail/message/split.ts';
import { nonce } from '../../support/mail-messages.ts';
import { inStage, runs } from '../../support/stage.ts';

async function* inPieces(octets: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += 1000) yield octets.subarray(at, at + 1000);
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Splits a message as one that comes in, reads it, and gets every attachment's content. */
async function received(octets: Buffer) {
  const [pieces, contents, widths]: [Piece[], Buffer[], number[]] = [[], [], []];
  for await (const event of splitMessage(inPieces(octets), { least: 1000 })) {
    if (event.kind === 'octets') pieces.push({ octets: event.octets });
    else if (event.first) {
      pieces.push({ segment: contents.length });
      contents.push(event.bytes);
      widths.push(event.width);
    } else contents.push(Buffer.concat([contents.pop() ?? Buffer.alloc(0), event.bytes]));
  }
  const segments = contents.map(({ length }, index) => ({ size: length, width: widths[index]! }));
  const skeleton = skeletonOf(pieces, nonce);
  const message = await parseMessage(skeleton, { nonce, segments });
  const attachments: Buffer[] = [];
  for (const { path, size } of message.attachments) {
    const content = attachmentContent(skeleton, path, { nonce, segments })!;
    attachments.push(await joined(contentBytes(content, segments, (index) => inPieces(contents[index]!))));
    expect(contentSize(content, segments)).toBe(size);
    expect(attachments.at(-1)!.length).toBe(size);
  }
  return { message, attachments, segments };
}

// What the parser removes, and blanks at the ends or several of them, which folding may change, are not what this is about.
const words = fc
  .array(fc.stringMatching(/^[\p{L}\p{N}\p{S}!?.,;:'()<>@&=_"-]{1,30}$/u), { minLength: 1, maxLength: 12 })
  .map((all) => all.join(' ').toWellFormed());
const filename = fc
  .stringMatching(/^[\p{L}\p{N}=?'*%;, -]{1,60}$/u)
  .map((name) => `${name.toWellFormed().trim()}x.bin`);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.nat(), fc.integer({ min: 900, max: 3000 })).map(([byte, size]) => new Uint8Array(size).fill(byte)),
);

const message = fc.record({
  subject: words,
  name: words,
  text: fc.array(words, { maxLength: 30 }).map((lines) => lines.join('\n')),
  html: fc.option(words.map((text) => `<p>${text}</p>`)),
  attachments: fc.array(fc.record({ filename, content }), { maxLength: 4 }),
});

describe('a composed message', () => {
  it('is read as what went into it', async () => {
    await fc.assert(
      fc.asyncProperty(message, async ({ subject, name, text, html, attachments: files }) => {
        const octets = await new MailComposer({
          from: { name, address: 'ada@home.example' },
          subject,
          text,
          ...(html !== null && { html }),
          attachments: files.map((file) => ({ filename: file.filename, content: Buffer.from(file.content) })),
          newline: 'windows',
        })
          .compile()
          .build();
        const found = await received(octets);
        expect(found.message.subject).toBe(subject);
        expect(found.message.from[0]).toMatchObject({ localPart: 'ada', domain: 'home.example', displayName: name });
        expect((found.message.textBody ?? '').trim()).toBe(text.trim());
        expect(found.message.htmlBody?.trim()).toBe(html ?? undefined);
        expect(found.message.attachments.map((file) => file.filename)).toEqual(files.map((file) => file.filename));
        files.forEach((file, index) => expect(found.attachments[index]!.equals(file.content)).toBe(true));
        const large = files.filter((file) => file.content.length >= 1000);
        expect(found.message.attachments.filter(({ segment }) => segment !== undefined)).toHaveLength(large.length);
      }),
      { numRuns: inStage(25, 25, runs(300)) },
    );
  });
});
