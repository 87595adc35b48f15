import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { upload } from '../../../client/bodies.ts';
import { collectPages } from '../../../client/pages.ts';
import type { Cipher } from '../../../client/filevault/cipher.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import type { FileDetail, Folder } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../problem.ts';
import { wholeNumber } from '../../../whole-number.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import type { Ciphers } from '../ciphers.ts';
import { mediaTypeOf } from './media-types.ts';

/** A file of this machine, and where it goes. */
export interface Outgoing {
  readonly path: string;
  readonly size: number;
  /** milliseconds since 1970 */
  readonly modifiedAt: number;
  readonly name: string;
  readonly folder: Folder;
  /** a file that gets a new version */
  readonly replaces: string | undefined;
}

/** Chunks that are sent side by side. */
const SIDE_BY_SIDE = 8;

/**
 * Sends a file. It goes on with an upload of the same file that was broken off: the server knows which chunks it has.
 * @param moved hears of bytes that the server has
 */
export async function sendFile(
  caller: Caller,
  outgoing: Outgoing,
  moved: (bytes: number) => void,
  ciphers: Ciphers,
  signal?: AbortSignal,
): Promise<FileDetail> {
  const cipher = await ciphers(outgoing.folder.vaultContainerId);
  const { sessionId, chunkSize, totalChunks } =
    (await openUploadOf(caller, outgoing)) ?? (await begin(caller, outgoing, cipher));
  const sealed = await cipher?.upload(sessionId);
  const { missing } = await perform(caller, filevault.showUpload, { sessionId });
  const left = indexesIn(missing);
  const lengthOf = (index: number): number => Math.min(chunkSize, outgoing.size - index * chunkSize);
  const there = new Set(left);
  for (let index = 0; index < totalChunks; index += 1) if (!there.has(index)) moved(lengthOf(index));
  const work = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      signal?.throwIfAborted();
      const chunk = { sessionId, index, start: index * chunkSize, length: lengthOf(index) };
      if (sealed === undefined) await sendChunk(caller, outgoing, chunk, signal);
      else await sealed.send(index, chunk.length, () => piecesOf(outgoing, chunk), signal);
      moved(lengthOf(index));
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, left.length) }, work));
  await assertUnchanged(outgoing);
  if (sealed !== undefined) return await sealed.finish();
  return (await perform(caller, filevault.finalizeUpload, { sessionId })).metadata;
}

async function begin(caller: Caller, outgoing: Outgoing, cipher: Cipher | undefined) {
  const { name, path, size, modifiedAt, folder, replaces } = outgoing;
  const input = {
    fileName: name,
    mimeType: mediaTypeOf(path),
    totalSizeBytes: size,
    targetFolderId: folder.id,
    vaultContainerId: folder.vaultContainerId,
    modifiedAt: new Date(modifiedAt).toISOString(),
    ...(replaces !== undefined && { targetFileId: replaces }),
  };
  const asked = async () => await perform(caller, filevault.beginUpload, input);
  return await (cipher === undefined ? asked() : cipher.beginning(asked));
}

async function openUploadOf(caller: Caller, { name, size, modifiedAt, folder }: Outgoing) {
  const { items } = await collectPages(caller, filevault.listUploads, {}, 'uploads');
  return items.find(
    (one) =>
      one.fileName === name.normalize('NFC') &&
      one.totalSizeBytes === size &&
      one.targetFolderId === folder.id &&
      one.modifiedAt === new Date(modifiedAt).toISOString(),
  );
}

interface Chunk {
  readonly sessionId: string;
  readonly index: number;
  readonly start: number;
  readonly length: number;
}

/** It is read twice: its hash goes first, and the server refuses other bytes. */
async function sendChunk(
  caller: Caller,
  outgoing: Outgoing,
  chunk: Chunk,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { sessionId, index, length } = chunk;
  const pieces = (): AsyncIterable<Uint8Array> => piecesOf(outgoing, chunk);
  const hash = createHash('sha256');
  for await (const piece of pieces()) hash.update(piece);
  const input = { sessionId, index, checksum: `sha256:${hash.digest('hex')}` };
  const content = { type: 'application/octet-stream', size: length, pieces };
  await upload(caller, filevault.putChunk, input, content, { signal });
}

async function* piecesOf({ path }: Outgoing, { start, length }: Chunk): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, {
      start,
      end: start + length - 1,
      highWaterMark: 256 * 1024,
    }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  }
}

/** Chunks of two states of a file make no file. */
async function assertUnchanged({ path, size, modifiedAt }: Outgoing): Promise<void> {
  await using file = await open(path, 'r');
  const now = await file.stat();
  if (now.size === size && Math.floor(now.mtimeMs) === modifiedAt) return;
  throw new Problem(
    'conflict',
    'NOTHING_CHANGED',
    `${path} changed while it was sent. Nothing was stored. Send it again.`,
  );
}

/** @param ranges such as `0-3,7` */
function indexesIn(ranges: string): number[] {
  return ranges
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = '', last = first] = range.split('-');
      const from = wholeNumber(first) ?? 0;
      return Array.from({ length: (wholeNumber(last) ?? from) - from + 1 }, (_, step) => from + step);
    });
}
