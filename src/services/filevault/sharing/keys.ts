import type { Context } from '../../../service/context.ts';
import { concat, constantTimeEqual, fromHex, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { eciesEncrypt } from '../../../crypto/ecies.ts';
import { sharedKeyContext } from '../../../crypto/formats/file-content/file-content.ts';
import { sha256, sha256Hex } from '../../../crypto/hash.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { FileShareKeyRow } from '../../../platform/store/tables/file-shares.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { contentKey } from '../content/keys.ts';
import { fileDamaged, fileDestroyed } from '../problems.ts';

/**
 * Whoever a file is shared with gets the key of each of its contents, encrypted with ECIES, and never the key of its container. Every content
 * has a random key of its own, so a version that comes after the end of a share is under a key that its recipient never had. Around each
 * of these messages is the erasure key of the content, as around its own wrap, so that destruction reaches them in every backup.
 */
type Named = Pick<FileContentRow, 'id' | 'file_id' | 'slot'>;

/** A key of a content, ready for the store. */
export type SharedKey = FileShareKeyRow;

/** Not for use in a transaction, because it reads the file of erasure keys. @throws Problem gone FILE_DESTROYED */
export async function erasureKeyOf(ctx: Pick<Context, 'erasure'>, { slot }: Named): Promise<Uint8Array> {
  const key = await ctx.erasure.keyOf(slot);
  if (key === undefined) throw fileDestroyed();
  return key;
}

/** Encrypts the key of a content for a share or link. @param key of the content. @param publicKey of whoever it is for */
export function encryptedFor(
  { random }: Pick<Context, 'random'>,
  shareId: string,
  content: Named,
  key: Uint8Array,
  publicKey: Uint8Array,
): Uint8Array {
  return eciesEncrypt(publicKey, key, sharedKeyContext(shareId, content), 'basic', random);
}

/** @param message from `encryptedFor`, of the node or of a client. @param erasure key of the slot of the content */
export function sealedKey(
  { random, clock }: Pick<Context, 'random' | 'clock'>,
  shareId: string,
  content: Named,
  message: Uint8Array,
  erasure: Uint8Array,
): SharedKey {
  return {
    share_id: shareId,
    content_id: content.id,
    file_id: content.file_id,
    sealed: sealWithKey(erasure, message, outerContext(shareId, content), random),
    hash: sha256Hex(message),
    created_at: clock.now(),
  };
}

/** Both at once, for containers whose keys the node has. Not for use in a transaction. */
export async function keyFor(
  ctx: Context,
  shareId: string,
  content: FileContentRow,
  publicKey: Uint8Array,
): Promise<SharedKey> {
  const message = encryptedFor(ctx, shareId, content, await contentKey(ctx, content), publicKey);
  return sealedKey(ctx, shareId, content, message, await erasureKeyOf(ctx, content));
}

/**
 * The message for whoever a file is shared with.
 * @throws Problem internal FILE_DAMAGED; gone FILE_DESTROYED; unavailable ERASURE_KEYS_MISSING
 */
export async function openSharedKey(
  ctx: Pick<Context, 'erasure'>,
  { share_id, sealed, hash }: SharedKey,
  content: Named,
): Promise<Uint8Array> {
  const erasure = await erasureKeyOf(ctx, content);
  if (sealed === null) throw fileDamaged();
  try {
    const message = openWithKey(erasure, sealed, outerContext(share_id, content));
    if (constantTimeEqual(sha256(message), fromHex(hash))) return message;
  } catch (cause) {
    throw cause instanceof CryptoError ? fileDamaged(cause) : cause;
  }
  throw fileDamaged();
}

function outerContext(shareId: string, content: Named): Uint8Array {
  return concat(sharedKeyContext(shareId, content), utf8(`\0${content.slot}`));
}

/** The contents of a file that are complete. */
export async function contentsOf({ db }: Pick<Context, 'db'>, fileId: string): Promise<FileContentRow[]> {
  return await db
    .selectFrom('file_contents')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('manifest', 'is not', null)
    .orderBy('id')
    .execute();
}

/** Takes the keys of a share or link out of the store. Their hashes stay, because destruction lists what was given. */
export async function dropSharedKeys(tx: Pick<Context, 'db'>, shareId: string): Promise<void> {
  await tx.db.updateTable('file_share_keys').set({ sealed: null }).where('share_id', '=', shareId).execute();
}
