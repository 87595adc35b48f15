import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { assertStorageLeft } from '../../../shared/members/storage.ts';
import { Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { sweep } from '../../../service/sweep.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { addContent, dropUnused, newContent } from '../storage/contents.ts';
import { filesOf, makePart } from '../../../shared/attachments/sealed-parts.ts';

interface Uploaded {
  readonly uploadId: string;
  readonly size: number;
  readonly expiresAt: string;
}

/** Bytes of uploads of one member that are not sent. */
const WAITING_BYTES = 250 * 1024 ** 2;
const HOUR_MS = 3_600_000;

/** Encrypts an attachment while it arrives. */
export async function upload(ctx: Context, actor: Actor, _: object, { body, size = 0 }: Upload): Promise<Uploaded> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as Uploaded;
  await assertStorageLeft(ctx, actor.memberId, size);
  const part = await makePart(ctx, body);
  let kept = false;
  try {
    const empty = await makePart(ctx, new Uint8Array());
    const now = ctx.clock.now();
    const id = recordId(now, ctx.random);
    const content = newContent(ctx, id, {
      pieces: [{ segment: 0 }],
      segments: [{ size: part.size, width: 76 }],
      structure: nothing,
      parts: [empty, part],
      size: part.size,
    });
    const expiresAt = now + mailLimits.uploadHours * HOUR_MS;
    return await transaction(ctx, async (tx) => {
      kept = false;
      return await once(tx, async () => {
        await assertRoom(tx, actor.memberId, part.size);
        await addContent(tx, content, [], new Set(filesOf([part])));
        await tx.db
          .insertInto('mail_uploads')
          .values({ id, member_id: actor.memberId, size: part.size, expires_at: expiresAt })
          .execute();
        kept = true;
        return { uploadId: id, size: part.size, expiresAt: new Date(expiresAt).toISOString() };
      });
    });
  } finally {
    if (!kept) await withdrawBlocks(ctx, filesOf([part]));
  }
}

const nothing = {
  v: 1,
  headers: [],
  from: [],
  replyTo: [],
  to: [],
  cc: [],
  subject: '',
  inReplyTo: [],
  references: [],
  attachments: [],
  textLength: 0,
  htmlLength: 0,
  problems: [],
} as const;

async function assertRoom(tx: Context, memberId: string, bytes: number): Promise<void> {
  const { waiting } = await tx.db
    .selectFrom('mail_uploads')
    // In PostgreSQL the sum of a column has another type.
    .select(sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('waiting'))
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  if (waiting + bytes <= WAITING_BYTES) return;
  const words = 'Too many uploads wait to be sent. Send them, or wait until they expire after a day.';
  throw new Problem('tooLarge', 'STORAGE_QUOTA_EXCEEDED', words);
}

/** Uploads that one transaction removes. */
const BATCH = 50;

/** Removes uploads that were not sent in time. */
export async function purgeUploads(ctx: Context): Promise<void> {
  await sweep(ctx, {
    what: 'removing an upload',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('mail_uploads')
        .select('id')
        .where('expires_at', '<=', tx.clock.now())
        .where('id', 'not in', without)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      for (const { id } of rows) {
        await tx.db.deleteFrom('mail_uploads').where('id', '=', id).execute();
        await dropUnused(tx, id);
      }
    },
  });
}
