import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { attachments as contract, UploadedFile } from '../../contract/chat/attachments.ts';
import { shownTypes } from '../../contract/chat/limits.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Download, Upload } from '../../service/raw-bodies.ts';
import { readPart } from '../../shared/attachments/sealed-parts.ts';
import { deleteUpload } from '../../shared/conversations/attachments/dropping.ts';
import { openAttachment } from '../../shared/conversations/attachments/reading.ts';
import { takeUpload } from '../../shared/conversations/attachments/uploading.ts';

type Contract = typeof contract;

const unknownType = 'application/octet-stream';
/** RFC 6838, 4.2, in lower case. */
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Beside the headers of every answer. Whatever a browser makes of it has no origin, and runs nothing. */
const guards = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

export async function uploadAttachment(
  ctx: Context,
  actor: Actor,
  { filename }: InputOf<Contract['uploadAttachment']>,
  upload: Upload,
): Promise<UploadedFile> {
  const mimeType = mediaType.test(upload.type) ? upload.type : unknownType;
  return await takeUpload(ctx, actor, { filename, mimeType }, upload);
}

export async function showAttachment(
  ctx: Context,
  actor: Actor,
  { attachmentId }: InputOf<Contract['showAttachment']>,
): Promise<Download> {
  const { attachment, part } = await openAttachment(ctx, actor, attachmentId);
  const type = shownTypes.find((known) => known === attachment.mimeType);
  return {
    type: type === 'text/plain' ? `${type}; charset=utf-8` : (type ?? unknownType),
    inline: type !== undefined,
    filename: attachment.filename,
    // The id is random and the content never changes, so the tag says nothing that the URL doesn't.
    version: attachmentId,
    headers: guards,
    content: { size: part.size, read: (range) => readPart(ctx, part, range) },
  };
}

export async function deleteAttachment(
  ctx: Context,
  { memberId }: Actor,
  { attachmentId }: InputOf<Contract['deleteAttachment']>,
): Promise<null> {
  await deleteUpload(ctx, memberId, attachmentId);
  return null;
}
