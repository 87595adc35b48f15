import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { EmailContent } from '../../../contract/mail/fields.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { itemOf } from '../boxes/items.ts';
import { htmlToText } from '../message/html-text.ts';
import { messageOctets } from '../message/segments.ts';
import { openContent } from '../storage/contents.ts';
import { readPart } from '../../../shared/attachments/sealed-parts.ts';
import { parsedContent, type Octets } from './body.ts';
import { sliced } from './slices.ts';

interface Named {
  readonly messageId: string;
}

export async function showContent(
  ctx: Context,
  actor: Actor,
  { messageId, as }: Named & { readonly as: 'sent' | 'text' },
): Promise<EmailContent> {
  const item = await itemOf(ctx, actor.memberId, messageId);
  const content = await openContent(ctx, item.content_id);
  const { textBody, htmlBody, truncated, problems, attachments } = await parsedContent(ctx, content);
  const html = htmlBody ?? null;
  const text = textBody ?? (as === 'text' && html !== null ? htmlToText(html) : null);
  return {
    messageId: item.message_id,
    textBody: text,
    htmlBody: html,
    truncated,
    problems: [...problems],
    attachments: attachments.map(
      ({ filename, contentType, size, contentId, inline, segment }, index): EmailContent['attachments'][number] => ({
        index,
        filename,
        contentType,
        size,
        blockId: segment === undefined ? null : (content.parts[segment + 1]?.blocks[0]?.hash ?? null),
        contentId,
        inline,
      }),
    ),
  };
}

export async function showRaw(ctx: Context, actor: Actor, { messageId }: Named): Promise<Download> {
  const item = await itemOf(ctx, actor.memberId, messageId);
  const content = await openContent(ctx, item.content_id);
  return {
    type: 'message/rfc822',
    filename: `${item.id}.eml`,
    version: content.id,
    content: { size: content.size, read: ({ start, end }) => sliced(octetsOf(ctx, content), start, end) },
  };
}

/** The exact octets of a message. */
export async function* octetsOf(
  ctx: Pick<Context, 'blocks'>,
  { pieces, segments, parts }: Octets,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    if ('segment' in piece) {
      const part = parts[piece.segment + 1];
      if (part !== undefined) yield* messageOctets([{ segment: piece.segment }], segments, () => readPart(ctx, part));
      continue;
    }
    const first = parts[0];
    if (first !== undefined) yield* readPart(ctx, first, { start: at, end: at + piece.octets });
    at += piece.octets;
  }
}
