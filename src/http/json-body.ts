import type { ServerRequest } from 'srvx';
import type { Offload } from '../service/ports/workers.ts';
import { Problem } from '../base/problem.ts';
import { parseJson } from './json-parse.ts';
import { INLINE_BYTES, parseElsewhere } from './json-task.ts';
import { parseRaw, parseRawElsewhere, RAW_INLINE_BYTES, type RawFields } from './raw-fields.ts';
import { hasArrived, nodeStreamOf, readWhole, type Intake } from './node-body.ts';
import { mediaTypeOf } from './upload.ts';
import { wholeNumber } from '../base/whole-number.ts';

/**
 * Does the same as `readJsonObject` without a promise, a timer or a listener. Together these cost more than all other work for a small
 * body.
 *
 * @returns undefined if the body hasn't arrived yet, or is too large to be parsed here
 */
export function jsonObjectAtHand(
  request: ServerRequest,
  limit: number,
  intake?: Intake,
  raw?: RawFields,
): Record<string, unknown> | undefined {
  const stream = nodeStreamOf(request);
  if (stream === undefined || !hasArrived(stream)) return undefined;
  const size = stream.readableLength;
  if (size > limit || size > inlineBytes(raw)) return undefined;
  if (size > 0) checkType(request);
  intake?.take(size);
  const bytes = stream.read() as Buffer | null;
  return bytes === null ? {} : objectOf(parseHere(bytes, raw));
}

function inlineBytes(raw: RawFields | undefined): number {
  return raw === undefined ? INLINE_BYTES : RAW_INLINE_BYTES;
}

function parseHere(bytes: Buffer, raw: RawFields | undefined): unknown {
  return raw === undefined ? parseJson(bytes) : parseRaw(bytes, raw);
}

/**
 * The JSON object in a request's body; an empty body counts as `{}`.
 *
 * @param limit bytes
 * @param offload parses a large body in a thread
 * @param raw the fields that stay JSON, if there are any
 * @throws Problem tooLarge, unsupported or invalid, and the errors of the intake
 */
export async function readJsonObject(
  request: ServerRequest,
  limit: number,
  offload: Offload,
  intake?: Intake,
  raw?: RawFields,
): Promise<Record<string, unknown>> {
  // If the request certainly has a body, a wrong type is refused before the bytes arrive.
  if ((wholeNumber(request.headers.get('content-length')) ?? 0) > 0) checkType(request);
  const bytes = await readBody(request, limit, intake);
  if (bytes.length === 0) return {};
  checkType(request);
  if (bytes.length <= inlineBytes(raw)) return objectOf(parseHere(bytes, raw));
  const { signal } = request;
  return objectOf(
    await (raw === undefined ? parseElsewhere(bytes, offload, signal) : parseRawElsewhere(bytes, raw, offload, signal)),
  );
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

function checkType(request: ServerRequest): void {
  const type = request.headers.get('content-type');
  if (type === 'application/json' || mediaTypeOf(type) === 'application/json') return;
  throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.');
}

/** Reads the whole body. It is refused as soon as it is known to be longer than `limit` bytes. */
export async function readBody(request: ServerRequest, limit: number, intake?: Intake): Promise<Buffer> {
  try {
    return await bytesOf(request, limit, intake);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body ended too early.', { cause: error });
  }
}

async function bytesOf(request: ServerRequest, limit: number, intake: Intake | undefined): Promise<Buffer> {
  const declared = request.headers.get('content-length');
  const stream = nodeStreamOf(request);
  // With a length, the HTTP parser lets no more bytes through. Without a length (chunked), the bytes must be counted.
  if (declared !== null) {
    const size = wholeNumber(declared, limit);
    if (size === undefined) throw tooLarge(limit);
    if (size === 0) return Buffer.alloc(0);
    intake?.take(size);
    if (stream === undefined) return Buffer.from(await request.arrayBuffer());
    return await readWhole(stream, intake === undefined ? {} : { pace: intake.pace });
  }
  let size = 0;
  const take = (bytes: number): void => {
    size += bytes;
    if (size > limit) throw tooLarge(limit);
    intake?.take(bytes);
  };
  if (stream !== undefined) {
    return await readWhole(stream, intake === undefined ? { take } : { take, pace: intake.pace });
  }
  if (request.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): Problem {
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
