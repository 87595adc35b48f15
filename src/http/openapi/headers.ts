import type { ReplyingOperation } from '../../contract/operation.ts';
import type { HeaderObject, Reference } from './types.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Headers of answers, by their names. */
export const headers = {
  'X-Request-Id': { description: 'The id of this request in the server log.', schema: text },
  'RateLimit-Limit': { description: 'Requests that are allowed in the period.', schema: count },
  'RateLimit-Remaining': { description: 'Requests that are left in the period.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next period.', schema: count },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: count },
  'WWW-Authenticate': {
    description: 'The way to authenticate: `Bearer`, or `Basic` if the request had it.',
    schema: text,
  },
} satisfies Record<string, HeaderObject>;

/** Headers of answers that are bytes. The document has them inline, because most documents use few of them. */
export const byteHeaders = {
  'Accept-Ranges': { description: 'Use `Range` to request a part.', schema: { const: 'bytes' } },
  'Content-Digest': { description: 'The hash of the sent bytes (RFC 9530), if it is known in advance.', schema: text },
  'Content-Range': { description: 'The range of the sent bytes, and the whole size.', schema: text },
  ETag: { description: 'Identifies this content, for `If-Range`.', schema: text },
  'Repr-Digest': { description: 'The hash of the whole content (RFC 9530), if it is known in advance.', schema: text },
} satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof headers;

export const rateLimitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

export function headerRefs(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const ofCaches = 'How long caches may keep the answer.';

/** The headers in which an operation repeats a part of its reply, and for how long that holds. The operation's function is called with a reply that has every field. */
export function repeatedHeaders(op: ReplyingOperation): Record<string, HeaderObject> {
  const names = Object.keys(op.headers?.(anything) ?? {});
  const about = (name: string) => (name === 'cache-control' ? ofCaches : 'Repeats a part of the reply.');
  return Object.fromEntries(names.map((name) => [name, { description: about(name), schema: text }]));
}

/** Has every property. Each property is the same object again, and its text is ''. */
const anything: unknown = new Proxy({}, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything) });
