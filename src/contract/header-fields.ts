import * as v from 'valibot';
import { acceptsIdempotencyKey, keepsReply, type ClientKey, type Operation } from './operation.ts';

/**
 * The fields of operations that travel in headers of a request. A schema names its header by the metadata `header`. Such fields are in an
 * operation's own input, and in its other declarations: keys of the client, the idempotency key, and headers about the body.
 */
export type HeaderFields = Readonly<Record<string, v.GenericSchema>>;

/** @returns the header of a field, in its documented spelling; undefined for a field of the path, the query or the body */
export function headerOf(schema: v.GenericSchema): string | undefined {
  const inner = (schema as { readonly wrapped?: v.GenericSchema }).wrapped ?? schema;
  return (v.getMetadata(inner) as { readonly header?: string }).header;
}

/** Input fields that travel in headers, such as `If-Match`. */
export function inputHeaders(op: Operation): HeaderFields {
  const fields = Object.entries(op.input.entries as HeaderFields);
  return Object.fromEntries(fields.filter(([, schema]) => headerOf(schema) !== undefined));
}

/** Header values of a request that are not part of the input. The node and the actor use them; the service does not receive them. */
export function broughtHeaders(op: Operation): HeaderFields {
  const keys = (op.brings ?? []).map((key): readonly [string, v.GenericSchema] => [key, clientKeys[key]]);
  const repeat = acceptsIdempotencyKey(op) && { idempotencyKey: idempotencyKeyOf(op) };
  return { ...repeat, ...Object.fromEntries(keys) };
}

/** Headers about the body. The code that reads or writes the body handles them. */
export function bodyHeaders(op: Operation): HeaderFields {
  const digested = op.form !== 'json' && op.accepts.length > 0 && op.digest === true;
  const ranged = op.form === 'raw' && op.ranges === true;
  return { ...(digested && { contentDigest }), ...(ranged && { range, ifRange }) };
}

/** All header fields of an operation. */
export function headerFieldsOf(op: Operation): HeaderFields {
  return { ...inputHeaders(op), ...broughtHeaders(op), ...bodyHeaders(op) };
}

/** Those that are documented as headers. Which types a request may ask for by `Accept` stands with the answers, and every browser may send it. */
export function declaredHeadersOf(op: Operation): HeaderFields {
  const fields = Object.entries(headerFieldsOf(op));
  return Object.fromEntries(fields.filter(([, schema]) => headerOf(schema)?.toLowerCase() !== 'accept'));
}

/** A key of 32 random bytes from a client. Error messages do not repeat it. */
function clientKey(header: string, description: string) {
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url, without padding'),
      // The description comes before the transformation, because later metadata would describe the transformed value.
      v.description(description),
      v.metadata({ header, secret: true }),
      v.transform((text) => new Uint8Array(Buffer.from(text, 'base64url'))),
    ),
  );
}

const clientKeys = {
  device: clientKey(
    'X-Device',
    'Identifies this client: 32 random bytes in base64url, to be stored like a password. A client that signed in before has its own attempts, which others who try the account cannot use up.',
  ),
  unlockKey: clientKey(
    'X-Vault-Unlock',
    'A key of the client: 32 random bytes in base64url. A vault that is opened, created or recovered with it is open only for requests with the same key.',
  ),
} satisfies Readonly<Record<ClientKey, v.GenericSchema>>;

const repeatKey = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters'),
  v.metadata({ header: 'Idempotency-Key' }),
);

function idempotencyKeyOf(op: Operation) {
  const answered = keepsReply(op)
    ? 'A repeat by the same member within 24 hours gets the first result.'
    : 'A repeat by the same member within 24 hours changes nothing. The answer had secrets, so it was not stored (409 `IDEMPOTENCY_REPLY_NOT_KEPT`).';
  const compared =
    op.form === 'upload'
      ? ' Another body with the same key is refused. If `Content-Digest` has its SHA-256, the body is not read.'
      : '';
  return v.optional(v.pipe(repeatKey, v.description(answered + compared)));
}

const contentDigest = v.optional(
  v.pipe(
    v.string(),
    v.description(
      'SHA-256 or SHA-512 of the body (RFC 9530). A body that does not match is refused, and nothing is stored.',
    ),
    v.examples(['sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:']),
    v.metadata({ header: 'Content-Digest' }),
  ),
);

const range = v.optional(
  v.pipe(
    v.string(),
    v.description('A part of the content (RFC 9110), such as `bytes=1000-`. Only one part can be requested.'),
    v.metadata({ header: 'Range' }),
  ),
);

const ifRange = v.optional(
  v.pipe(
    v.string(),
    v.description(
      'The `ETag` of the content that the part belongs to. If the content is another one, the answer has all of it.',
    ),
    v.metadata({ header: 'If-Range' }),
  ),
);
