import { createHash, randomUUID } from 'node:crypto';
import { upload } from '../../../client/bodies.ts';
import { answered, perform, replyIn, type Caller } from '../../../client/perform.ts';
import { indexesIn } from '../../../client/filevault/chunk-ranges.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import type { OpenUpload } from '../../../contract/filevault/uploads.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Cipher } from '../../../client/filevault/cipher.ts';
import type { Ciphers } from '../ciphers.ts';
import { mediaTypeOf } from './media-types.ts';
import type { Outgoing } from './outgoing.ts';
import { persistently, type Patience } from './patience.ts';
import type { Moved, Slots } from './slots.ts';

export interface Sending extends Patience {
  readonly caller: Caller;
  readonly ciphers: Ciphers;
  readonly slots: Slots;
  /** uploads that earlier runs have begun */
  readonly open: readonly OpenUpload[];
  readonly moved: Moved;
}

/** An upload that the server has begun. */
interface Session {
  readonly sessionId: string;
  /** bytes of the file in every chunk but the last one */
  readonly chunkSize: number;
  readonly totalChunks: number;
}

/** Sends a file. It goes on with an upload of the same file that was broken off: the server knows which chunks it has. */
export async function sendFile(sending: Sending, outgoing: Outgoing): Promise<FileDetail> {
  const { caller } = sending;
  const cipher = await sending.ciphers(outgoing.folder.vaultContainerId);
  const kept = openUploadOf(sending.open, outgoing);
  if (kept !== undefined && outgoing.changedAt >= Date.parse(kept.createdAt)) {
    // Chunks of two states of a file make no file.
    await perform(caller, filevault.abortUpload, { sessionId: kept.sessionId }).catch(() => undefined);
  } else if (kept !== undefined) {
    try {
      return await sendRest(sending, outgoing, cipher, kept);
    } catch (error) {
      // Since then its place or its file has changed. What was sent is of no use.
      if (!(error instanceof Problem) || !['NAME_TAKEN', 'UPLOAD_NOT_FOUND', 'FILE_NOT_FOUND'].includes(error.code))
        throw error;
      await perform(caller, filevault.abortUpload, { sessionId: kept.sessionId }).catch(() => undefined);
    }
  }
  return await sendRest(sending, outgoing, cipher, await begin(sending, outgoing, cipher));
}

async function sendRest(
  sending: Sending,
  outgoing: Outgoing,
  cipher: Cipher | undefined,
  { isNew = false, ...session }: Session & { readonly isNew?: boolean },
): Promise<FileDetail> {
  const { caller, signal, moved } = sending;
  const { sessionId, totalChunks, chunkSize } = session;
  if (!isPossible(session, outgoing.size)) throw wrongChunks(caller);
  const lengthOf = (index: number): number => Math.min(chunkSize, outgoing.size - index * chunkSize);
  const sealed =
    cipher === undefined ? undefined : await persistently(async () => await cipher.upload(sessionId), sending);
  const all = Array.from({ length: totalChunks }, (_, index) => index);
  const left = isNew
    ? all
    : indexesIn(
        (await persistently(() => perform(caller, filevault.showUpload, { sessionId }), sending)).missing,
        totalChunks,
      );
  const missing = new Set(left);
  for (const index of all) if (!missing.has(index)) moved(lengthOf(index), true);
  let failed = false;
  const chunks = left.map((index) =>
    sending.slots.run(async () => {
      signal?.throwIfAborted();
      // One is enough to know that the file can't be sent.
      if (failed) return;
      try {
        const start = index * chunkSize;
        const [length, end] = [lengthOf(index), start + lengthOf(index)];
        if (sealed === undefined) await sendChunk(sending, outgoing, session, { index, start, end });
        else {
          const plaintext = () => outgoing.pieces(start, end);
          await persistently(async () => await sealed.send(index, length, plaintext, signal), sending);
          moved(length);
        }
      } catch (error) {
        failed = true;
        throw error;
      }
    }),
  );
  await settled(chunks);
  await outgoing.assertUnchanged();
  const stored = await persistently(
    async () =>
      sealed === undefined
        ? (await perform(caller, filevault.finalizeUpload, { sessionId })).metadata
        : await sealed.finish(),
    sending,
  );
  if (stored.sizeBytes === outgoing.size) return stored;
  throw new Problem(
    'network',
    'VERIFY_FAILED',
    `${caller.place} stored ${stored.sizeBytes} bytes of ${outgoing.label}, which has ${outgoing.size}. Send it again.`,
  );
}

