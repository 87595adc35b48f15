import * as v from 'valibot';
import type { Config } from '../../config/config.ts';
import type { Rate } from '../../config/kinds.ts';
import { envelopes } from '../../contract/envelope.ts';
import { declaredHeadersOf, headerOf } from '../../contract/header-fields.ts';
import {
  limitOf,
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

/** OpenAPI writes `:name` and `*name` as `{name}`. */
export function openApiPath(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}');
}

/** @param schemas gets the schemas that only this operation has */
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
      ...headerParameters(op),
    ],
    ...(body !== undefined && { requestBody: body }),
    responses: { ...successesOf(op, schemas), ...Object.fromEntries(failures) },
    ...(typeof op.auth === 'object' && { 'x-required-roles': op.auth }),
    ...(op.scope !== undefined && { 'x-scope': op.scope }),
    ...(op.bot !== undefined && { 'x-bot-scope': op.bot }),
    'x-rate-limit': rateLimitOf(op, limits),
    ...((places.hasJsonBody || takesBody(op)) && { 'x-max-body-bytes': op.maxBody ?? limits.jsonBody }),
  };
}

function takesBody(op: Operation): op is BodyOperation {
  return op.form !== 'json' && op.accepts.length > 0;
}

/** The answer to a `Range`. */
function partOf(op: RawOperation): Record<string, SuccessObject> {
  if (op.ranges !== true) return {};
  const { 'Content-Digest': _, ...ofPart } = bodyHeaders(op);
  const headers = {
    ...answerHeaders,
    ...ofPart,
    'Content-Range': byteHeaders['Content-Range'],
  };
  return { '206': { description: 'The requested part', headers, content: binary(op.produces) } };
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
  place: ParameterObject['in'],
  schema: Json | undefined,
  required: boolean,
): ParameterObject {
  const { description, ...rest } = schema ?? {};
  return { name, in: place, required, ...(typeof description === 'string' && { description }), schema: rest };
}

function headerParameters(op: Operation): ParameterObject[] {
  const fields = declaredHeadersOf(op);
  const { properties, required } = inputJsonSchema(v.object(fields)) as {
    readonly properties: Readonly<Record<string, Json>>;
    readonly required: readonly string[];
  };
  return Object.entries(fields).map(([name, schema]) =>
    parameter(headerOf(schema) ?? name, 'header', properties[name], required.includes(name)),
  );
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

/** One success for each status. Outcomes with the same status share one, with all of their messages. */
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

/** Bytes of these media types. OpenAPI 3.1 describes bytes by an empty schema. */
function binary(types: readonly string[]): Content {
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]));
}

function securityOf(op: Operation): Json[] {
  if (op.auth === 'none') return [];
  const ways = [
    { bearer: [] },
    ...(op.scope === undefined ? [] : [{ appPassword: [] }]),
    ...(op.bot === undefined ? [] : [{ botToken: [] }]),
  ];
  return op.auth === 'optional' ? [{}, ...ways] : ways;
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
  const { name, account, guess } = limitOf(op);
  const { perAccount, perAddress } = limits.rates[name];
  return {
    name,
    enabled: limits.enabled,
    ...(perAccount !== undefined && { perAccount: allowance(perAccount) }),
    ...(perAddress !== undefined && { perAddress: allowance(perAddress) }),
    ...(account !== undefined && account.length > 0 && { accountFields: account }),
    ...(guess !== undefined && { guesses: true }),
  };
}

function allowance({ points, seconds }: Rate): Allowance {
  return { requests: points, seconds };
}
