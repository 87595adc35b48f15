import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { takeStorage } from '../../../shared/members/storage.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileContainerRow, FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Place } from '../access/places.ts';
import { requireCurrentKey } from '../client-keys/generations.ts';
import { containerKey } from '../content/container-keys.ts';
import { wrapContentKey } from '../content/keys.ts';
import { noRoom } from '../content/writing.ts';
import { nodeNotFound } from '../problems.ts';
import { assertNameFree } from '../tree/nodes.ts';
import { expiryOf, requireTarget } from './sessions.ts';

interface NewUpload {
  readonly fileName: string;
  readonly mimeType: string;
  readonly totalSizeBytes: number;
  readonly targetFolderId: string;
  readonly vaultContainerId: string;
  readonly targetFileId?: string | undefined;
  readonly modifiedAt?: string | undefined;
}

interface Begun {
  readonly sessionId: string;
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly expiresAt: string;
  checksumAlgorithms: string[];
  readonly fileId?: string;
  readonly contentId?: string;
  readonly keyNumber?: number;
}

const KEY_BYTES = 32;
const MEBIBYTE = 1024 ** 2;
/** What stays free beside an upload, so that the store itself can go on writing. */
const SPARE_BYTES = 64 * MEBIBYTE;

export async function beginUpload(ctx: Context, actor: Actor, input: NewUpload): Promise<Begun> {
  const target = {
    folder_id: input.targetFolderId,
    file_id: input.targetFileId ?? '',
    replaces: input.targetFileId === undefined ? 0 : 1,
  };
  // Before anything is reserved: the transaction checks it again.
  await requireTarget(ctx, actor, target);
  const { totalSizeBytes: size } = input;
  const chunkSize = chunkSizeFor(size);
  if ((await ctx.blocks.space()) < size + SPARE_BYTES) throw noRoom();
  const { slot, key: erasure } = await ctx.erasure.take();
  return await transaction(ctx, async (tx) => {
    const place = await requireTarget(tx, actor, target);
    assertBelongs(place, input);
    return await once(tx, async () => {
      const { container, node } = place;
      if (target.replaces === 0) await assertNameFree(tx, input.targetFolderId, input.fileName);
      await reserve(tx, container, size);
      const now = tx.clock.now();
      const [id, contentId] = [recordId(now, tx.random), recordId(now, tx.random)];
      const fileId = target.replaces === 1 ? node.id : recordId(now, tx.random);
      const ids = { id: contentId, file_id: fileId, container_id: container.id, slot };
      const isClients = container.client_encrypted === 1;
      const { wrapped_key, ...named } = isClients
        ? { ...ids, key_number: await requireCurrentKey(tx, container), wrapped_key: new Uint8Array() }
        : await withKey(tx, ids, container, erasure);
      const sizes = { size, chunk_size: chunkSize };
      await insertRows(tx.db, 'file_contents', [{ ...named, ...sizes, wrapped_key, manifest: null, created_at: now }]);
      const upload = {
        id,
        member_id: actor.memberId,
        container_id: container.id,
        folder_id: input.targetFolderId,
        file_id: fileId,
        replaces: target.replaces,
        content_id: contentId,
        name: input.fileName,
        mime_type: input.mimeType,
        modified_at: input.modifiedAt === undefined ? null : Date.parse(input.modifiedAt),
        ...sizes,
        chunks: Math.ceil(size / chunkSize),
        finalized_at: null,
        created_at: now,
        expires_at: expiryOf(now, now),
      };
      await insertRows(tx.db, 'file_uploads', [upload]);
      return {
        sessionId: id,
        chunkSize,
        totalChunks: upload.chunks,
        expiresAt: new Date(upload.expires_at).toISOString(),
        checksumAlgorithms: ['sha256', 'sha3-512'],
        ...(isClients && { fileId, contentId, keyNumber: named.key_number }),
      };
    });
  });
}

/** Makes the key of a content, and wraps it. */
async function withKey(
  tx: Context,
  ids: Pick<FileContentRow, 'id' | 'file_id' | 'container_id' | 'slot'>,
  owned: FileContainerRow,
  erasure: Uint8Array,
) {
  const { number, key: container } = await containerKey(tx, owned);
  const named = { ...ids, key_number: number };
  const wrapped_key = wrapContentKey(tx, named, { content: tx.random(KEY_BYTES), container, erasure });
  return { ...named, wrapped_key };
}

/** 8 MiB, and more for files that would have more than 10,000 chunks of that. */
function chunkSizeFor(size: number): number {
  const needed = Math.ceil(size / filevaultLimits.chunks / MEBIBYTE) * MEBIBYTE;
  if (needed > filevaultLimits.longestChunk)
    throw fieldProblem('totalSizeBytes', `must be at most ${filevaultLimits.chunks * filevaultLimits.longestChunk}`);
  return Math.max(filevaultLimits.chunkBytes, needed);
}

function assertBelongs({ container, node }: Place, { vaultContainerId, targetFolderId }: NewUpload): void {
  if (container.id !== vaultContainerId) throw nodeNotFound(0);
  if (node.kind === 1 && node.parent_id !== targetFolderId)
    throw fieldProblem('targetFileId', 'is not in the folder targetFolderId');
}

const reserveBytes = writtenQuery(`
  update file_containers set reserved = reserved + $1
  where id = $2 and (quota is null or used + reserved + $1 <= quota)
  returning id`);

/** The bytes count from now on. One statement compares and adds, so that uploads that begin together never exceed the quota. */
async function reserve(tx: Context, { id, owner_id, quota }: FileContainerRow, size: number): Promise<void> {
  const { rows } = await tx.db.executeQuery(reserveBytes(size, id));
  if (rows.length === 0)
    throw new Problem(
      'tooLarge',
      'CONTAINER_QUOTA_EXCEEDED',
      `The quota of the container, ${quota} bytes, has no room for it. Its owner can raise the quota.`,
    );
  await takeStorage(tx, owner_id, size);
}
