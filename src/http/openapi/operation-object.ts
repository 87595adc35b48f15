import type { Config, Rate } from '../../config/config.ts';
import { envelopes } from '../../contract/envelope.ts';
import {
  acceptsIdempotencyKey,
  keepsReply,
  limitOf,
  brings,
  type BodyOperation,
  type Operation,
  type RawOperation,
  type ReplyingOperation,
  type RoleRequirement,
} from '../../contract/operation.ts';
import { placesOf } from '../input.ts';
import { failureName, failuresOf } from './failures.ts';
import { byteHeaders, headerRefs, rateLimitHeaders, repeatedHeaders } from './headers.ts';
import { entriesOf, type Schemas } from './components.ts';
import { exampleOf } from './example.ts';
import { inputJsonSchema, referenceTo, replyJsonSchema } from './json-schema.ts';
import { newEntryOperations } from './named-schemas.ts';
import type { Allowance, Content, Json, OperationObject, ParameterObject, RateLimit, SuccessObject } from './types.ts';

/** `:name` and `*name` are `{name}` in OpenAPI. */
export function openApiPath(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}');
}

/** @param schemas gets those that the operation has for itself alone */
export function operationObject(
  op: Operation,
  tag: string,
  limits: Config['limits'],
  schemas: Schemas,
): OperationObject {
  const places = placesOf(op);
  const input = inputJsonSchema(op.input);
  const properties = input['properties'] as Readonly<Record<string, Json>>;
  const required = new Set(input['required'] as readonly string[]);
  const body = bodyOf(op, places.body, properties, required, schemas);
  const failures = [...failuresOf(op)].map(
    ([status, codes]) =>
      [String(status), { $ref: `#/components/responses/${failureName(op.envelope, codes)}` }] as const,
  );
  return {
    operationId: op.id,
    tags: [tag],
    summary: op.summary,
    description: descriptionOf(op),
    security: securityOf(op),
    parameters: [
      ...places.path.map((name) => parameter(name, 'path', properties[name], true)),
      ...places.query.map((name) => parameter(name, 'query', properties[name], required.has(name))),
      ...places.header.map(([name, header]) => headerParameter(header, properties[name])),
      ...(acceptsIdempotencyKey(op) ? [keepsReply(op) ? idempotencyKey : idempotencyKeyOfSecrets] : []),
      ...(brings(op, 'unlockKey') ? [unlockKey] : []),
      ...(brings(op, 'device') ? [device] : []),
      ...(takesBody(op) && op.digest === true ? [contentDigest] : []),
      ...(op.form === 'raw' && op.ranges === true ? [range, ifRange] : []),
    ],
    ...(body !== undefined && { requestBody: body }),
    responses: { ...successesOf(op, schemas), ...Object.fromEntries(failures) },
    ...(typeof op.auth === 'object' && { 'x-required-roles': op.auth }),
    ...(op.scope !== undefined && { 'x-scope': op.scope }),
    'x-rate-limit': rateLimitOf(op, limits),
    ...((places.hasJsonBody || takesBody(op)) && { 'x-max-body-bytes': op.maxBody ?? limits.jsonBody }),
  };
}

const idempotencyKey: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat by the same member within 24 hours answers with the first result.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

const idempotencyKeyOfSecrets: ParameterObject = {
  ...idempotencyKey,
  description:
    'A repeat by the same member within 24 hours does nothing: the answer held secrets and was not kept (409 `IDEMPOTENCY_REPLY_NOT_KEPT`).',
};

const unlockKey: ParameterObject = {
  name: 'X-Vault-Unlock',
  in: 'header',
  required: false,
  description:
    'A key of the client: 32 random bytes in base64url. A vault that is opened, made or recovered with it stays open only for requests that bring the same one.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
};

const device: ParameterObject = {
  name: 'X-Device',
  in: 'header',
  required: false,
  description:
    'What makes this client known: 32 random bytes in base64url, kept like a password. Whoever signed in with it before has attempts of their own from it, which others who try the account cannot use up.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
};

const contentDigest: ParameterObject = {
  name: 'Content-Digest',
  in: 'header',
  required: false,
  description: 'SHA-256 or SHA-512 of the body (RFC 9530). Another body is refused, and nothing of it is kept.',
  schema: { type: 'string', examples: ['sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'] },
};

const range: ParameterObject = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'A part of the content (RFC 9110), such as `bytes=1000-`; several parts at once are not given.',
  schema: { type: 'string' },
};

const ifRange: ParameterObject = {
  name: 'If-Range',
  in: 'header',
  required: false,
  description: 'The `ETag` of the content of which the part is wanted; of another content everything comes.',
  schema: { type: 'string' },
};

function takesBody(op: Operation): op is BodyOperation {
  return op.form !== 'json' && op.accepts.length > 0;
}

