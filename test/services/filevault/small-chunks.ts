import { randomBytes } from 'node:crypto';
import type { Scene } from './scene.ts';

export const CHUNK_BYTES = 64 * 1024;

export interface SmallFile {
  readonly id: string;
  readonly bytes: Buffer;
  readonly contentId: string;
}

/** A file of several blocks, without megabytes: the upload is told smaller chunks than any client can ask for. */
export async function smallChunkFile(
  scene: Scene,
  size = 3 * CHUNK_BYTES + 40_000,
  replaces?: string,
): Promise<SmallFile> {
  const { db } = scene.house.ctx;
  const bytes = randomBytes(size);
  const begun = await scene.begin(size, { ...(replaces !== undefined && { replaces }) });
  const sessionId = begun.body.sessionId as string;
  const chunks = Math.ceil(size / CHUNK_BYTES);
  await db.updateTable('file_uploads').set({ chunk_size: CHUNK_BYTES, chunks }).where('id', '=', sessionId).execute();
  const { content_id: contentId } = await db
    .selectFrom('file_uploads')
    .select('content_id')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  await db.updateTable('file_contents').set({ chunk_size: CHUNK_BYTES }).where('id', '=', contentId).execute();
  for (let index = 0; index < chunks; index += 1) {
    const part = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    const stored = await scene.chunk(sessionId, index, part);
    if (stored.status !== 200) throw new Error(JSON.stringify(stored.body));
  }
  const { fileId } = await scene.get('POST', `/upload/${sessionId}/finalize`, {});
  return { id: fileId as string, bytes, contentId };
}
