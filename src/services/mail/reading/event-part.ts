import type { Context } from '../../../service/context.ts';
import { attachmentOf } from './attachments.ts';
import { parsedContent, skeletonOfContent } from './body.ts';
import type { EventMessage } from '../message/event-message.ts';
import { openContent } from '../storage/contents.ts';
import { isCalendar } from '../storage/structure.ts';
import { readPart } from '../../../shared/attachments/sealed-parts.ts';

/** Larger ones are no messages about single events. */
const MOST_BYTES = 1024 ** 2;

/** What a message says of an event. */
export interface EventPart {
  /** the address of From, which is the sender's: every way into a mailbox checks it */
  readonly from: string;
  readonly name: string | undefined;
  /** iCalendar */
  readonly octets: Uint8Array;
}

/**
 * Reads the first part of iCalendar of a message in a mailbox.
 * @returns undefined if the message is gone, or the part is too large
 */
export async function readEventPart(ctx: Context, { itemId, memberId }: EventMessage): Promise<EventPart | undefined> {
  const item = await ctx.db
    .selectFrom('mail_items')
    .select('content_id')
    .where('id', '=', itemId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (item === undefined) return undefined;
  const content = await openContent(ctx, item.content_id);
  const { attachments, from } = await parsedContent(ctx, content);
  const found = attachments.find(({ contentType }) => isCalendar(contentType));
  const [author, ...others] = from;
  if (found === undefined || author === undefined || others.length > 0) return undefined;
  const { segment, path } = found;
  const part = segment === undefined ? undefined : content.parts[segment + 1];
  const { size, read } =
    part === undefined
      ? attachmentOf(ctx, content, await skeletonOfContent(ctx, content), path)
      : { size: part.size, read: () => readPart(ctx, part) };
  if (size > MOST_BYTES) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of read()) pieces.push(piece);
  return { from: author.address, name: author.displayName, octets: Buffer.concat(pieces) };
}
