import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { sealManifest, type Manifest } from '../../../crypto/formats/file-content/file-content.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileContentRow, FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { record } from '../audit.ts';
import { readContent } from '../content/reading.ts';
import { requireTarget, requireUpload } from '../uploads/sessions.ts';
import { hasScanner, scan, ScannerFailed, type Verdict } from './scanner.ts';

interface Finished {
  readonly content: FileContentRow;
  readonly key: Uint8Array;
  readonly list: Manifest;
}

/**
 * Has the content of an upload scanned before its file appears. Not for use in a transaction, because it takes as long as the scanner.
 *
 * @returns what `assertScanned` compares, in the transaction that makes the file; undefined: nothing has to be scanned
 * @throws Problem conflict FILE_QUARANTINED; unavailable SCAN_UNAVAILABLE, OVERLOADED
 */
export async function scanUpload(
  ctx: Context,
  actor: Actor,
  upload: FileUploadRow,
  { content, key, list }: Finished,
): Promise<string | undefined> {
  if (!hasScanner(ctx)) return undefined;
  const { container } = await requireTarget(ctx, actor, upload);
  // The node can't open what the members encrypt.
  if (container.client_encrypted === 1) return undefined;
  const root = rootOf(list);
  const known = await ctx.db
    .selectFrom('file_scans')
    .select('root')
    .where('content_id', '=', content.id)
    .executeTakeFirst();
  if (known?.root === root) return root;
  const verdict = await verdictOf(ctx, { content, key, list });
  if (!verdict.clean) throw await refuse(ctx, actor, upload.id, { content, key, list }, verdict);
  const row = { content_id: content.id, root, scanned_at: ctx.clock.now() };
  await ctx.db
    .insertInto('file_scans')
    .values(row)
    .onConflict((conflict) => conflict.column('content_id').doUpdateSet(row))
    .execute();
  return root;
}

async function verdictOf(ctx: Context, { content, key, list }: Finished): Promise<Verdict> {
  const open = { row: content, key, manifest: list };
  try {
    return await scan(ctx, () => readContent(ctx, open, { start: 0, end: list.size }));
  } catch (error) {
    if (!(error instanceof ScannerFailed)) throw error;
    const accepts = ctx.config.files.scanFailure === 'accept';
    ctx.log.error('the scanner of files failed', { reason: error.message, accepted: accepts });
    if (accepts) return { clean: true, name: undefined };
    const words =
      'The scanner of the node does not work, so the file is not stored. What was uploaded stays. Try again.';
    throw new Problem('unavailable', 'SCAN_UNAVAILABLE', words, { retryAfterSeconds: 60, cause: error });
  }
}

/** A chunk may have been sent again while the others were scanned. */
export function assertScanned(scanned: string | undefined, list: Manifest): void {
  if (scanned === undefined || scanned === rootOf(list)) return;
  const words = 'A chunk changed while the file was scanned. Finalize the upload again.';
  throw new Problem('unavailable', 'SCAN_UNAVAILABLE', words, { retryAfterSeconds: 1 });
}

function rootOf({ hashes }: Manifest): string {
  return sha256Hex(utf8(hashes.join('\n')));
}

/** Puts an upload into quarantine: nothing sends it any more, and what it reserved stays reserved. */
async function refuse(
  ctx: Context,
  actor: Actor,
  uploadId: string,
  { content, key, list }: Finished,
  { name }: Verdict,
): Promise<Problem> {
  return await transaction(ctx, async (tx) => {
    // Two calls may have had it scanned at the same time.
    const earlier = await quarantineOf(tx, actor, uploadId);
    if (earlier !== undefined) return earlier;
    const upload = await requireUpload(tx, actor, uploadId);
    const now = tx.clock.now();
    await tx.db
      .insertInto('file_quarantine')
      .values({
        id: upload.id,
        container_id: upload.container_id,
        member_id: upload.member_id,
        file_id: upload.file_id,
        content_id: content.id,
        name: upload.name,
        size: upload.size,
        found: name ?? null,
        root: rootOf(list),
        upload: JSON.stringify(upload),
        created_at: now,
      })
      .execute();
    const manifest = sealManifest(key, content, list, tx.random(24));
    await tx.db.updateTable('file_contents').set({ manifest }).where('id', '=', content.id).execute();
    await tx.db.deleteFrom('file_uploads').where('id', '=', upload.id).execute();
    const what = { action: 'FILE_QUARANTINED', containerId: upload.container_id, nodeId: upload.file_id } as const;
    await record(tx, actor, { ...what, metadata: { uploadId, ...(name !== undefined && { found: name }) } });
    tx.afterCommit(() => ctx.log.warn('the scanner refused a file', { uploadId, found: name ?? '' }));
    return quarantined(name);
  });
}

/** The answer to whoever sent an upload that is in quarantine. */
export async function quarantineOf(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  uploadId: string,
): Promise<Problem | undefined> {
  const row = await db
    .selectFrom('file_quarantine')
    .select('found')
    .where('id', '=', uploadId)
    .where('member_id', '=', actor.memberId)
    .executeTakeFirst();
  return row === undefined ? undefined : quarantined(row.found ?? undefined);
}

function quarantined(name: string | undefined): Problem {
  const found = name === undefined ? '' : ` It found: ${name}.`;
  const words = `The scanner of the node refused the file.${found} It is in quarantine. The operator of the node can release it.`;
  return new Problem('conflict', 'FILE_QUARANTINED', words);
}
