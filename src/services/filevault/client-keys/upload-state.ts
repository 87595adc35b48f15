import { toBase64 } from '../../../shared/attachments/base64.ts';
import type { Context } from '../../../service/context.ts';
import { concat, fromHex, toHex } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileContentRow, FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { findContent } from '../content/reading.ts';
import { unwrapAround } from '../content/keys.ts';
import { uploadNotFound } from '../problems.ts';

/** What a client needs to go on with an upload to a client-encrypted container; nothing for other uploads. */
export async function sealedUploadState(ctx: Context, upload: FileUploadRow) {
  const { client_encrypted: isClients } = await ctx.db
    .selectFrom('file_containers')
    .select('client_encrypted')
    .where('id', '=', upload.container_id)
    .executeTakeFirstOrThrow();
  if (isClients !== 1 || upload.finalized_at !== null) return {};
  const content = await uploadedContent(ctx, upload);
  const ids = { fileId: upload.file_id, contentId: content.id, keyNumber: content.key_number };
  if (content.wrapped_key.length === 0) return ids;
  const hashes = await hashesOf(ctx, upload);
  return {
    ...ids,
    wrappedKey: toHex(await unwrapAround(ctx, content)),
    hashes: toBase64(concat(...hashes.map((hash) => fromHex(hash)))),
  };
}

async function hashesOf({ db }: Context, { content_id }: FileUploadRow): Promise<string[]> {
  const rows = await db
    .selectFrom('file_blocks')
    .select('hash')
    .where('content_id', '=', content_id)
    .orderBy('place')
    .execute();
  return rows.map(({ hash }) => hash);
}

/** @throws Problem conflict KEY_MISSING */
export function requireUploadKey({ wrapped_key }: FileContentRow): void {
  if (wrapped_key.length === 0)
    throw new Problem('conflict', 'KEY_MISSING', 'The upload has no key yet. Send it first: PUT …/key');
}

/** @throws Problem missing UPLOAD_NOT_FOUND */
export async function uploadedContent(
  { db }: Pick<Context, 'db'>,
  { content_id }: FileUploadRow,
): Promise<FileContentRow> {
  const row = await findContent({ db }, content_id);
  if (row === undefined) throw uploadNotFound();
  return row;
}