/** What answers a `Range`. */
function partOf(op: RawOperation): Record<string, SuccessObject> {
  if (op.ranges !== true) return {};
  const { 'Content-Digest': _, ...ofPart } = bodyHeaders(op);
  const headers = {
    ...answerHeaders,
    ...ofPart,
    'Content-Range': byteHeaders['Content-Range'],
  };
  return { '206': { description: 'The part of it that was asked for', headers, content: binary(op.produces) } };
}

function bodyHeaders({ ranges, digest }: RawOperation): SuccessObject['headers'] {
  const { 'Accept-Ranges': acceptRanges, ETag, 'Repr-Digest': repr, 'Content-Digest': content } = byteHeaders;
  return {
    ...(ranges === true && { 'Accept-Ranges': acceptRanges, ETag }),
    ...(digest === true && { 'Repr-Digest': repr, 'Content-Digest': content }),
  };
}

function parameter(
  name: string,
  place: 'path' | 'query',
  schema: Json | undefined,
  required: boolean,
): ParameterObject {
  const { description, ...rest } = schema ?? {};
  return { name, in: place, required, ...(typeof description === 'string' && { description }), schema: rest };
}

function headerParameter(header: string, schema: Json | undefined): ParameterObject {
  const name = header.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return { ...parameter(name, 'query', schema, false), in: 'header' };
}

function bodyOf(
  op: Operation,
  names: readonly string[],
  properties: Readonly<Record<string, Json>>,
  required: ReadonlySet<string>,
  schemas: Schemas,
): OperationObject['requestBody'] {
  if (op.form !== 'json') {
    return op.accepts.length === 0 ? undefined : { required: true, content: binary(op.accepts) };
  }
  if (names.length === 0) return undefined;
  const needed = names.filter((name) => required.has(name));
  const object: Json = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
  };
  if (newEntryOperations.has(op.id)) schemas.add(entriesOf('NewEntry', object));
  const schema = newEntryOperations.has(op.id) ? { $ref: referenceTo('NewEntry') } : object;
  const example = exampleOf(schema, schemas.resolve);
  return { required: needed.length > 0, content: { 'application/json': { schema, example } } };
}

/** One for each status; where several outcomes have the same, their messages stand together. */
function successesOf(op: Operation, schemas: Schemas): Record<string, SuccessObject> {
  if (op.form === 'raw') {
    const headers = { ...answerHeaders, ...bodyHeaders(op) };
    return { [op.status]: { description: op.summary, headers, content: binary(op.produces) }, ...partOf(op) };
  }
  const messages = new Map<number, string[]>();
  for (const { status, message } of [op, ...(op.outcomes?.others ?? [])])
    messages.set(status, [...(messages.get(status) ?? []), message]);
  return Object.fromEntries(
    [...messages].map(([status, said]) => [status, successOf(op, status, said.join(' / '), schemas)]),
  );
}

const answerHeaders = headerRefs(['X-Request-Id', ...rateLimitHeaders]);

function successOf(op: ReplyingOperation, status: number, description: string, schemas: Schemas): SuccessObject {
  const described = { description, headers: { ...answerHeaders, ...repeatedHeaders(op) } };
  if (status === 204) return described;
  const schema = envelopes[op.envelope].successSchema(replyJsonSchema(op.reply));
  return { ...described, content: { 'application/json': { schema, example: exampleOf(schema, schemas.resolve) } } };
}

/** Bytes of these media types; OpenAPI 3.1 says them by leaving the schema empty. */
function binary(types: readonly string[]): Content {
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]));
}

function securityOf(op: Operation): Json[] {
  if (op.auth === 'none') return [];
  return op.auth === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function descriptionOf(op: Operation): string {
  const parts = [op.description, typeof op.auth === 'object' ? roleText(op.auth) : undefined];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function roleText(requirement: RoleRequirement): string {
  const [logic, roles] =
    'any' in requirement ? (['one', requirement.any] as const) : (['each', requirement.all] as const);
  const names = roles.map((role) => `\`${role}\``).join(', ');
  return roles.length === 1 ? `Needs the role ${names}.` : `Needs ${logic} of the roles ${names}.`;
}

function rateLimitOf(op: Operation, limits: Config['limits']): RateLimit {
  const { name, account } = limitOf(op);
  const { perAccount, perAddress } = limits.rates[name];
  return {
    name,
    enabled: limits.enabled,
    ...(perAccount !== undefined && { perAccount: allowance(perAccount) }),
    ...(perAddress !== undefined && { perAddress: allowance(perAddress) }),
    ...(account !== undefined && account.length > 0 && { accountFields: account }),
  };
}

function allowance({ points, seconds }: Rate): Allowance {
  return { requests: points, seconds };
}
