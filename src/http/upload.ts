import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ServerRequest } from 'srvx';
import {
  contentDigestHeader,
  readDigests,
  type DigestAlgorithm,
  type DigestTexts,
} from '../contract/content-digest.ts';
import type { BodyOperation } from '../contract/operation.ts';
import { giveAway, giveOn } from '../base/given-pieces.ts';
import { fieldProblem, Problem } from '../base/problem.ts';
import type { Upload } from '../service/raw-bodies.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { nodeStreamOf, type Intake } from './node-body.ts';
import { brokenOff, paced, STREAM_BYTES } from './paced-stream.ts';

/** Node's names for the algorithms of `Content-Digest`. */
const hashes: Readonly<Record<DigestAlgorithm, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' };

/** What a body takes from its operation. */
type Taking = Pick<BodyOperation, 'accepts' | 'digest'>;

/**
 * The unread body of a raw operation. Wrong headers are refused before any byte of the body is read.
 *
 * @param limit bytes
 * @throws Problem unsupported UNSUPPORTED_MEDIA_TYPE, tooLarge PAYLOAD_TOO_LARGE, invalid VALIDATION_ERROR, and the errors of the intake
 */
export function openUpload(op: Taking, request: ServerRequest, limit: number, intake: Intake): Upload {
  const { headers } = request;
  const declared = headers.get('content-length');
  const stream = nodeStreamOf(request);
  const empty = declared === null ? !hasBody(request, stream) : declared === '0';
  if (op.accepts.length === 0) return { type: '', size: 0, digests: {}, body: none() };
  const type = typeOf(op, headers.get('content-type'), empty);
  if (!(empty && type === '') && !op.accepts.some((pattern) => isOfType(type, pattern))) throw unsupported(op);
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'identity')
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without a Content-Encoding.');
  const size = declared === null ? undefined : wholeNumber(declared, limit);
  if (declared !== null && size === undefined) throw tooLarge(limit);
  const wanted = op.digest === true ? digestsIn(headers) : {};
  intake.take(Math.min(size ?? STREAM_BYTES, STREAM_BYTES));
  // Node's parser makes each piece, and nobody else reads the stream.
  const source = stream === undefined ? webBody(request) : giveAway(paced(stream, intake.pace));
  return {
    type,
    size,
    digests: { sha256: bytesOf(wanted['sha-256']), sha512: bytesOf(wanted['sha-512']) },
    body: giveOn(source, checked(source, size, limit, wanted, intake)),
  };
}

/** Where any type is accepted, a body without one has the type that RFC 9110, section 8.3, gives it. */
function typeOf({ accepts }: Taking, header: string | null, empty: boolean): string {
  return header === null && !empty && accepts.includes('*/*') ? 'application/octet-stream' : mediaTypeOf(header);
}

/** In HTTP/1.1, a body without a length (chunked) is announced by `Transfer-Encoding`. */
function hasBody(request: ServerRequest, stream: Readable | undefined): boolean {
  return stream === undefined ? request.body !== null : request.headers.has('transfer-encoding');
}

function digestsIn(headers: Headers): DigestTexts {
  const header = headers.get(contentDigestHeader);
  if (header === null) return {};
  const digests = readDigests(header);
  if (digests !== undefined) return digests;
  throw fieldProblem('Content-Digest', 'must be of RFC 9530, such as sha-256=:…: with the hash in base 64');
}

async function* checked(
  source: AsyncIterable<Uint8Array>,
  declared: number | undefined,
  limit: number,
  wanted: DigestTexts,
  intake: Intake,
): AsyncGenerator<Uint8Array> {
  // Hashed here and not in a thread: a piece of a body takes some 50 µs, about as long as asking a thread.
  const compared = Object.entries(wanted).map(([algorithm, text]): readonly [string, string, Hash] => {
    return [algorithm, text, createHash(hashes[algorithm as DigestAlgorithm])];
  });
  let size = 0;
  for await (const piece of source) {
    const { length } = piece;
    size += length;
    if (size > limit) throw tooLarge(limit);
    for (const [, , hash] of compared) hash.update(piece);
    yield piece;
    intake.pass(length);
  }
  if (declared !== undefined && size !== declared) throw brokenOff();
  for (const [algorithm, text, hash] of compared) {
    if (hash.digest('base64') === text) continue;
    throw new Problem('invalid', 'DIGEST_MISMATCH', `The body does not match its Content-Digest (${algorithm}).`);
  }
}

async function* webBody(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  try {
    yield* request.body as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw error instanceof Problem ? error : brokenOff(error);
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}

function bytesOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64'));
}

function unsupported({ accepts }: Taking): Problem {
  const types = accepts.join(', ');
  return new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', `The body must be sent as one of: ${types}.`);
}

function tooLarge(limit: number): Problem {
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}

// Media types as headers spell them (RFC 9110, 8.3)

/** @returns the type without its parameters, in lower case; '' if there is none */
export function mediaTypeOf(header: string | null): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @param pattern a type, `type/*` or an asterisk for both */
function isOfType(type: string, pattern: string): boolean {
  const [wantedMain, wantedSub] = pattern.split('/');
  const [main, sub] = type.split('/');
  if (main === undefined || sub === undefined || main === '' || sub === '') return false;
  return (wantedMain === '*' || wantedMain === main) && (wantedSub === '*' || wantedSub === sub);
}