/** Chunks are planned by what the server says, so numbers that don't fit the file would fill the memory. */
function isPossible({ chunkSize, totalChunks }: Session, size: number): boolean {
  return (
    Number.isSafeInteger(chunkSize) &&
    chunkSize > 0 &&
    totalChunks <= filevaultLimits.chunks &&
    totalChunks === Math.ceil(size / chunkSize)
  );
}

function wrongChunks({ place }: Caller): Problem {
  return new Problem('network', 'BAD_REPLY', `${place} wants chunks that do not fit the file. It was not sent.`);
}

/** A repeat has the same key, so that it reserves no space twice. */
async function begin(
  sending: Sending,
  outgoing: Outgoing,
  cipher: Cipher | undefined,
): Promise<Session & { isNew: true }> {
  const { caller, signal } = sending;
  const { label, name, size, modifiedAt, folder, replaces, mimeType = mediaTypeOf(label) } = outgoing;
  const input = {
    fileName: name,
    mimeType,
    totalSizeBytes: size,
    targetFolderId: folder.id,
    vaultContainerId: folder.vaultContainerId,
    modifiedAt: new Date(modifiedAt).toISOString(),
    ...(replaces !== undefined && { targetFileId: replaces }),
    idempotencyKey: randomUUID(),
  };
  const asked = async () =>
    await persistently(async () => {
      const reply = await answered(caller, filevault.beginUpload, input, { accept: 'application/json' }, signal);
      return await replyIn(caller, filevault.beginUpload, reply);
    }, sending);
  const session = await (cipher === undefined ? asked() : cipher.beginning(asked));
  return { ...session, isNew: true };
}

function openUploadOf(open: readonly OpenUpload[], { name, size, modifiedAt, folder }: Outgoing) {
  return open.find(
    (one) =>
      one.fileName === name.normalize('NFC') &&
      one.totalSizeBytes === size &&
      one.targetFolderId === folder.id &&
      one.modifiedAt === new Date(modifiedAt).toISOString(),
  );
}

interface Chunk {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Its hash goes first if it can be read twice. In any case it is compared with that of what the server received. */
async function sendChunk(
  sending: Sending,
  outgoing: Outgoing,
  session: Session,
  { index, start, end }: Chunk,
): Promise<void> {
  const { caller, signal, moved } = sending;
  const body = (): AsyncIterable<Uint8Array> => outgoing.pieces(start, end);
  const known = outgoing.rereads ? await hashOf(body()) : undefined;
  const size = end - start;
  let [told, tries] = [0, 0];
  const tell = (done: number): void => {
    const now = Math.min(done, size);
    moved(now - told);
    told = now;
  };
  for (;;) {
    let hash = createHash('sha256');
    const { checksum } = await persistently(async () => {
      hash = createHash('sha256');
      const sent = known === undefined ? hashed(body(), hash) : body();
      const content = { type: 'application/octet-stream', size, pieces: () => sent };
      const input = { sessionId: session.sessionId, index, ...(known !== undefined && { checksum: known }) };
      return await upload(caller, filevault.putChunk, input, content, { signal, onProgress: tell, patience: 0 });
    }, sending);
    tell(size);
    if (checksum === (known ?? `sha256:${hash.digest('hex')}`)) return;
    tries += 1;
    if (tries > 2)
      throw new Problem('network', 'VERIFY_FAILED', `${outgoing.label} did not arrive as it was sent. Send it again.`);
  }
}

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return `sha256:${hash.digest('hex')}`;
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Waits until all work is over, whatever comes of it. @throws the first error */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason;
}
