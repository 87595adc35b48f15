import type { FileHandle } from 'node:fs/promises';
import { CHUNK, type MessageKeys } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { ownerOf } from '../../../base/given-pieces.ts';
import type { SealedFile, ThreadJob } from './block-threads.ts';
import { noncesOf } from './slots.ts';

/** A message of chunked encryption that is made of a content while it is stored. */
export interface Sealing {
  readonly header: Uint8Array;
  readonly keys: MessageKeys;
  /** algorithms, as node:crypto names them */
  readonly checksums: readonly string[];
  /** called with those of the content, before its block is announced. @throws what `put` throws then: the content is not wanted */
  accept(checksums: readonly Uint8Array[]): void;
}

/**
 * Asking a thread and hearing its answer take as long as a piece of HTTP does, so it is asked for this many bytes of the content at once, or a
 * little more.
 */
const MESSAGE_BYTES = 384 * 1024;
/** A piece takes at least so much memory, whatever its length. */
const PIECE_BYTES = 4096;
/** Questions of one content that a thread has while the next one is gathered: it must not wait while this thread waits for the disk. */
const MOST_UNDER_WAY = 2;

/**
 * Encrypts a content, and writes it to a new file. When this ends, in whatever way, no thread uses the file any more.
 * @throws the error of the content or of the disk
 */
export async function sealFile(
  { fd }: FileHandle,
  content: AsyncIterable<Uint8Array>,
  { header, keys, checksums }: Pick<Sealing, 'header' | 'keys' | 'checksums'>,
  job: ThreadJob,
): Promise<SealedFile> {
  const { segmentBytes, tagBytes } = CHUNK;
  const own = ownerOf(content);
  const underWay: Promise<unknown>[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let weight = 0;
  /** bytes that the thread has, or will have with the pieces */
  let sent = 0;
  let arrived = 0;

  function ask(question: Promise<unknown>): void {
    // Its error is that of a later `await`.
    question.catch(() => undefined);
    underWay.push(question);
  }

  function send(): void {
    ask(job.seal(pieces, noncesOf(keys, Math.ceil(sent / segmentBytes), Math.ceil(arrived / segmentBytes))));
    sent = arrived;
    pieces = [];
    weight = 0;
  }

  try {
    ask(job.begin({ fd, header, key: keys.key, segmentBytes, tagBytes, checksums }));
    for await (const piece of content) {
      pieces.push(own(piece));
      arrived += piece.length;
      weight += Math.max(piece.length, PIECE_BYTES);
      if (weight < MESSAGE_BYTES) continue;
      if (underWay.length >= MOST_UNDER_WAY) await underWay.shift();
      send();
    }
    send();
    // The last segment is always shorter than the others, and may be empty.
    const last = Math.floor(arrived / segmentBytes);
    const sealed = job.end(arrived % segmentBytes === 0 ? noncesOf(keys, last, last + 1) : undefined);
    ask(sealed);
    // The thread may know nothing of a question that failed.
    await Promise.all(underWay);
    return await sealed;
  } finally {
    await Promise.allSettled(underWay);
  }
}
