import type { EnvelopeName } from './operation.ts';

/** The content of a failure, common to all envelopes. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly fields: readonly { readonly path: string; readonly message: string }[];
  /** what programs need of the failure, such as the id of what is there already; the description of its code names them */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** A service's format of answers: a writer for the server, a reader for the client, and its JSON Schema. */
export interface Envelope {
  success(reply: unknown, message: string): unknown;
  /** the property that holds the reply; undefined: the properties of the reply stand on the first level */
  readonly inside?: string;
  /** @returns undefined if the body is not in this envelope */
  reply(body: unknown): unknown;
  /** @param general the code that comes from the status alone, which some envelopes have beside the other */
  failure(failure: Failure, general: string): unknown;
  /** @returns undefined if the body is not in this envelope */
  failed(body: unknown): Failure | undefined;
  successSchema(reply: Json): Json;
  readonly failureSchema: Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = { type: 'string' };
const fieldList = {
  type: 'array',
  items: { type: 'object', required: ['path', 'message'], properties: { path: text, message: text } },
};

const detailsObject = {
  type: 'object',
  additionalProperties: text,
  description: 'what the description of the code names, for programs',
};

function object(properties: Json, optional: Json = {}): Json {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

function fieldsOf(value: unknown): Failure['fields'] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((field) => ({ path: String(field['path']), message: String(field['message']) }));
}

const flatFailure = {
  failure: ({ message, code, fields }: Failure) => ({
    message,
    error: code,
    ...(fields.length > 0 && { errors: fields }),
  }),
  failed: (body: unknown) =>
    isObject(body) && typeof body['message'] === 'string' && typeof body['error'] === 'string'
      ? { code: body['error'], message: body['message'], fields: fieldsOf(body['errors']) }
      : undefined,
  failureSchema: object({ message: text, error: text }, { errors: fieldList }),
};

function detailsOf(value: unknown): Pick<Failure, 'details'> {
  if (!isObject(value)) return {};
  return { details: Object.fromEntries(Object.entries(value).map(([name, said]) => [name, String(said)])) };
}

/**
 * `{error: {code, message}}` with fixed properties that mark the failure.
 * @param reasoned whether `code` comes from the status, and `reason` has the code that says more
 */
function nestedFailure(mark: Json, reasoned = false) {
  return {
    failure: ({ code, message, fields, details }: Failure, general: string) => ({
      ...mark,
      error: {
        ...(reasoned ? { code: general, reason: code } : { code }),
        message,
        ...(fields.length > 0 && { errors: fields }),
        ...(details !== undefined && { details }),
      },
    }),
    failed: (body: unknown) => {
      const error = isObject(body) ? body['error'] : undefined;
      return isObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string'
        ? {
            // Servers before this had the code that says more in `code`.
            code: reasoned && typeof error['reason'] === 'string' ? error['reason'] : error['code'],
            message: error['message'],
            fields: fieldsOf(error['errors']),
            ...detailsOf(error['details']),
          }
        : undefined;
    },
    failureSchema: object({
      ...Object.fromEntries(Object.entries(mark).map(([name, value]) => [name, { const: value }])),
      error: object(
        { code: text, ...(reasoned && { reason: text }), message: text },
        { errors: fieldList, details: detailsObject },
      ),
    }),
  };
}

/** The properties of the reply, in addition to a `message`. */
const withMessage = {
  success: (reply: unknown, message: string) => ({ message, ...(reply as Json) }),
  reply: (body: unknown) => {
    if (!isObject(body) || typeof body['message'] !== 'string') return undefined;
    const { message: _, ...reply } = body;
    return reply;
  },
  successSchema: (reply: Json) => ({
    ...reply,
    required: ['message', ...((reply['required'] as string[] | undefined) ?? [])],
    properties: { message: text, ...(reply['properties'] as Json | undefined) },
  }),
};

const bare = {
  success: (reply: unknown) => reply,
  reply: (body: unknown) => body,
  successSchema: (reply: Json) => reply,
};

const answered = {
  inside: 'data',
  success: (data: unknown, message: string) => ({ status: 'success', data, message }),
  reply: (body: unknown) => (isObject(body) && body['status'] === 'success' ? body['data'] : undefined),
  successSchema: (data: Json) => object({ status: { const: 'success' }, data, message: text }),
};

export const envelopes: Readonly<Record<EnvelopeName, Envelope>> = {
  account: { ...withMessage, ...flatFailure },
  filevault: { ...bare, ...flatFailure },
  quorum: { ...withMessage, ...nestedFailure({}) },
  passvault: {
    inside: 'data',
    success: (data) => ({ success: true, data }),
    reply: (body) => (isObject(body) && body['success'] === true ? body['data'] : undefined),
    successSchema: (data) => object({ success: { const: true }, data }),
    ...nestedFailure({ success: false }),
  },
  social: { ...answered, ...nestedFailure({ status: 'error' }, true) },
  email: { ...answered, ...nestedFailure({ status: 'error' }) },
  calendar: { ...bare, ...nestedFailure({ status: 'error' }) },
  system: { ...bare, ...flatFailure },
};

const prefixes: readonly (readonly [string, EnvelopeName])[] = [
  ['/api/user', 'account'],
  ['/api/admin', 'account'],
  ['/filevault', 'filevault'],
  ['/api/quorum', 'quorum'],
  ['/api/passvault', 'passvault'],
  ['/api/social', 'social'],
  ['/api/conversations', 'social'],
  ['/api/chat', 'social'],
  ['/api/groups', 'social'],
  ['/api/channels', 'social'],
  ['/api/presence', 'social'],
  ['/api/emails', 'email'],
  ['/api/cal', 'calendar'],
  ['/api/contacts', 'calendar'],
];

/** The service that a path belongs to. Answers to paths without an operation need it. */
export function envelopeNameOf(path: string): EnvelopeName {
  return prefixes.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'system';
}
