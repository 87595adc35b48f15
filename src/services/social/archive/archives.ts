import type { Actor } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { readPart, type Part } from '../../../shared/attachments/sealed-parts.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { sweep } from '../../../service/sweep.ts';
import type { SocialArchive } from '../../../contract/social/archive.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey } from '../../../crypto/sealing.ts';
import { Problem } from '../../../base/problem.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { once } from '../../../service/repeats.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SocialArchiveRow } from '../../../platform/store/tables/social-own.ts';
import { requireSelf } from '../people/found.ts';

type Answer = Promise<{ archive: SocialArchive }>;

export const keyContext = (id: string): Uint8Array => utf8(`conclave/social/archive-key/v1\0${id}`);

/** An archive that nobody finished for so long has failed for good. */
const STALE_MS = 24 * 3_600_000;
/** Archives that one transaction removes. */
const BATCH = 20;

export async function createArchive(ctx: Context, actor: Actor): Answer {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    return await once(tx, async () => {
      const now = tx.clock.now();
      const before = await rowOf(tx, self.id);
      if (before?.state === 'pending' && before.created_at > now - STALE_MS)
        throw new Problem('conflict', 'ARCHIVE_PENDING', 'Your archive is being made. Wait for its end.');
      if (before !== undefined) await dropArchive(tx, before.id);
      const row: SocialArchiveRow = {
        id: recordId(now, tx.random),
        member_id: self.id,
        state: 'pending',
        done: 0,
        total: 0,
        sealed_key: null,
        size: 0,
        created_at: now,
        finished_at: null,
        expires_at: null,
      };
      await tx.db.insertInto('social_archives').values(row).execute();
      const job = { id: `social-archive/${row.id}`, kind: 'social-archive', payload: { archiveId: row.id } };
      await enqueue(tx.db, { ...job, runAt: now, now });
      return { archive: shown(row) };
    });
  });
}

export async function showArchive(ctx: Context, { memberId }: Actor): Answer {
  return { archive: shown(await requireArchive(ctx, memberId)) };
}

export async function downloadArchive(ctx: Context, actor: Actor): Promise<Download> {
  const row = await requireArchive(ctx, actor.memberId);
  if (row.state === 'failed') throw noArchive();
  if (row.sealed_key === null)
    throw new Problem('conflict', 'ARCHIVE_PENDING', 'Your archive is not ready. Wait for its end.');
  const part = { key: opened(ctx, row.id, row.sealed_key), size: row.size, blocks: await blocksOf(ctx, row.id) };
  return {
    type: 'application/x-tar',
    filename: `social-${actor.username}-${new Date(row.created_at).toISOString().slice(0, 10)}.tar`,
    version: row.id,
    content: { size: row.size, read: (range) => readPart(ctx, part, range) },
  };
}

function opened({ keys }: Context, id: string, sealedKey: Uint8Array): Uint8Array {
  try {
    return openWithKey(keys.wrap, sealedKey, keyContext(id));
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    const words = 'An archive in the store is damaged. Make another one.';
    throw new Problem('internal', 'STORE_DAMAGED', words, { cause });
  }
}

async function blocksOf({ db }: Context, archiveId: string): Promise<Part['blocks']> {
  const rows = await db
    .selectFrom('social_archive_blocks')
    .selectAll()
    .where('archive_id', '=', archiveId)
    .orderBy('piece')
    .execute();
  return rows.map(({ hash, sealed, size }) => ({ hash, sealed: sealed ?? undefined, size }));
}

async function rowOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<SocialArchiveRow | undefined> {
  return await db.selectFrom('social_archives').selectAll().where('member_id', '=', memberId).executeTakeFirst();
}

/** It is gone at its moment, whenever it is purged. @throws Problem missing ARCHIVE_NOT_FOUND */
async function requireArchive(ctx: Context, memberId: string): Promise<SocialArchiveRow> {
  const row = await rowOf(ctx, memberId);
  if (row === undefined || (row.expires_at !== null && row.expires_at <= ctx.clock.now())) throw noArchive();
  return row;
}

function noArchive(): Problem {
  return new Problem('missing', 'ARCHIVE_NOT_FOUND', 'You have no archive. Make one, and download it within 7 days.');
}

/** Removes an archive with its blocks. It must run in a transaction. */
export async function dropArchive(tx: Context, archiveId: string): Promise<void> {
  const rows = await tx.db
    .deleteFrom('social_archive_blocks')
    .where('archive_id', '=', archiveId)
    .returning('block_id')
    .execute();
  await dropBlocks(
    tx,
    rows.flatMap(({ block_id: id }) => id ?? []),
  );
  await tx.db.deleteFrom('social_archives').where('id', '=', archiveId).execute();
}

/** Deletes archives that have expired. */
export async function purgeArchives(ctx: Context): Promise<void> {
  await sweep(ctx, {
    what: 'removing an archive',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('social_archives')
        .select('id')
        .where('expires_at', '<=', tx.clock.now())
        .where('id', 'not in', without)
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      for (const { id } of rows) await dropArchive(tx, id);
    },
  });
}

function shown(row: SocialArchiveRow): SocialArchive {
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    state: row.state,
    done: row.done,
    total: row.total,
    ...(row.state === 'ready' && { size: row.size }),
    createdAt: time(row.created_at),
    ...(row.finished_at !== null && { finishedAt: time(row.finished_at) }),
    ...(row.expires_at !== null && { expiresAt: time(row.expires_at) }),
  };
}
