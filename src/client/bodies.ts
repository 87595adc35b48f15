import { createHash, randomUUID, type Hash } from 'node:crypto';
import {
  contentDigestHeader,
  readDigests,
  reprDigestHeader,
  writeDigests,
  type DigestAlgorithm,
  type DigestTexts,
} from '../contract/content-digest.ts';
import {
  acceptsIdempotencyKey,
  keepsReply,
  type RawInputOf,
  type RawOperation,
  type ReplyOf,
  type UploadOperation,
} from '../contract/operation.ts';
import { Problem } from '../base/problem.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { answered, replyIn, type Accompanied, type Caller } from './perform.ts';
import type { WireReply } from './transport.ts';

/** The body of an upload. */
export interface SentContent {
  /** media type */
  readonly type: string;
  /** in bytes, if it is known; otherwise the body is sent in chunks */
  readonly size?: number | undefined;
  readonly digests?: DigestTexts | undefined;
  /** Each call reads the content again from the beginning. */
  pieces(): AsyncIterable<Uint8Array>;
}

export interface BodyOptions {
  readonly signal?: AbortSignal | undefined;
  /** receives the number of bytes sent or received so far; the number decreases if the transfer restarts. A total of 0 means unknown. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** the number of retries after the connection broke without any new bytes */
  readonly patience?: number;
}

/** The target of a download. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** Discards all bytes that were written. */
  restart(): Promise<void>;
}

/** Identifies a content, so that its rest can be requested later and compared with the whole. */
export interface NamedContent {
  /** a strong ETag */
  readonly etag: string;
  /** in bytes, at least 1 */
  readonly total: number;
  /** at least one digest */
  readonly digests: DigestTexts;
}

/** The part of a content that was received earlier. */
export interface Kept extends NamedContent {
  /** in bytes, less than the total */
  readonly done: number;
  pieces(): AsyncIterable<Uint8Array>;
}

export interface DownloadOptions extends BodyOptions {
  /** the earlier part; the download continues after it if the server confirms that the content is the same */
  readonly kept?: Kept | undefined;
  /** called when content arrives from the start; undefined means that no later run can continue it */
  readonly onBegin?: ((content: NamedContent | undefined) => Promise<void>) | undefined;
}

const PATIENCE = 2;

/**
 * Uploads content. After a broken connection, an upload starts again if it may be repeated: a PUT, or a member's POST with an idempotency
 * key.
 *
 * @throws Problem from the server, or network if there was no usable answer
 */
