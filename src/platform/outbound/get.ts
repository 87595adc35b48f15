import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Outgoing } from '../../service/ports/outbound.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import { destinationOf, OutgoingRefused, pinned, type Destination } from './post.ts';

/** The answer is longer than was wanted, or is packed in a way that was not asked for. */
export class AnswerUnfit extends Error {}

const MOST_REDIRECTS = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface Getting {
  readonly headers: Readonly<Record<string, string>>;
  /** bytes of the answer, as it comes and unpacked */
  readonly maxBytes: number;
  /** milliseconds for everything, redirects included */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface GetAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** the value of Retry-After */
  readonly retryAfter: string | undefined;
  /** of an answer with status 200 */
  readonly body: Uint8Array | undefined;
}

/**
 * Reads what a URL of strangers answers. The URL and each one that it redirects to is resolved and checked by itself, and the request goes to an
 * address that was checked; no connection is used twice.
 *
 * @throws OutgoingRefused, AnswerUnfit; other errors for connections that fail or take too long, which may name addresses and hosts
 */
export async function getFrom(outgoing: Outgoing, text: string, getting: Getting): Promise<GetAnswer> {
  const signal = AbortSignal.any([getting.signal, AbortSignal.timeout(getting.timeoutMs)]);
  let next = text;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const destination = await destinationOf(outgoing, next);
    signal.throwIfAborted();
    const { location, ...answer } = await getOnce(outgoing, destination, { ...getting, signal });
    if (!redirects.has(answer.status) || location === undefined) return answer;
    next = redirected(location, destination.url);
  }
  throw new OutgoingRefused('it redirects too often');
}

/** @throws OutgoingRefused */
function redirected(location: string, from: URL): string {
  try {
    const url = new URL(location, from);
    // It is for browsers, and never sent.
    url.hash = '';
    return url.href;
  } catch (cause) {
    throw new OutgoingRefused('it redirects to what is no URL', { cause });
  }
}

async function getOnce(
  outgoing: Outgoing,
  { url, addresses }: Destination,
  { headers, maxBytes, signal }: Getting,
): Promise<GetAnswer & { readonly location: string | undefined }> {
  const sent = request(url, {
    method: 'GET',
    headers: { ...headers, 'accept-encoding': 'gzip', 'user-agent': 'conclave' },
    agent: false,
    lookup: pinned(addresses),
    ...(outgoing.ca !== undefined && { ca: [...outgoing.ca] }),
    signal,
  });
  // Also of what the connection says after the last byte that is wanted.
  sent.on('error', () => undefined);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  try {
    const { statusCode: status = 0, headers: said } = response;
    const body = status === 200 ? await bodyOf(response, maxBytes) : undefined;
    return {
      status,
      etag: said.etag,
      lastModified: said['last-modified'],
      retryAfter: said['retry-after'],
      location: said.location,
      body,
    };
  } finally {
    response.destroy();
  }
}

/** A short answer may unpack to a long one, and a long one to nothing: both lengths have the bound. @throws AnswerUnfit */
async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  if ((wholeNumber(response.headers['content-length']) ?? 0) > maxBytes) throw tooLong();
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const pieces: Uint8Array[] = [];
  const collect = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of bounded(source, maxBytes)) pieces.push(piece);
  };
  const packed = (source: AsyncIterable<Uint8Array>) => bounded(source, maxBytes);
  if (encoding === 'identity') await collect(response);
  else if (encoding === 'gzip' || encoding === 'x-gzip')
    await pipeline(response, packed, createGunzip(), collect).catch((error: unknown) => {
      throw isOfZlib(error) ? new AnswerUnfit('it does not unpack', { cause: error }) : error;
    });
  else throw new AnswerUnfit('it is packed in another way than gzip');
  return Buffer.concat(pieces);
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

async function* bounded(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > maxBytes) throw tooLong();
    yield piece;
  }
}

function tooLong(): AnswerUnfit {
  return new AnswerUnfit('it is too long');
}
