import { setImmediate as nextTurn } from 'node:timers/promises';
import { fromBase64 } from '../../../shared/attachments/base64.ts';
import type { Context } from '../../../service/context.ts';
import type { AttachmentInput } from '../../../contract/mail/fields.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { fieldProblem } from '../../../base/problem.ts';
import type { Owner } from '../own-mailbox.ts';
import { uploadNotFound } from '../problems.ts';
import { attachmentOf } from '../reading/attachments.ts';
import { skeletonOfContent } from '../reading/body.ts';
import { dropUnused, openContent, type OpenContent } from '../storage/contents.ts';
import { filesOf, makePart, type Part } from '../../../shared/attachments/sealed-parts.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';

/** An attachment whose content is encrypted. */
export interface GivenAttachment {
  readonly filename?: string;
  readonly contentType?: string;
  readonly contentId?: string;
  readonly inline?: boolean;
  readonly part: Part;
  /** whether its part was made for this message; others are in the store already */
  readonly fresh: boolean;
}

/** Characters of base64 that are decoded at once. */
const SLICE = 512 * 1024;

/** Encrypts attachments as they were given. If it fails, nothing of them stays. */
export async function readAttachments(
  ctx: Context,
  actor: Owner,
  given: readonly AttachmentInput[] = [],
): Promise<GivenAttachment[]> {
  const done: GivenAttachment[] = [];
  try {
    for (const [index, one] of given.entries()) done.push(await readAttachment(ctx, actor, one, index));
    return done;
  } catch (error) {
    await withdrawFresh(ctx, done);
    throw error;
  }
}

/** Deletes what was written for attachments of a message that does not come about. */
export async function withdrawFresh(ctx: Context, attachments: readonly GivenAttachment[]): Promise<void> {
  const parts = attachments.flatMap(({ part, fresh }) => (fresh ? [part] : []));
  await withdrawBlocks(ctx, filesOf(parts));
}

async function readAttachment(
  ctx: Context,
  actor: Owner,
  { filename, contentType, contentId, inline, content, uploadId }: AttachmentInput,
  index: number,
): Promise<GivenAttachment> {
  const field = `attachments.${index}`;
  const entry = {
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
    ...(contentId !== undefined && { contentId }),
    ...(inline !== undefined && { inline }),
  };
  if ((content === undefined) === (uploadId === undefined))
    throw fieldProblem(field, 'must have either content or uploadId');
  if (uploadId !== undefined) return { ...entry, part: await uploadedPart(ctx, actor, uploadId), fresh: false };
  const part = await makePart(ctx, decoded(`${field}.content`, content ?? ''));
  if (part.size <= mailLimits.attachmentBytes) return { ...entry, part, fresh: true };
  await withdrawBlocks(ctx, filesOf([part]));
  throw fieldProblem(`${field}.content`, 'is larger than 25 MiB');
}

/** Decodes base64 slice by slice, with turns for others between them. @throws Problem invalid VALIDATION_ERROR */
async function* decoded(field: string, text: string): AsyncGenerator<Uint8Array> {
  let rest = '';
  for (let start = 0; start < text.length || start === 0; start += SLICE) {
    const isLast = start + SLICE >= text.length;
    const slice = rest + text.slice(start, start + SLICE).replaceAll(/[\r\n]/g, '');
    const whole = isLast ? slice.length : slice.length - (slice.length % 4);
    rest = slice.slice(whole);
    const part = slice.slice(0, whole);
    // Padding in the middle ends the content there for some decoders, and not for others.
    if (!isLast && part.includes('=')) throw fieldProblem(field, 'must be base 64');
    yield fromBase64(field, part);
    if (!isLast) await nextTurn();
  }
}

async function uploadedPart(ctx: Context, actor: Owner, uploadId: string): Promise<Part> {
  const row = await ctx.db
    .selectFrom('mail_uploads')
    .selectAll()
    .where('id', '=', uploadId)
    .where('member_id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined || row.expires_at <= ctx.clock.now()) throw uploadNotFound();
  const { parts } = await openContent(ctx, uploadId);
  // Part 0 of an upload is empty; its only segment is the content.
  const part = parts[1];
  if (part === undefined) throw uploadNotFound();
  return part;
}

/** Takes uploads that are sent now, in the transaction that sends them, after their parts were shared. */
export async function takeUploads(tx: Context, actor: Owner, given: readonly AttachmentInput[] = []): Promise<void> {
  for (const { uploadId } of given) {
    if (uploadId === undefined) continue;
    const row = await tx.db
      .deleteFrom('mail_uploads')
      .where('id', '=', uploadId)
      .where('member_id', '=', actor.memberId)
      .returning('id')
      .executeTakeFirst();
    // Another request has sent it meanwhile.
    if (row === undefined) throw uploadNotFound();
    await dropUnused(tx, uploadId);
  }
}

/**
 * The attachments of a message, for another one: large ones share their parts, and small ones are copied. Whoever doesn't send them
 * withdraws the fresh ones.
 */
export async function copiedAttachments(ctx: Context, content: OpenContent): Promise<GivenAttachment[]> {
  const { attachments } = content.structure;
  const done: GivenAttachment[] = [];
  const small = attachments.some(({ segment }) => segment === undefined);
  const skeleton = small ? await skeletonOfContent(ctx, content) : undefined;
  try {
    for (const { size: _, segment, path, ...entry } of attachments) {
      const part = segment === undefined ? undefined : content.parts[segment + 1];
      if (part !== undefined) done.push({ ...entry, part, fresh: false });
      else if (skeleton !== undefined && path !== undefined) {
        const { read } = attachmentOf(ctx, content, skeleton, path);
        done.push({ ...entry, part: await makePart(ctx, read()), fresh: true });
      }
    }
    return done;
  } catch (error) {
    await withdrawFresh(ctx, done);
    throw error;
  }
}
