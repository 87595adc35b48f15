import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { ByteRange, Download } from '../../../service/raw-bodies.ts';
import { itemOf } from '../boxes/items.ts';
import { attachmentContent } from '../message/attachments.ts';
import { contentBytes, contentSize } from '../message/part-content.ts';
import { attachmentNotFound } from '../problems.ts';
import { openContent } from '../storage/contents.ts';
import { readPart } from '../../../shared/attachments/sealed-parts.ts';
import { parsedContent, skeletonOfContent, type Octets, type Skeleton } from './body.ts';
import { sliced } from './slices.ts';

export async function showAttachment(
  ctx: Context,
  actor: Actor,
  { messageId, index }: { readonly messageId: string; readonly index: number },
): Promise<Download> {
  const item = await itemOf(ctx, actor.memberId, messageId);
  const content = await openContent(ctx, item.content_id);
  const { attachments } = await parsedContent(ctx, content);
  const found = attachments[index];
  if (found === undefined) throw attachmentNotFound();
  const { filename, segment, path } = found;
  // The type is what the sender says, so a browser must not act on it.
  const head = { type: 'application/octet-stream', filename, version: `${content.id}-${index}` };
  const part = segment === undefined ? undefined : content.parts[segment + 1];
  if (part !== undefined) return { ...head, content: { size: part.size, read: (range) => readPart(ctx, part, range) } };
  const skeleton = await skeletonOfContent(ctx, content);
  const { size, read } = attachmentOf(ctx, content, skeleton, path);
  return { ...head, content: { size, read: ({ start, end }: ByteRange) => sliced(read(), start, end) } };
}

/** An attachment that is in the octets of a message, or partly. @throws Problem missing EMAIL_ATTACHMENT_NOT_FOUND */
export function attachmentOf(
  ctx: Pick<Context, 'blocks'>,
  { parts }: Octets,
  { skeleton, nonce, segments }: Skeleton,
  path: number,
): { readonly size: number; readonly read: () => AsyncIterable<Uint8Array> } {
  const content = attachmentContent(skeleton, path, { nonce, segments });
  if (content === undefined) throw attachmentNotFound();
  const bytesOf = (segment: number): AsyncIterable<Uint8Array> => {
    const part = parts[segment + 1];
    if (part === undefined) throw attachmentNotFound();
    return readPart(ctx, part);
  };
  return { size: contentSize(content, segments), read: () => contentBytes(content, segments, bytesOf) };
}
