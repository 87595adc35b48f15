import type { Actor } from '../../../service/actor.ts';
import { fromBase64 } from '../../../shared/attachments/base64.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { concat, fromHex } from '../../../crypto/bytes.ts';
import { sealedLength } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { manifestLength } from '../../../crypto/formats/file-content/file-content.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import type { Place } from '../access/places.ts';
import { wrapAround } from '../content/keys.ts';
import { fileDestroyed } from '../problems.ts';
import { finalized, requireTarget, requireUpload } from '../uploads/sessions.ts';
import { keyOutdated, notClientEncrypted, requireCurrentKey } from './generations.ts';
import { requireUploadKey, uploadedContent } from './upload-state.ts';

/**
 * The key of an upload to a client-encrypted container. The client makes it after the upload has begun, because the wrap names file and
 * content. The wrap stays with the upload from then on, so that a client that goes on after a break uses the same key for the rest.
 */
interface GivenKey {
  readonly sessionId: string;
  readonly keyNumber: number;
  readonly wrappedKey: string;
}

export async function putUploadKey(
  ctx: Context,
  actor: Actor,
  { sessionId, keyNumber, wrappedKey }: GivenKey,
): Promise<{ keyNumber: number }> {
  const upload = await requireUpload(ctx, actor, sessionId);
  await requireTarget(ctx, actor, upload);
  const content = await uploadedContent(ctx, upload);
  const erasure = await ctx.erasure.keyOf(content.slot);
  if (erasure === undefined) throw fileDestroyed();
  return await transaction(ctx, async (tx) => {
    const now = await requireUpload(tx, actor, sessionId);
    const { container } = await requireTarget(tx, actor, now);
    if (container.client_encrypted !== 1) throw notClientEncrypted();
    if (now.finalized_at !== null) throw finalized();
    if (keyNumber !== (await requireCurrentKey(tx, container))) throw keyOutdated();
    const row = await uploadedContent(tx, now);
    // Two clients that go on with one upload must not encrypt its chunks under two keys.
    if (row.wrapped_key.length > 0 && row.key_number >= keyNumber) throw uploadKeyChanged();
    const named = { ...row, key_number: keyNumber };
    const wrapped_key = wrapAround(tx, named, erasure, fromHex(wrappedKey));
    await tx.db
      .updateTable('file_contents')
      .set({ key_number: keyNumber, wrapped_key })
      .where('id', '=', row.id)
      .execute();
    return { keyNumber };
  });
}

export interface GivenManifest {
  readonly manifest?: string | undefined;
  readonly blocks?: string | undefined;
}

/**
 * The manifest that a client made. The node can't open it, so it checks what can be checked from outside: its length, that the client
 * counts on the blocks that are here, and that the key of the content is under the newest key of the container.
 *
 * @returns gives the manifest in the transaction that finishes the upload. @throws Problem invalid VALIDATION_ERROR
 */
export function givenManifest({ manifest: text, blocks }: GivenManifest, { chunks }: FileUploadRow) {
  if (text === undefined || blocks === undefined)
    throw fieldProblem(
      text === undefined ? 'manifest' : 'blocks',
      'is needed, because the container is client-encrypted',
    );
  const manifest = fromBase64('manifest', text);
  const length = sealedLength(manifestLength(chunks));
  if (manifest.length !== length) throw fieldProblem('manifest', `must have ${length} bytes`);
  return async (tx: Context, upload: FileUploadRow, { container }: Place, hashes: readonly string[]) => {
    const content = await uploadedContent(tx, upload);
    requireUploadKey(content);
    if (content.key_number !== (await requireCurrentKey(tx, container))) throw keyOutdated();
    if (sha256Hex(concat(...hashes.map((hash) => fromHex(hash)))) !== blocks) throw blocksDiffer();
    return manifest;
  };
}

function uploadKeyChanged(): Problem {
  const words = 'The upload has a key already. Read it from the status, and go on with it.';
  return new Problem('conflict', 'KEY_CHANGED', words);
}

function blocksDiffer(): Problem {
  const words = 'The server has other blocks than those that the manifest lists. Read the status, and finish again.';
  return new Problem('conflict', 'BLOCKS_DIFFER', words);
}
