import type { Actor } from '../../../service/actor.ts';
import { keepBlocks, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { UploadedMedia } from '../../../contract/social/media.ts';
import { mediaLimits } from '../../../contract/social/media/limits.ts';
import { freeStorage, takeStorage } from '../../../shared/members/storage.ts';
import { Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { requireSelf } from '../people/found.ts';
import { sealedKey } from './rows.ts';
import { shownUpload } from './shown.ts';
import { takeMedia, type Taken } from './taking.ts';

interface Described {
  readonly altText: string;
  readonly sensitive: boolean;
}

const HOUR_MS = 3_600_000;
/** As long as blocks that no row refers to are kept. */
const ARRIVING_MS = HOUR_MS;

/**
 * Takes a picture, video or sound. Its bytes are reserved before the first one is read, in a row that expires: an upload that dies with its
 * process gives them back when its time is over.
 */
export async function uploadMedia(
  ctx: Context,
  actor: Actor,
  described: Described,
  { body, size }: Upload,
): Promise<UploadedMedia> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as UploadedMedia;
  const id = recordId(ctx.clock.now(), ctx.random);
  await transaction(ctx, async (tx) => await reserve(tx, actor, id, size ?? mediaLimits.streamBytes));
  let taken: Taken | undefined;
  let kept = false;
  try {
    const done = (taken = await takeMedia(ctx, { body, size }));
    return await transaction(ctx, async (tx) => {
      kept = false;
      return await once(tx, async () => {
        const reply = await keep(tx, actor, id, done, described);
        kept = true;
        return reply;
      });
    });
  } finally {
    if (!kept) {
      if (taken !== undefined) await withdrawBlocks(ctx, filesOf([taken.part]));
      await giveUp(ctx, id);
    }
  }
}

const waiting = writtenQuery<{ found: number }>(
  'select count(*) as found from social_media where owner_id = $1 and expires_at > $2',
);

async function reserve(tx: Context, actor: Actor, id: string, size: number): Promise<void> {
  const { id: memberId } = await requireSelf(tx, actor);
  const now = tx.clock.now();
  const { rows } = await tx.db.executeQuery(waiting(memberId, now));
  if ((rows[0]?.found ?? 0) >= mediaLimits.waiting) {
    const words = `You have ${mediaLimits.waiting} uploads that are part of no post. Use or delete some, or wait a day.`;
    throw new Problem('conflict', 'MEDIA_FULL', words);
  }
  await takeStorage(tx, memberId, size);
  const times = { expires_at: now + ARRIVING_MS, created_at: now };
  const nothing = { mime_type: null, node_key: null, width: 0, height: 0, alt_text: '', sensitive: 0 };
  await insertRows(tx.db, 'social_media', [{ id, owner_id: memberId, size, ...times, ...nothing }]);
}

async function keep(
  tx: Context,
  actor: Actor,
  id: string,
  { facts, part }: Taken,
  { altText, sensitive }: Described,
): Promise<UploadedMedia> {
  const { id: memberId } = await requireSelf(tx, actor);
  const now = tx.clock.now();
  const expiresAt = now + mediaLimits.waitingHours * HOUR_MS;
  const reserved = await tx.db
    .selectFrom('social_media')
    .selectAll()
    .where('id', '=', id)
    .where('mime_type', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (reserved === undefined)
    throw new Problem('unavailable', 'OVERLOADED', 'Storing the file took too long. Try again.', {
      retryAfterSeconds: 5,
    });
  const row = {
    ...reserved,
    size: part.size,
    expires_at: expiresAt,
    mime_type: facts.type,
    node_key: sealedKey(tx, id, part.key),
    width: facts.width,
    height: facts.height,
    alt_text: altText,
    sensitive: sensitive ? 1 : 0,
  };
  await tx.db.updateTable('social_media').set(row).where('id', '=', id).execute();
  if (part.size > reserved.size) await takeStorage(tx, memberId, part.size - reserved.size);
  else await freeStorage(tx, memberId, reserved.size - part.size);
  await keepBlocks(tx, filesOf([part]));
  const blocks = part.blocks.map(({ hash, sealed, size }, piece) => {
    const place = sealed === undefined ? { block_id: hash, sealed: null } : { block_id: null, sealed };
    return { media_id: id, piece, hash, ...place, size };
  });
  await insertRows(tx.db, 'social_media_blocks', blocks);
  return shownUpload(row, expiresAt);
}

/** Gives the reserved bytes back. It never fails itself: what stays expires. */
async function giveUp(ctx: Context, id: string): Promise<void> {
  try {
    await transaction(ctx, async (tx) => {
      const gone = await tx.db
        .deleteFrom('social_media')
        .where('id', '=', id)
        .where('mime_type', 'is', null)
        .returning(['owner_id', 'size'])
        .executeTakeFirst();
      if (gone !== undefined) await freeStorage(tx, gone.owner_id, gone.size);
    });
  } catch (error) {
    ctx.log.warn('giving the bytes of a failed upload back failed; they are given back when it expires', { error });
  }
}
