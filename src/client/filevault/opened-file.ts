import { filevault } from '../../contract/filevault.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { sealedLength } from '../../crypto/formats/file-content/chunked-encryption.ts';
import {
  blockSize,
  contentKeyContext,
  openManifest,
  type Manifest,
  type Named,
} from '../../crypto/formats/file-content/file-content.ts';
import { openWithKey } from '../../crypto/sealing.ts';
import { openBlocks } from '../../crypto/formats/file-content/sealed-stream.ts';
import { Problem } from '../../base/problem.ts';
import { perform, type Caller } from '../perform.ts';
import type { ClientContainer } from './keyring.ts';

/** A version of a file in a client-encrypted container, whose key and list of blocks are known. */
export interface OpenedFile {
  readonly named: Named;
  readonly versionId: string;
  /** of the content */
  readonly key: Uint8Array;
  readonly manifest: Manifest;
}

type GivenKeys = ReplyOf<typeof filevault.showFileKeys>;

interface Wanted {
  readonly id: string;
  readonly versionId?: string | undefined;
}

/**
 * Opens what the server says of a file. The file that was asked for is part of every context, so what belongs to another does not open.
 *
 * @param keyOf the key of a content, by what the server says of it
 * @throws Problem internal FILE_DAMAGED
 */
export async function openFile(
  caller: Caller,
  { id, versionId }: Wanted,
  keyOf: (given: GivenKeys, named: Named) => Promise<Uint8Array>,
): Promise<OpenedFile> {
  const wanted = { id, ...(versionId !== undefined && { versionId }) };
  const given = await perform(caller, filevault.showFileKeys, wanted);
  const named = { id: given.contentId, file_id: id };
  if (versionId !== undefined && given.versionId !== versionId) throw notAsStored();
  const key = await keyOf(given, named);
  const manifest = openManifest(key, named, Buffer.from(given.manifest, 'base64'));
  if (manifest?.size !== given.sizeBytes || manifest.chunkSize !== given.chunkSize) throw notAsStored();
  return { named, versionId: given.versionId, key, manifest };
}

/** The key of a content, from its wrap under the key of the container. @throws Problem internal FILE_DAMAGED */
export function opened(
  containerKey: Uint8Array,
  { id }: ClientContainer,
  number: number,
  named: Named,
  wrapped: string,
): Uint8Array {
  try {
    return openWithKey(containerKey, fromHex(wrapped), contentKeyContext(id, number, named));
  } catch (error) {
    throw error instanceof CryptoError ? notAsStored() : error;
  }
}

/** Bytes of all encrypted blocks together. */
export function sealedSize(manifest: Manifest): number {
  const last = manifest.hashes.length - 1;
  return last * sealedLength(manifest.chunkSize) + sealedLength(blockSize(manifest, last));
}

/** Reads a part of what the server stores. */
type ReadSealed = (range: Range, signal?: AbortSignal) => AsyncIterable<Uint8Array>;

/** In bytes; `end` is exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a range of the plaintext. Whole blocks are read, because only their ends show whether they are those that the manifest lists: what
 * comes is right for its place, and when this ends without an error, it is what the manifest lists.
 *
 * @throws Problem internal FILE_DAMAGED
 */
export async function* readRange(
  { named, key, manifest }: OpenedFile,
  read: ReadSealed,
  { start, end }: Range,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { chunkSize, hashes } = manifest;
  const first = Math.floor(start / chunkSize);
  const behind = Math.min(hashes.length, Math.ceil(end / chunkSize));
  const sealed = sealedLength(chunkSize);
  const opener = openBlocks(key, named, manifest, first);
  const last = behind === hashes.length ? sealedLength(blockSize(manifest, behind - 1)) : sealed;
  const wanted = { start: first * sealed, end: (behind - 1) * sealed + last };
  let at = first * chunkSize;
  for await (const bytes of read(wanted, signal)) {
    const pieces = opener.push(bytes);
    if (pieces === undefined) throw notAsStored();
    for (const piece of pieces) {
      const inside = piece.subarray(Math.max(0, start - at), Math.max(0, Math.min(piece.length, end - at)));
      at += piece.length;
      if (inside.length > 0) yield inside;
    }
  }
  if (!opener.isWhole(behind)) throw notAsStored();
}

export function notAsStored(): Problem {
  return new Problem(
    'internal',
    'FILE_DAMAGED',
    'What the server sent is not the file as a member stored it: something of it was changed, or belongs to another file or version.',
  );
}