export async function upload<O extends UploadOperation>(
  caller: Caller,
  operation: O,
  input: RawInputOf<O>,
  content: SentContent,
  { signal, onProgress, patience = PATIENCE }: BodyOptions = {},
): Promise<ReplyOf<O>> {
  const idempotencyKey = hasKey(operation) ? randomUUID() : undefined;
  const keyed = { ...input, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const repeats = operation.method === 'PUT' || idempotencyKey !== undefined;
  for (let left = repeats ? patience : 0; ; left -= 1) {
    try {
      const request = sent(content, 'application/json', onProgress);
      return await replyIn(caller, operation, await answered(caller, operation, keyed, request, signal));
    } catch (error) {
      if (left === 0 || !isNetwork(error)) throw error;
    }
  }
}

/** Not for operations that need a role, because the operator has no idempotency keys. Not for operations whose answer is not stored. */
function hasKey(operation: UploadOperation): boolean {
  return acceptsIdempotencyKey(operation) && keepsReply(operation) && typeof operation.auth === 'string';
}

/** Performs an operation that answers with bytes, as a stream. The caller must read or discard the body of the answer. */
export async function download<O extends RawOperation>(
  caller: Caller,
  operation: O,
  input: RawInputOf<O>,
  { signal, content }: { readonly signal?: AbortSignal | undefined; readonly content?: SentContent } = {},
): Promise<WireReply> {
  const accept = operation.produces.join(', ');
  const reply = await answered(caller, operation, input, content ? sent(content, accept) : { accept }, signal);
  const digests = readDigests(reply.headers[contentDigestHeader] ?? '') ?? {};
  return { ...reply, body: compared(reply.body, digests, caller.place) };
}

/**
 * Downloads the whole answer of an operation. After a broken connection, it continues at the same place if the server confirms that the
 * content is the same; otherwise it restarts. The result is compared with the server's hash of the whole content.
 *
 * @returns its bytes
 * @throws Problem network DIGEST_MISMATCH if the content differs; the sink has already received it
 */
export async function downloadTo<O extends RawOperation>(
  caller: Caller,
  operation: O,
  input: RawInputOf<O>,
  sink: Sink,
  { signal, onProgress, patience = PATIENCE, kept, onBegin }: DownloadOptions = {},
): Promise<number> {
  const accept = operation.produces.join(', ');
  let so: Received = kept === undefined ? nothingYet() : await continued(kept);
  let left = patience;
  for (;;) {
    const before = so.done;
    try {
      const headers = so.etag === undefined || so.done === 0 ? {} : rangeHeaders(so.done, so.etag);
      const reply = await answered(caller, operation, input, { accept, headers }, signal);
      if (reply.status !== 206) {
        if (so.done > 0) await sink.restart();
        so = begun(reply);
        await onBegin?.(nameOf(so));
      } else if (!continues(reply, so)) {
        // A later run would get the same answer, so it must not continue this part.
        await onBegin?.(undefined);
        throw new Problem('network', 'BAD_REPLY', `${caller.place} sent the wrong part of the content. Try again.`);
      }
      onProgress?.(so.done, so.total);
      for await (const piece of reply.body) {
        await sink.write(piece);
        for (const hash of so.hashes.values()) hash.update(piece);
        so.done += piece.length;
        onProgress?.(so.done, so.total);
      }
      compare(so.digests, so.hashes, caller.place);
      return so.done;
    } catch (error) {
      if (so.done > before) left = patience;
      else if (left === 0) throw error;
      else left -= 1;
      if (!isNetwork(error)) throw error;
      // Without an ETag, the rest of the content cannot be requested.
      if (so.etag === undefined && so.done > 0) {
        await sink.restart();
        so = nothingYet();
      }
    }
  }
}

interface Received {
  done: number;
  readonly total: number;
  readonly etag: string | undefined;
  readonly digests: DigestTexts;
  readonly hashes: ReadonlyMap<DigestAlgorithm, Hash>;
}

function nothingYet(): Received {
  return { done: 0, total: 0, etag: undefined, digests: {}, hashes: new Map() };
}

function begun({ headers }: WireReply): Received {
  const digests = readDigests(headers[reprDigestHeader] ?? headers[contentDigestHeader] ?? '') ?? {};
  const { etag } = headers;
  return {
    done: 0,
    total: wholeNumber(headers['content-length']) ?? 0,
    // A weak ETag does not identify bytes.
    etag: headers['accept-ranges'] === 'bytes' && etag?.startsWith('"') === true ? etag : undefined,
    digests,
    hashes: hashesFor(digests),
  };
}

async function continued(kept: Kept): Promise<Received> {
  const { done, total, etag, digests } = kept;
  const hashes = hashesFor(digests);
  for await (const piece of kept.pieces()) for (const hash of hashes.values()) hash.update(piece);
  return { done, total, etag, digests, hashes };
}

/** Without a hash of the whole content, damage to a stored part would not be detected. */
function nameOf({ etag, total, digests }: Received): NamedContent | undefined {
  return etag === undefined || total === 0 || Object.keys(digests).length === 0 ? undefined : { etag, total, digests };
}

function rangeHeaders(start: number, etag: string): Readonly<Record<string, string>> {
  return { range: `bytes=${start}-`, 'if-range': etag };
}

function continues({ headers }: WireReply, { done, etag }: Received): boolean {
  return headers['content-range']?.startsWith(`bytes ${done}-`) === true && headers['etag'] === etag;
}

function sent(content: SentContent, accept: string, onProgress?: BodyOptions['onProgress']): Accompanied {
  const { type, size, digests = {} } = content;
  return {
    accept,
    headers: {
      'content-type': type,
      ...(size !== undefined && { 'content-length': String(size) }),
      ...(Object.keys(digests).length > 0 && { [contentDigestHeader]: writeDigests(digests) }),
    },
    body: counted(content.pieces(), size ?? 0, onProgress),
  };
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  total: number,
  onProgress: BodyOptions['onProgress'],
): AsyncGenerator<Uint8Array> {
  let done = 0;
  onProgress?.(done, total);
  for await (const piece of pieces) {
    yield piece;
    // The next piece is requested, so this one has been sent.
    done += piece.length;
    onProgress?.(done, total);
  }
}

async function* compared(
  body: AsyncIterable<Uint8Array>,
  digests: DigestTexts,
  place: string,
): AsyncGenerator<Uint8Array> {
  const hashes = hashesFor(digests);
  for await (const piece of body) {
    for (const hash of hashes.values()) hash.update(piece);
    yield piece;
  }
  compare(digests, hashes, place);
}

function hashesFor(digests: DigestTexts): ReadonlyMap<DigestAlgorithm, Hash> {
  const named = Object.keys(digests) as DigestAlgorithm[];
  return new Map(named.map((algorithm) => [algorithm, createHash(algorithm.replace('-', ''))]));
}

function compare(digests: DigestTexts, hashes: ReadonlyMap<DigestAlgorithm, Hash>, place: string): void {
  for (const [algorithm, hash] of hashes) {
    if (hash.digest('base64') === digests[algorithm]) continue;
    const message = `The content from ${place} does not match its ${algorithm} digest. Download it again.`;
    throw new Problem('network', 'DIGEST_MISMATCH', message);
  }
}

function isNetwork(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'network' && error.code === 'NETWORK';
}
