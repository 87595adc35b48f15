import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import { sealManifest, type Manifest } from '../../../crypto/formats/file-content/file-content.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileBlockRow, FileContentRow, FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { Place } from '../access/places.ts';
import { givenManifest, type GivenManifest } from '../client-keys/upload-keys.ts';
import { uploadedContent } from '../client-keys/upload-state.ts';
import { useReserved } from '../containers/space.ts';
import { rewrapUnderNewest } from '../content/container-keys.ts';
import { contentKey } from '../content/keys.ts';
import { detailOf } from '../files/details.ts';
import { addVersion } from '../files/versions.ts';
import { keepingIn } from '../keeping/policy.ts';
import { noticeQuotas } from '../quota-notices.ts';
import { assertScanned, quarantineOf, scanUpload } from '../scanning/gate.ts';
import { hasScanner } from '../scanning/scanner.ts';
import { erasureKeyOf } from '../sharing/keys.ts';
import { prepareSharedKeys, storeSharedKeys } from '../sharing/new-versions.ts';
import { asNameTaken, assertNameFree, insertNode } from '../tree/nodes.ts';
import { whileFinalizing } from './finalizing.ts';
import { missingRanges, requireTarget, requireUpload } from './sessions.ts';

const setManifest = writtenQuery('update file_contents set manifest = $1 where id = $2');
const setFinalized = writtenQuery('update file_uploads set finalized_at = $1 where id = $2');
const findHashes = writtenQuery<Pick<FileBlockRow, 'place' | 'hash'>>(
  'select place, hash from file_blocks where content_id = $1 order by place',
);

/**
 * The manifest, the file, its version, the entry of the ledger, and the mark that it is done are one transaction. So a second call, at the
 * same time or after a crash, finds the file or makes it.
 */
export async function finalizeUpload(
  ctx: Context,
  actor: Actor,
  { sessionId, ...given }: { readonly sessionId: string } & GivenManifest,
): Promise<{ fileId: string; metadata: FileDetail }> {
  const upload = await requireUpload(ctx, actor, sessionId).catch(async (error: unknown) => {
    throw (await quarantineOf(ctx, actor, sessionId)) ?? error;
  });
  if (upload.finalized_at === null)
    await whileFinalizing(ctx, sessionId, async () => await finish(ctx, actor, upload, given));
  return { fileId: upload.file_id, metadata: await detailOf(ctx, actor, upload.file_id) };
}

async function finish(ctx: Context, actor: Actor, begun: FileUploadRow, given: GivenManifest): Promise<void> {
  const { id, content_id, replaces } = begun;
  const { container } = await requireTarget(ctx, actor, begun);
  const content = await uploadedContent(ctx, begun);
  const key = container.client_encrypted === 1 ? undefined : await contentKey(ctx, content);
  const keys = key && { content: key, erasure: await erasureKeyOf(ctx, content) };
  const manifestOf = keys === undefined ? givenManifest(given, begun) : ownManifest(keys, content);
  // Nobody but its members can read a client-encrypted file, a scanner neither.
  const scanned =
    hasScanner(ctx) && key !== undefined
      ? await scanUpload(ctx, actor, begun, { content, key, list: await listOf(ctx, begun) })
      : undefined;
  // A file that doesn't exist yet is shared with nobody. Where clients encrypt, they bring the keys of those it is shared with.
  const shared =
    replaces === 1 && key !== undefined ? await prepareSharedKeys(ctx, actor.address, content, key) : undefined;
  await transaction(ctx, async (tx) => {
    const upload = await requireUpload(tx, actor, id);
    const place = await requireTarget(tx, actor, upload);
    if (upload.finalized_at !== null) return;
    const list = await listOf(tx, upload);
    assertScanned(scanned, list);
    const manifest = await manifestOf(tx, upload, place, list.hashes);
    await tx.db.executeQuery(setManifest(manifest, content_id));
    await store(tx, actor, upload, place, sha256Hex(manifest));
    if (shared !== undefined) await storeSharedKeys(tx, actor.address, shared);
    await tx.db.executeQuery(setFinalized(tx.clock.now(), id));
  }).catch(asNameTaken);
}

function ownManifest(keys: { readonly content: Uint8Array; readonly erasure: Uint8Array }, content: FileContentRow) {
  return async (tx: Context, upload: FileUploadRow, { container }: Place, hashes: readonly string[]) => {
    const { size, chunk_size: chunkSize } = upload;
    await rewrapUnderNewest(tx, container, await uploadedContent(tx, upload), keys);
    return sealManifest(keys.content, content, { size, chunkSize, hashes }, tx.random(24));
  };
}

/** @throws Problem invalid UPLOAD_INCOMPLETE */
async function listOf(ctx: Context, upload: FileUploadRow): Promise<Manifest> {
  return { size: upload.size, chunkSize: upload.chunk_size, hashes: await allHashes(ctx, upload) };
}

async function allHashes({ db }: Context, { content_id, chunks }: FileUploadRow): Promise<string[]> {
  const { rows } = await db.executeQuery(findHashes(content_id));
  if (rows.length === chunks) return rows.map(({ hash }) => hash);
  const missing = missingRanges(
    rows.map(({ place }) => place),
    chunks,
  );
  throw new Problem('invalid', 'UPLOAD_INCOMPLETE', `Chunks are missing: ${missing}. Send them, then finalize again.`);
}

async function store(
  tx: Context,
  actor: Actor,
  upload: FileUploadRow,
  { container }: Place,
  manifestHash: string,
): Promise<void> {
  const { file_id, content_id, folder_id, replaces, name, size, mime_type } = upload;
  if (replaces === 0) {
    await assertNameFree(tx, folder_id, name);
    const made = { id: file_id, containerId: container.id, kind: 1, parentId: folder_id, name } as const;
    await insertNode(tx, { ...made, by: actor.memberId });
    await markByDefault(tx, container.id, file_id);
  }
  await addVersion(tx, actor, container, {
    file_id,
    content_id,
    size,
    mime_type,
    modified_at: upload.modified_at ?? tx.clock.now(),
    action: replaces === 1 ? 'VERSION_CREATED' : 'FILE_CREATED',
    data: { manifest: manifestHash },
  });
  await useReserved(tx, container.id, size);
  await noticeQuotas(tx, container, size);
}

/** A new file has the watermarks that the owner of the container chose. */
async function markByDefault(tx: Context, containerId: string, fileId: string): Promise<void> {
  const { visibleWatermark, invisibleWatermark } = await keepingIn(tx, containerId);
  if (!visibleWatermark && !invisibleWatermark) return;
  await tx.db
    .updateTable('file_nodes')
    .set({ visible_watermark: visibleWatermark ? 1 : 0, invisible_watermark: invisibleWatermark ? 1 : 0 })
    .where('id', '=', fileId)
    .execute();
}
