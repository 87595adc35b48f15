import { upload } from '../bodies.ts';
import { perform, type Caller } from '../perform.ts';
import { filevaultLimits } from '../../contract/filevault/limits.ts';
import { filevault } from '../../contract/filevault.ts';
import type { FileDetail } from '../../contract/filevault/fields.ts';
import { concat, fromHex, toHex } from '../../crypto/bytes.ts';
import { sealedLength } from '../../crypto/formats/file-content/chunked-encryption.ts';
import { contentKeyContext, sealManifest, type Named } from '../../crypto/formats/file-content/file-content.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import { sealWithKey } from '../../crypto/sealing.ts';
import { sealBlock } from '../../crypto/formats/file-content/sealed-stream.ts';
import { Problem } from '../../base/problem.ts';
import { indexesIn } from './chunk-ranges.ts';
import type { ClientContainer } from './keyring.ts';
import { opened } from './opened-file.ts';

/** What an upload takes of the keys of its container. */
export interface UploadKeys {
  readonly container: ClientContainer;
  /** the key with a number */
  keyOf(number: number): Promise<Uint8Array>;
  /** the newest key, which nobody without access has; `again` reads it anew */
  current(again?: boolean): Promise<{ readonly number: number; readonly key: Uint8Array }>;
  random(size: number): Uint8Array;
}

/** An upload to a client-encrypted container. */
export interface SealedUpload {
  /** Encrypts and sends a chunk. @param length bytes of the plaintext. @param plaintext reads it, again each time */
  send(index: number, length: number, plaintext: () => AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  finish(): Promise<FileDetail>;
}

type State = Awaited<ReturnType<typeof stateOf>>;

/** How often something is done again because another client or the server has changed it meanwhile. */
const ATTEMPTS = 4;

/** Begins to encrypt an upload, or goes on with one: its key is kept at the server, under that of the container. */
export async function sealedUpload(caller: Caller, keys: UploadKeys, sessionId: string): Promise<SealedUpload> {
  const first = await stateOf(caller, sessionId);
  const { named, size, chunkSize, chunks } = first;
  const key = await agreedKey(caller, keys, sessionId, first);
  const hashes = new Map(first.hashes);

  async function finishOnce(): Promise<FileDetail> {
    const list = Array.from({ length: chunks }, (_, place) => hashes.get(place) ?? '');
    if (list.includes('')) throw incomplete();
    const manifest = sealManifest(key, named, { size, chunkSize, hashes: list }, keys.random(24));
    const blocks = sha256Hex(concat(...list.map((hash) => fromHex(hash))));
    const input = { sessionId, manifest: Buffer.from(manifest).toString('base64'), blocks };
    return (await perform(caller, filevault.finalizeUpload, input)).metadata;
  }

  return {
    async send(index, length, plaintext, signal) {
      for (let left = ATTEMPTS; left > 0; left -= 1) {
        const block = sealBlock(key, named, index, plaintext, () => keys.random(24));
        const content = {
          type: 'application/octet-stream',
          size: sealedLength(length),
          pieces: () => block.pieces(),
        };
        const { checksum } = await upload(caller, filevault.putChunk, { sessionId, index }, content, { signal });
        if (block.hashes === undefined || checksum !== `sha256:${block.hashes.sha256}`) continue;
        hashes.set(index, block.hashes.sha3_512);
        return;
      }
      throw new Problem(
        'network',
        'CHECKSUM_MISMATCH',
        `${caller.place} received other bytes than were sent. Try again.`,
      );
    },
    async finish() {
      for (let left = ATTEMPTS; ; left -= 1)
        try {
          return await finishOnce();
        } catch (error) {
          if (left === 0 || !(error instanceof Problem)) throw error;
          if (error.code === 'KEY_OUTDATED') await putKey(caller, keys, sessionId, named, key, true);
          // A body that stalled came after its retry. Either was encrypted here, for this place and under this key.
          else if (error.code === 'BLOCKS_DIFFER')
            for (const [place, hash] of (await stateOf(caller, sessionId)).hashes) hashes.set(place, hash);
          else throw error;
        }
    },
  };
}

/** The key that the upload has, or a new one. Two clients that begin at once end up with the same. */
async function agreedKey(caller: Caller, keys: UploadKeys, sessionId: string, state: State): Promise<Uint8Array> {
  const { container } = keys;
  const { named, keyNumber, wrappedKey } = state;
  if (wrappedKey !== undefined) return opened(await keys.keyOf(keyNumber), container, keyNumber, named, wrappedKey);
  const key = keys.random(32);
  try {
    await putKey(caller, keys, sessionId, named, key);
    return key;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'KEY_CHANGED') throw error;
  }
  const now = await stateOf(caller, sessionId);
  if (now.wrappedKey === undefined) throw incomplete();
  return opened(await keys.keyOf(now.keyNumber), container, now.keyNumber, named, now.wrappedKey);
}

/** Gives the upload its key, under the newest key of the container. */
async function putKey(
  caller: Caller,
  keys: UploadKeys,
  sessionId: string,
  named: Named,
  key: Uint8Array,
  again = false,
): Promise<void> {
  for (let renew = again, left = ATTEMPTS; ; renew = true, left -= 1) {
    const { number, key: containerKey } = await keys.current(renew);
    const wrapped = sealWithKey(containerKey, key, contentKeyContext(keys.container.id, number, named));
    try {
      await perform(caller, filevault.putUploadKey, { sessionId, keyNumber: number, wrappedKey: toHex(wrapped) });
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof Problem) || error.code !== 'KEY_OUTDATED') throw error;
    }
  }
}

async function stateOf(caller: Caller, sessionId: string) {
  const state = await perform(caller, filevault.showUpload, { sessionId });
  const { fileId, contentId, keyNumber, wrappedKey, chunkSize, totalChunks, totalSizeBytes, missing } = state;
  if (fileId === undefined || contentId === undefined || keyNumber === undefined) throw incomplete();
  if (totalChunks > filevaultLimits.chunks) throw incomplete();
  const absent = new Set(indexesIn(missing, totalChunks));
  const there = Array.from({ length: totalChunks }, (_, place) => place).filter((place) => !absent.has(place));
  const listed = Buffer.from(state.hashes ?? '', 'base64');
  const hashes = there.map((place, at) => [place, listed.toString('hex', at * 64, (at + 1) * 64)] as const);
  return {
    named: { id: contentId, file_id: fileId },
    keyNumber,
    wrappedKey,
    size: totalSizeBytes,
    chunkSize,
    chunks: totalChunks,
    hashes: wrappedKey === undefined ? [] : hashes,
  };
}

function incomplete(): Problem {
  return new Problem('conflict', 'UPLOAD_INCOMPLETE', 'The server has lost chunks of the upload. Send the file again.');
}
