import type { ServerRequest } from 'srvx';
import { Problem } from '../problem.ts';
import { refuseDuplicateKeys } from './duplicate-keys.ts';
import { nodeStreamOf, readWhole } from './node-body.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON object in a request's body; an empty body counts as `{}`.
 *
 * @param limit bytes
 * @throws Problem tooLarge, unsupported or invalid
 */
export async function readJsonObject(request: ServerRequest, limit: number): Promise<Record<string, unknown>> {
  const bytes = await readBody(request, limit);
  if (bytes.length === 0) return {};
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.');
  }
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body must be a JSON object.');
  }
  refuseDuplicateKeys(text);
  return value as Record<string, unknown>;
}

/** The whole body, refused as soon as it is known to be longer than `limit` bytes. */
export async function readBody(request: ServerRequest, limit: number): Promise<Uint8Array> {
  try {
    return await bytesOf(request, limit);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body ended before its time.', { cause: error });
  }
}

async function bytesOf(request: ServerRequest, limit: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  // With a length the HTTP parser sees to it that no more comes; without one (chunked) the bytes have to be counted.
  if (declared !== null) {
    if (!(Number(declared) <= limit)) throw tooLarge(limit);
    if (declared === '0') return new Uint8Array();
    const stream = nodeStreamOf(request);
    return stream === undefined ? new Uint8Array(await request.arrayBuffer()) : await readWhole(stream);
  }
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): Problem {
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
