import type { Actor } from '../../../service/actor.ts';
import { dropBlocks, keepBlocks, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { fieldProblem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import type { FileBlockRow, FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { sealedLength } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { requireUploadKey, uploadedContent } from '../client-keys/upload-state.ts';
import { contentKey } from '../content/keys.ts';
import { writeBlock, writeSealedBlock, wrongSize, type WrittenBlock } from '../content/writing.ts';
import { readChecksum } from './checksum.ts';
import { expiryOf, finalized, requireTarget, requireUpload } from './sessions.ts';

interface Chunk {
  readonly sessionId: string;
  readonly index: number;
  readonly checksum?: string | undefined;
}

interface Stored {
  readonly chunkIndex: number;
  readonly chunksReceived: number;
  readonly totalChunks: number;
  readonly checksum: string;
}

/** Nothing is locked while the body arrives, so a body that stalls is in nobody's way. The chunk whose body ends last stays. */
export async function putChunk(
  ctx: Context,
  actor: Actor,
  { sessionId, index, checksum: header }: Chunk,
  { body, size: declared }: Upload,
): Promise<Stored> {
  const upload = await requireUpload(ctx, actor, sessionId);
  const { container } = await requireTarget(ctx, actor, upload);
  const isClients = container.client_encrypted === 1;
  if (upload.finalized_at !== null) throw finalized();
  if (index >= upload.chunks) throw fieldProblem('index', `must be at most ${upload.chunks - 1}`);
  const size = sizeOf(upload, index);
  const wanted = isClients ? sealedLength(size) : size;
  if (declared !== undefined && declared !== wanted) throw wrongSize(wanted);
  const checksum = readChecksum(header);
  const content = await uploadedContent(ctx, upload);
  if (isClients) requireUploadKey(content);
  const incoming = { place: index, size, checksum };
  const block = isClients
    ? await writeSealedBlock(ctx, incoming, body)
    : await writeBlock(ctx, { ...incoming, content, key: await contentKey(ctx, content) }, body);
  const files = block.block_id === null ? [] : [block.block_id];
  let kept = false;
  try {
    const chunksReceived = await transaction(ctx, async (tx) => {
      kept = false;
      const count = await keepChunk(tx, actor, sessionId, block);
      await keepBlocks(tx, files);
      kept = true;
      return count;
    });
    return { chunkIndex: index, chunksReceived, totalChunks: upload.chunks, checksum: `sha256:${block.sha256}` };
  } catch (error) {
    kept = false;
    throw error;
  } finally {
    if (!kept) await withdrawBlocks(ctx, files);
  }
}

function sizeOf({ size, chunk_size, chunks }: FileUploadRow, index: number): number {
  return index < chunks - 1 ? chunk_size : size - chunk_size * (chunks - 1);
}

const deleteEarlier = writtenQuery<Pick<FileBlockRow, 'block_id'>>(
  'delete from file_blocks where content_id = $1 and place = $2 returning block_id',
);
const setExpiry = writtenQuery('update file_uploads set expires_at = $1 where id = $2');
const countBlocks = writtenQuery<{ count: number }>('select count(*) as count from file_blocks where content_id = $1');

/** The upload may have ended, and the right may have been taken away, while the body arrived. @returns how many chunks are there */
async function keepChunk(tx: Context, actor: Actor, sessionId: string, block: WrittenBlock): Promise<number> {
  const upload = await requireUpload(tx, actor, sessionId);
  await requireTarget(tx, actor, upload);
  if (upload.finalized_at !== null) throw finalized();
  const { sha256: _, ...row } = block;
  const { rows: earlier } = await tx.db.executeQuery(deleteEarlier(upload.content_id, block.place));
  await dropBlocks(
    tx,
    earlier.flatMap(({ block_id }) => block_id ?? []),
  );
  await insertRows(tx.db, 'file_blocks', [{ content_id: upload.content_id, ...row }]);
  const now = tx.clock.now();
  await tx.db.executeQuery(setExpiry(expiryOf(now, upload.created_at), sessionId));
  return onlyRow((await tx.db.executeQuery(countBlocks(upload.content_id))).rows).count;
}
