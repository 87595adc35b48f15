import * as v from 'valibot';
import { acceptsIdempotencyKey, pathParameters, type Operation } from '../contract/operation.ts';
import { rawFieldsOf } from '../contract/raw-json.ts';
import type { Offload } from '../service/ports/workers.ts';
import { fieldProblem, fieldsProblem, type FieldProblem } from '../base/problem.ts';
import { headerOf, inputHeaders } from '../contract/header-fields.ts';
import { inputHeaderReader } from './header-fields.ts';
import { messageOf } from './input-problem.ts';
import { jsonObjectAtHand, readJsonObject } from './json-body.ts';
import type { Intake } from './node-body.ts';
import type { GenericSchema } from 'valibot';

/** The data that h3 has about a matched request. */
export interface Matched {
  readonly request: Request;
  readonly url: URL;
  /** not yet decoded */
  readonly params: Readonly<Record<string, string>> | undefined;
}

/** @param offload parses a large body
 * @param intake the terms on which the body is read */
export type InputReader = (
  matched: Matched,
  offload: Offload,
  intake?: Intake,
) => Promise<Record<string, unknown>> | Record<string, unknown>;

/** The places of an operation's fields, by their names. */
export interface Places {
  readonly path: readonly string[];
  readonly header: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
  /** whether a JSON body is read; the body may have no field that is used */
  readonly hasJsonBody: boolean;
}

export function fieldsOf(op: Operation): Readonly<Record<string, v.GenericSchema>> {
  return op.input.entries as Record<string, v.GenericSchema>;
}

export function placesOf(op: Operation): Places {
  const path = pathParameters(op.path);
  const header = Object.keys(inputHeaders(op));
  const others = Object.keys(fieldsOf(op)).filter((name) => !path.includes(name) && !header.includes(name));
  // A DELETE without body fields has no body to read, and proxies drop a body that a client sends with it.
  const hasJsonBody = op.form === 'json' && op.method !== 'GET' && (others.length > 0 || op.method !== 'DELETE');
  return hasJsonBody
    ? { path, header, query: [], body: others, hasJsonBody }
    : { path, header, query: others, body: [], hasJsonBody };
}

/** A reader that takes an operation's flat input from the places that the contract says; it does not validate the input. */
export function inputReader(op: Operation, jsonBodyLimit: () => number): InputReader {
  const places = placesOf(op);
  const readHeaders = inputHeaderReader(op);
  const names = rawFieldsOf(op.input);
  const repeatable = acceptsIdempotencyKey(op);
  return ({ request, url, params }, offload, intake) => {
    const fromPath = places.path.length === 0 ? undefined : decodeParams(places.path, params);
    if (places.hasJsonBody) {
      const fromHeaders = readHeaders?.(request.headers);
      const whole = (body: Record<string, unknown>) => ({ ...body, ...fromHeaders, ...fromPath });
      const raw =
        names.length === 0 ? undefined : { names, hashed: repeatable && request.headers.has('idempotency-key') };
      const limit = op.maxBody ?? jsonBodyLimit();
      const atHand = jsonObjectAtHand(request, limit, intake, raw);
      if (atHand !== undefined) return whole(atHand);
      return readJsonObject(request, limit, offload, intake, raw).then(whole);
    }
    const fromQuery = places.query.length > 0 ? queryOf(url) : undefined;
    if (readHeaders !== undefined) return { ...fromQuery, ...readHeaders(request.headers), ...fromPath };
    return fromQuery === undefined ? (fromPath ?? {}) : { ...fromQuery, ...fromPath };
  };
}

function decodeParams(names: readonly string[], params: Matched['params']): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const name of names) {
    try {
      decoded[name] = decodeURIComponent(params?.[name] ?? '');
    } catch {
      throw fieldProblem(name, 'is not percent-encoded UTF-8');
    }
  }
  return decoded;
}

/** A name that occurs once becomes text, a repeated one becomes a list. */
function queryOf(url: URL): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    Object.defineProperty(query, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
    });
  }
  return query;
}

/** Maximum number of invalid fields that an answer names. It keeps the answer from being many times longer than the request. */
const FIELDS_NAMED = 20;

/**
 * The input as the schema returns it: without unknown fields, and with normalised texts.
 *
 * @throws Problem invalid VALIDATION_ERROR that names each invalid field (only the first ones of many) and never repeats its value
 */
export function checkInput(op: Operation, input: Record<string, unknown>): Record<string, unknown> {
  const result = v.safeParse<v.GenericSchema<unknown, Record<string, unknown>>>(op.input, input, {
    abortPipeEarly: true,
  });
  const lists = result.success ? listsAsObjects(op.input, input) : [];
  if (result.success && lists.length === 0) return result.output;
  const issues = result.issues ?? [];
  const fields: FieldProblem[] = [
    ...lists.slice(0, FIELDS_NAMED),
    ...issues.slice(0, FIELDS_NAMED).map((issue) => ({ path: placeOf(op, issue), message: messageOf(issue) })),
  ];
  throw fieldsProblem(fields, lists.length + issues.length - fields.length);
}

/** The name of a field as the sender knows it. For a field in a header it is the name of the header. */
function placeOf(op: Operation, issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  const schema = fieldsOf(op)[path];
  return (schema && headerOf(schema)) ?? path;
}

/** Names of the optional fields that must name the token's member if they are given. */
export function actorFieldsOf(op: Operation): readonly string[] {
  return Object.entries(fieldsOf(op))
    .filter(([, schema]) => isActorField(schema))
    .map(([name]) => name);
}

function isActorField(schema: v.GenericSchema): boolean {
  const wrapped = (schema as { wrapped?: v.GenericSchema }).wrapped ?? schema;
  return (v.getMetadata(wrapped) as { actor?: boolean }).actor === true;
}

type Schema = GenericSchema & {
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
};

/** The places with a list instead of an object. valibot accepts a list for an object without required fields. */
function listsAsObjects(schema: Schema, value: unknown, path = ''): FieldProblem[] {
  const { wrapped, type, entries, item } = schema;
  if (wrapped !== undefined) return listsAsObjects(wrapped, value, path);
  const below = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if (/^(?:(?:strict_|loose_)?object|record)$/.test(type) && Array.isArray(value))
    return [{ path, message: 'must be an object' }];
  if (entries !== undefined) {
    if (typeof value !== 'object' || value === null) return [];
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.entries(entries).flatMap(([name, entry]) => listsAsObjects(entry, fields[name], below(name)));
  }
  if (type === 'array' && item !== undefined && Array.isArray(value)) {
    return value.flatMap((one, at) => listsAsObjects(item, one, below(at)));
  }
  return [];
}
