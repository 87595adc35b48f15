import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { FastResponse, type ServerRequest } from 'srvx';
import { contentDigestHeader, reprDigestHeader, writeDigests } from '../contract/content-digest.ts';
import type { RawOperation } from '../contract/operation.ts';
import { Problem } from '../base/problem.ts';
import type { ByteRange, Content, Digests, Download, Flow } from '../service/raw-bodies.ts';
import { LARGE, type Sending } from './large-answer.ts';
import type { HeaderFields } from './respond.ts';
import { STREAM_BYTES } from './paced-stream.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** What an answer takes from its operation. */
type Answering = Pick<RawOperation, 'digest' | 'ranges'> & { readonly status: number };

/** @param sent headers of every answer, including refusals */
export async function respondDownload(
  request: ServerRequest,
  op: Answering,
  download: Download,
  { held, pace, failed }: Sending & { readonly failed: (error: unknown) => void },
  sent: Record<string, string>,
): Promise<Response> {
  const { content: given, version } = download;
  if (isFlow(given)) return await respondFlow(request, op, download, given, { held, pace, failed }, sent);
  const bytes = typeof given === 'string' ? new Uint8Array(Buffer.from(given)) : given;
  const content = bytes instanceof Uint8Array ? contentOf(bytes) : bytes;
  const tag = version === undefined ? undefined : `"${version}"`;
  const headers: Record<string, string> = { 'content-type': download.type, ...sent, ...download.headers };
  if (tag !== undefined) headers['etag'] = tag;
  if (tag !== undefined && isKnown(request, tag)) return new FastResponse(null, { status: 304, headers });
  if (download.filename !== undefined || download.inline === false)
    headers['content-disposition'] = contentDisposition(
      download.inline === true ? 'inline' : 'attachment',
      download.filename,
    );

  const hasRanges = op.ranges === true && download.whole !== true;
  // Ranges are of GET alone (RFC 9110, 14.2).
  const wanted = hasRanges && request.method === 'GET' ? wantedRange(request, content.size, tag) : undefined;
  if (wanted === 'unsatisfiable') {
    sent['content-range'] = `bytes */${content.size}`;
    throw new Problem(
      'invalid',
      'RANGE_NOT_SATISFIABLE',
      `The range begins after the end of the content, which has ${content.size} bytes.`,
    );
  }
  if (hasRanges) headers['accept-ranges'] = 'bytes';
  const range = wanted ?? { start: 0, end: content.size };
  headers['content-length'] = String(range.end - range.start);
  if (wanted !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end - 1}/${content.size}`;
  if (op.digest === true) Object.assign(headers, digestHeaders(digestsOf(download, bytes), wanted !== undefined));
  const status = wanted === undefined ? op.status : 206;

  if (request.method === 'HEAD') return new FastResponse(null, { status, headers });
  if (download.opening !== undefined) Object.assign(headers, await download.opening(range));
  if (bytes instanceof Uint8Array && bytes.length < LARGE)
    return new FastResponse(bytes.slice(range.start, range.end), { status, headers });
  const source = await begun((later) => told(content.read(range), range, later), failed);
  const node = request.runtime?.node?.res as ServerResponse | undefined;
  // In process the caller reads the pieces one by one, so there is no pace to check.
  if (node === undefined) return new FastResponse(ReadableStream.from(source), { status, headers });
  const giveBack = held.answer(bytes instanceof Uint8Array ? bytes.length : Math.min(STREAM_BYTES, content.size));
  if (node.destroyed) giveBack();
  else node.once('close', giveBack);
  // Only Node's server gets streams, and it accepts Node's own. The type knows only web streams.
  return new FastResponse(streamOf(source, node, { pace, held }), { status, headers });
}

function isFlow(content: Download['content']): content is Flow {
  return typeof content === 'object' && 'flow' in content;
}

/** Nobody knows how long it is, so the end of the chunked body alone tells that it is whole: an error breaks the connection off. */
async function respondFlow(
  request: ServerRequest,
  op: Answering,
  { type, headers: more, filename, version }: Download,
  content: Flow,
  { held, pace, failed }: Sending & { readonly failed: (error: unknown) => void },
  sent: Record<string, string>,
): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': type, ...sent, ...more };
  const tag = version === undefined ? undefined : `"${version}"`;
  if (tag !== undefined) headers['etag'] = tag;
  if (tag !== undefined && isKnown(request, tag)) return new FastResponse(null, { status: 304, headers });
  if (filename !== undefined) headers['content-disposition'] = contentDisposition('attachment', filename);
  if (request.method === 'HEAD') return new FastResponse(null, { status: op.status, headers });
  const source = await begun((later) => watched(content.flow(), later), failed);
  const node = request.runtime?.node?.res as ServerResponse | undefined;
  if (node === undefined) return new FastResponse(ReadableStream.from(source), { status: op.status, headers });
  const giveBack = held.answer(STREAM_BYTES);
  if (node.destroyed) giveBack();
  else node.once('close', giveBack);
  return new FastResponse(streamOf(source, node, { pace, held }), { status: op.status, headers });
}

function streamOf(source: Begun, node: ServerResponse, sending: Sending): Readable {
  const stream = Readable.from(taken(source, node, sending), { objectMode: false, highWaterMark: 1 });
  // A client that is gone before the first piece is sent: a generator that nobody has begun doesn't end what it would read.
  return stream.once('close', () => void source.end().catch(() => undefined));
}

async function* watched(
  source: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    failed(error);
    throw error;
  }
}

function contentOf(bytes: Uint8Array): Content {
  return {
    size: bytes.length,
    async *read({ start, end }) {
      for (let at = start; at < end; at += LARGE) yield bytes.subarray(at, Math.min(end, at + LARGE));
    },
  };
}

function isKnown(request: Request, tag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  return known.some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));
}

/** `If-Range`: a part is useful only to a client that has the rest of the same content. Dates never identify content here. */
function wantedRange(request: Request, size: number, tag: string | undefined): ByteRange | 'unsatisfiable' | undefined {
  const condition = request.headers.get('if-range');
  if (condition !== null && condition.trim() !== tag) return undefined;
  return rangeOf(request.headers.get('range'), size);
}

function digestsOf({ digests }: Download, bytes: Uint8Array | Content): Digests {
  if (digests !== undefined || !(bytes instanceof Uint8Array)) return digests ?? {};
  return { sha256: createHash('sha256').update(bytes).digest() };
}

/** `Content-Digest` is the digest of the bytes that are sent, `Repr-Digest` the digest of the whole content. */
function digestHeaders({ sha256, sha512 }: Digests, isPart: boolean): HeaderFields {
  const text = writeDigests({
    ...(sha256 !== undefined && { 'sha-256': Buffer.from(sha256).toString('base64') }),
    ...(sha512 !== undefined && { 'sha-512': Buffer.from(sha512).toString('base64') }),
  });
  if (text === '') return {};
  return { [reprDigestHeader]: text, ...(!isPart && { [contentDigestHeader]: text }) };
}

/** Content of which the first piece is there. It holds files open until it has been read, or is ended. */
interface Begun extends AsyncIterable<Uint8Array> {
  end(): Promise<unknown>;
}

/**
 * Reads the first piece before the status is sent: content that can't be read at all gets an answer that says so.
 * @param failed hears of errors after the first piece
 */
async function begun(
  open: (later: (error: unknown) => void) => AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): Promise<Begun> {
  let isBegun = false;
  const pieces = open((error) => isBegun && failed(error))[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | undefined = await pieces.next();
  isBegun = true;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const kept = first;
    first = undefined;
    return kept ?? (await pieces.next());
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> =>
    (await pieces.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }), end };
}

/** The status has been sent. A later error can only break off the connection and write a line to the log. */
async function* told(
  source: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let left = end - start;
  const pieces = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await pieces.next().catch((error: unknown) => {
        failed(error);
        throw error;
      });
      if (next.done === true) break;
      left -= next.value.length;
      if (left < 0) break;
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
  if (left === 0) return;
  const error = new Error(`a download has ${Math.abs(left)} bytes ${left > 0 ? 'less' : 'more'} than it said`);
  failed(error);
  throw error;
}

/** Asks the source for the next piece when the operating system has the earlier ones. Time that the source needs doesn't count as slow. */
async function* taken(
  source: AsyncIterable<Uint8Array>,
  node: ServerResponse,
  { pace: { bytesPerSecond, graceMs }, held }: Sending,
): AsyncGenerator<Uint8Array> {
  const wanted = Math.ceil((bytesPerSecond * graceMs) / 1000);
  // Small enough that a client at exactly the minimum pace takes one piece before each check.
  const size = Math.min(LARGE, wanted);
  let since = 0;
  let waiting = false;
  const isSlow = (): boolean => waiting && since < wanted;
  const look = setInterval(() => {
    // This process may have been busy all that time. It notices first what the client took meanwhile, before it closes the connection.
    if (isSlow()) setImmediate(() => isSlow() && node.destroy());
    else since = 0;
  }, graceMs);
  try {
    for await (const whole of source) {
      for (let at = 0; at < whole.length; at += size) {
        const piece = whole.subarray(at, at + size);
        since += piece.length;
        waiting = true;
        yield piece;
        waiting = false;
        held.pass(piece.length);
      }
    }
  } finally {
    clearInterval(look);
  }
}

/**
 * The one range that a request asks for (RFC 9110, 14). Several ranges, other units and unreadable values are ignored, as the RFC allows:
 * the whole content answers them as well.
 *
 * @returns undefined for the whole content, `unsatisfiable` if the range is outside of the content
 */
function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const { first = '', last = '' } =
    /^bytes=(?<first>\d{0,15})-(?<last>\d{0,15})$/i.exec(header?.trim() ?? '')?.groups ?? {};
  const [start, most] = [wholeNumber(first), wholeNumber(last)];
  if (start === undefined) {
    if (most === undefined || first !== '') return undefined;
    return most === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - most), end: size };
  }
  if ((most === undefined && last !== '') || (most !== undefined && most < start)) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: most === undefined ? size : Math.min(most + 1, size) };
}

/** Tells browsers to save or show the content (RFC 6266), with a file name in any script (RFC 8187). */
function contentDisposition(kind: 'attachment' | 'inline', filename: string | undefined): string {
  if (filename === undefined) return kind;
  // For old clients: other characters are replaced. `%` is replaced too, because some clients decode what follows it.
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const quoted = `${kind}; filename="${plain}"`;
  return plain === filename ? quoted : `${quoted}; filename*=UTF-8''${extended(filename)}`;
}

function extended(text: string): string {
  // A lone surrogate cannot be encoded as UTF-8.
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
