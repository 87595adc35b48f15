import { download } from '../../../client/bodies.ts';
import { answered, type Caller } from '../../../client/perform.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Ciphers } from '../ciphers.ts';
import { pauseAfter, type Patience } from './patience.ts';

/** Bytes of a file; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A file at the server, as ranges of bytes. That of a client-encrypted container decrypts. */
export interface Source {
  /** in bytes */
  readonly size: number;
  /** names this content; another content never has the same */
  readonly tag: string;
  /** All bytes of a range, or an error. It can be called for several ranges side by side. */
  read(range: Range, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Bytes of the largest file. */
const LARGEST = filevaultLimits.chunks * filevaultLimits.longestChunk;

export type OpenSource = (file: FileItem) => Promise<Source>;

/** Opens the version that a list named, so that all ranges belong to one content, also when a later run goes on. */
export function sourcesOf(caller: Caller, ciphers: Ciphers): OpenSource {
  return async ({ id, vaultContainerId, currentVersionId: versionId, sizeBytes: size }) => {
    // Ranges are planned by it, so a number that no file has would fill the memory.
    if (!Number.isSafeInteger(size) || size < 0 || size > LARGEST) throw wrongSize(caller);
    const cipher = await ciphers(vaultContainerId);
    if (cipher === undefined)
      return { size, tag: versionId, read: rangesOf(caller, filevault.downloadVersion, { id, versionId }, size) };
    const { readRange, sealedSize } = await import('../../../client/filevault/opened-file.ts');
    const file = await cipher.open(id, versionId);
    const sealed = rangesOf(caller, filevault.downloadSealed, { id, versionId }, sealedSize(file.manifest));
    return {
      size: file.manifest.size,
      tag: versionId,
      read: (range, signal) => readRange(file, sealed, range, signal),
    };
  };
}

/** `ETag` and `If-Range` say that the server agrees which content it is. */
function rangesOf(
  caller: Caller,
  operation: typeof filevault.downloadVersion | typeof filevault.downloadSealed,
  input: { readonly id: string; readonly versionId: string },
  size: number,
): Source['read'] {
  let etag: string | undefined;
  return async function* read({ start, end }, signal) {
    const isWhole = start === 0 && end === size;
    const [accept] = operation.produces;
    const headers = isWhole
      ? {}
      : { range: `bytes=${start}-${end - 1}`, ...(etag !== undefined && { 'if-range': etag }) };
    const reply = isWhole
      ? await download(caller, operation, input, { signal })
      : await answered(caller, operation, input, { accept: accept ?? '*/*', headers }, signal);
    const said = reply.headers['etag'];
    const range = isWhole ? undefined : `bytes ${start}-${end - 1}/${size}`;
    etag ??= said;
    if (reply.headers['content-range'] !== range || said !== etag || (reply.status === 206) === isWhole)
      throw wrongBytes(caller);
    let left = end - start;
    for await (const piece of reply.body) {
      left -= piece.length;
      if (left < 0) throw wrongBytes(caller);
      yield piece;
    }
    if (left > 0) throw new Problem('network', 'NETWORK', `${caller.place} sent fewer bytes than it announced.`);
  };
}

function wrongSize({ place }: Caller): Problem {
  return new Problem('network', 'BAD_REPLY', `${place} says that it has a size that no file has. It was not received.`);
}

function wrongBytes({ place }: Caller): Problem {
  return new Problem('network', 'BAD_REPLY', `${place} sent other bytes than it was asked for. Try again.`);
}

/** All bytes of a range in order. After a lost connection it goes on where it was. */
export async function* piecesOf(
  source: Source,
  { start, end }: Range,
  patience: Patience = {},
): AsyncGenerator<Uint8Array> {
  let [at, attempt] = [start, 0];
  while (at < end) {
    patience.signal?.throwIfAborted();
    try {
      for await (const piece of source.read({ start: at, end }, patience.signal)) {
        at += piece.length;
        attempt = 0;
        yield piece;
      }
    } catch (error) {
      await pauseAfter(error, attempt, patience);
      attempt += 1;
    }
  }
}
