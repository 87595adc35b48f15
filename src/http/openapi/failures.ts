import { envelopes } from '../../contract/envelope.ts';
import { errorCodes, type ErrorCode } from '../../contract/error-codes.ts';
import {
  acceptsIdempotencyKey,
  keepsReply,
  limitOf,
  type Operation,
  type EnvelopeName,
} from '../../contract/operation.ts';
import { codeOfStatus } from '../../base/problem-status.ts';
import { fieldsOf, placesOf } from '../input.ts';
import { headerRefs, rateLimitHeaders, type HeaderName } from './headers.ts';
import type { FailureObject, Json } from './types.ts';

/** The error codes of an operation by their status: its own codes, and those of every operation of its kind. */
export function failuresOf(op: Operation): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([...generalCodes(op), ...op.errors]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function* generalCodes(op: Operation): Generator<ErrorCode> {
  const { hasJsonBody } = placesOf(op);
  const hasBody = hasJsonBody || (op.form !== 'json' && op.accepts.length > 0);
  if (hasBody || Object.keys(fieldsOf(op)).length > 0) yield 'VALIDATION_ERROR';
  if (op.auth !== 'none') yield* ['UNAUTHORIZED', 'FORBIDDEN', 'INSUFFICIENT_SCOPE'] as const;
  if (acceptsIdempotencyKey(op)) yield 'IDEMPOTENCY_KEY_REUSED';
  if (acceptsIdempotencyKey(op) && !keepsReply(op)) yield 'IDEMPOTENCY_REPLY_NOT_KEPT';
  if (op.form !== 'json' && op.accepts.length > 0 && op.digest === true) yield 'DIGEST_MISMATCH';
  if (op.form === 'raw' && op.ranges === true) yield 'RANGE_NOT_SATISFIABLE';
  if (hasBody) yield* ['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'OVERLOADED'] as const;
  yield* ['RATE_LIMITED', 'INTERNAL_ERROR', 'STORE_DAMAGED', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN'] as const;
  if (limitOf(op).name !== 'read') yield* ['STORE_FULL', 'STORE_GONE'] as const;
}

/** The component name of a failure: operations with the same codes share one component. */
export function failureName(envelope: EnvelopeName, codes: readonly ErrorCode[]): string {
  return [envelope, ...codes].join('.');
}

/**
 * Restricts the codes in the schema of a failure to these. The code is `error`; if that is an object, `error.code`, or `error.reason` where
 * `error.code` comes from the status.
 */
function withCodes(schema: Json, status: number, codes: readonly ErrorCode[]): Json {
  const { code, reason, error, ...others } = schema['properties'] as Readonly<Record<string, Json>>;
  const narrowed =
    code === undefined
      ? { error: error?.['type'] === 'object' ? withCodes(error, status, codes) : { ...error, enum: codes } }
      : reason === undefined
        ? { code: { ...code, enum: codes } }
        : { code: { ...code, const: codeOfStatus(status) }, reason: { ...reason, enum: codes } };
  return { ...schema, properties: { ...narrowed, ...others } };
}

export function failureObject(envelope: EnvelopeName, status: number, codes: readonly ErrorCode[]): FailureObject {
  const examples = codes.map((code) => {
    const fields = code === 'VALIDATION_ERROR' ? [{ path: 'field', message: 'is missing' }] : [];
    const value = envelopes[envelope].failure({ code, message: errorCodes[code].text, fields }, codeOfStatus(status));
    return [code, { summary: errorCodes[code].text, value }] as const;
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].text}`).join('\n\n'),
    headers: headerRefs(headersOf(status)),
    content: {
      'application/json': {
        schema: withCodes(envelopes[envelope].failureSchema, status, codes),
        examples: Object.fromEntries(examples),
      },
    },
    'x-error-codes': codes,
  };
}

function headersOf(status: number): HeaderName[] {
  switch (status) {
    case 401:
      return ['X-Request-Id', 'WWW-Authenticate'];
    case 429:
      return ['X-Request-Id', ...rateLimitHeaders, 'Retry-After'];
    case 503:
      return ['X-Request-Id', 'Retry-After'];
    default:
      return ['X-Request-Id'];
  }
}
