import type { ReplyingOperation } from '../../contract/operation.ts';
import type { HeaderObject, Reference } from './types.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Headers of answers, by their names. */
export const headers = {
  'X-Request-Id': { description: 'What the log of the server calls this request.', schema: text },
  'RateLimit-Limit': { description: 'Requests that the period allows.', schema: count },
  'RateLimit-Remaining': { description: 'Requests that are left of it.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the period begins again.', schema: count },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: count },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { const: 'Bearer' } },
} satisfies Record<string, HeaderObject>;

/** Headers of answers that are bytes. They stand where they are used: most documents have few of those. */
export const byteHeaders = {
  'Accept-Ranges': { description: 'A part can be asked for by `Range`.', schema: { const: 'bytes' } },
  'Content-Digest': { description: 'The hash of what is sent (RFC 9530), where it is known beforehand.', schema: text },
  'Content-Range': { description: 'Which bytes these are, and of how many.', schema: text },
  ETag: { description: 'What names this content and no other; for `If-Range`.', schema: text },
  'Repr-Digest': { description: 'The hash of the whole (RFC 9530), where it is known beforehand.', schema: text },
} satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof headers;

export const rateLimitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

export function headerRefs(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers in which an operation repeats a part of its reply: asked of the function itself, with a reply that has everything. */
export function repeatedHeaders(op: ReplyingOperation): Record<string, HeaderObject> {
  const names = Object.keys(op.headers?.(anything) ?? {});
  return Object.fromEntries(names.map((name) => [name, { description: 'Repeats a part of the reply.', schema: text }]));
}

/** Has every property, each of them like itself, and is '' as text. */
const anything: unknown = new Proxy({}, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything) });
