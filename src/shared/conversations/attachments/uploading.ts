import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { UploadedFile } from '../../../contract/chat/attachments.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { keepBlocks, withdrawBlocks } from '../../attachments/blocks.ts';
import { filesOf, makePart, type Part } from '../../attachments/sealed-parts.ts';
import { assertStillSignedIn } from '../../members/still-signed-in.ts';
import { freeStorage, takeStorage } from '../../members/storage.ts';
import { sealDescribed } from './upload-rows.ts';

const HOUR_MS = 3_600_000;
/** As long as blocks that no row refers to are kept. */
const ARRIVING_MS = HOUR_MS;

interface NewFile {
  readonly filename: string;
  readonly mimeType: string;
}

/**
 * Takes a file for a message of the member. Its bytes are reserved before the first one is read, in a row that expires: an upload that dies
 * with its process gives them back when its time is over.
 *
 * @throws Problem unauthenticated UNAUTHORIZED if what the member signed in with ended meanwhile; tooLarge STORAGE_QUOTA_EXCEEDED; conflict ATTACHMENTS_FULL; unavailable OVERLOADED; the errors of the body
 */
export async function takeUpload(
  ctx: Context,
  actor: Actor,
  file: NewFile,
  { body, size = chatLimits.attachmentBytes + chatLimits.sealedOverhead }: Pick<Upload, 'body' | 'size'>,
): Promise<UploadedFile> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as UploadedFile;
  const { memberId } = actor;
  const id = recordId(ctx.clock.now(), ctx.random);
  await transaction(ctx, async (tx) => await reserve(tx, memberId, id, size));
  let part: Part | undefined;
  let kept = false;
  try {
    const made = (part = await makePart(ctx, body));
    return await transaction(ctx, async (tx) => {
      kept = false;
      await assertStillSignedIn(tx, actor);
      return await once(tx, async () => {
        const reply = await keep(tx, memberId, id, made, file);
        kept = true;
        return reply;
      });
    });
  } finally {
    if (!kept) {
      if (part !== undefined) await withdrawBlocks(ctx, filesOf([part]));
      await giveUp(ctx, id);
    }
  }
}

const waiting = writtenQuery<{ found: number }>(
  'select count(*) as found from conversation_attachments where owner_id = $1 and expires_at > $2',
);

async function reserve(tx: Context, memberId: string, id: string, size: number): Promise<void> {
  const now = tx.clock.now();
  if (onlyRow((await tx.db.executeQuery(waiting(memberId, now))).rows).found >= chatLimits.waitingAttachments) {
    const words = `You have ${chatLimits.waitingAttachments} uploads that are part of no message. Use or delete some, or wait a day.`;
    throw new Problem('conflict', 'ATTACHMENTS_FULL', words);
  }
  await takeStorage(tx, memberId, size);
  const times = { expires_at: now + ARRIVING_MS, created_at: now };
  const row = { id, owner_id: memberId, size, ...times, sealed: null, message_count: 0 };
  await insertRows(tx.db, 'conversation_attachments', [row]);
}

const arriving = writtenQuery<{ size: number }>(
  'select size from conversation_attachments where id = $1 and sealed is null and expires_at > $2',
);
const arrived = writtenQuery(
  'update conversation_attachments set size = $1, expires_at = $2, sealed = $3 where id = $4 and sealed is null',
);

async function keep(
  tx: Context,
  memberId: string,
  id: string,
  part: Part,
  { filename, mimeType }: NewFile,
): Promise<UploadedFile> {
  const now = tx.clock.now();
  const [reserved] = (await tx.db.executeQuery(arriving(id, now))).rows;
  if (reserved === undefined)
    throw new Problem('unavailable', 'OVERLOADED', 'Storing the file took too long. Try again.', {
      retryAfterSeconds: 5,
    });
  const { size, blocks } = part;
  const expiresAt = now + chatLimits.attachmentHours * HOUR_MS;
  const sealed = sealDescribed(tx, id, { filename, mimeType, key: Buffer.from(part.key).toString('base64') });
  await tx.db.executeQuery(arrived(size, expiresAt, sealed, id));
  if (size > reserved.size) await takeStorage(tx, memberId, size - reserved.size);
  else await freeStorage(tx, memberId, reserved.size - size);
  await keepBlocks(tx, filesOf([part]));
  const rows = blocks.map((block, piece) => ({
    attachment_id: id,
    piece,
    hash: block.hash,
    block_id: block.sealed === undefined ? block.hash : null,
    sealed: block.sealed ?? null,
    size: block.size,
  }));
  await insertRows(tx.db, 'conversation_attachment_blocks', rows);
  return { id, filename, mimeType, size, expiresAt: new Date(expiresAt).toISOString() };
}

const abandon = writtenQuery<{ owner_id: string; size: number }>(
  'delete from conversation_attachments where id = $1 and sealed is null and message_count = 0 returning owner_id, size',
);

/** Gives the reserved bytes back. It never fails itself: what stays expires. */
async function giveUp(ctx: Context, id: string): Promise<void> {
  try {
    await transaction(ctx, async (tx) => {
      const [gone] = (await tx.db.executeQuery(abandon(id))).rows;
      if (gone !== undefined) await freeStorage(tx, gone.owner_id, gone.size);
    });
  } catch (error) {
    ctx.log.warn('giving the bytes of a failed upload back failed; they are given back when it expires', { error });
  }
}
