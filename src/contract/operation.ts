import type { GenericSchema, InferInput, InferOutput, ObjectEntries, ObjectSchema } from 'valibot';
import type { ErrorCode } from './error-codes.ts';
import type { LimitName } from './rates.ts';
import type { Scope } from './scopes.ts';

/** Which envelope an answer travels in; one per service of the interface documents, and one for the house itself. */
export type EnvelopeName = 'account' | 'filevault' | 'quorum' | 'passvault' | 'social' | 'calendar' | 'system';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Names of roles are the member types; lower-case names are the privileges that a role grants. */
export type RoleName = 'User' | 'Admin' | 'System' | 'admin' | 'member' | 'child' | 'system';

/** `any` is the documents' default logic: one of the named roles suffices. */
export type RoleRequirement = { readonly any: readonly RoleName[] } | { readonly all: readonly RoleName[] };

export type Auth = 'none' | 'optional' | 'member' | RoleRequirement;

/** The named rate limits of the configuration. `account` names the input field that says whose limit is meant, beside the address. */
export interface LimitUse {
  readonly name: LimitName;
  readonly account?: readonly string[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the entries' own types are what inference is for; `any` is the top type here
export type InputSchema = ObjectSchema<any, undefined>;

interface Common<Id extends string, Access extends Auth, Input extends InputSchema> {
  /** `topic.verb`, unique in the whole contract; the operationId of OpenAPI and the name for `conclave call` */
  readonly id: Id;
  readonly method: Method;
  /** parameters as `:name`; a last `*name` takes the rest of the path */
  readonly path: string;
  readonly envelope: EnvelopeName;
  readonly auth: Access;
  readonly summary: string;
  readonly description?: string;
  /** flat: names that occur in the path come from there, the rest from the query of a GET and from the JSON body otherwise */
  readonly input: Input;
  readonly status: 200 | 201 | 202 | 204;
  /** codes beside those that every operation of its kind may answer */
  readonly errors: readonly ErrorCode[];
  /** default: `read` for GET, `write` for the others */
  readonly limit?: LimitUse;
  /** bytes of the body, where 1 MiB isn't the limit */
  readonly maxBody?: number;
  /** a POST that creates something, where the status (201) doesn't say so by itself; see `acceptsIdempotencyKey` */
  readonly creates?: boolean;
  /** only over the control socket and in process, never over TCP */
  readonly localOnly?: boolean;
  /** what clients may bring in headers of their own, beside the token; see `header-fields.ts` */
  readonly brings?: readonly ClientKey[];
  /** which tokens with a narrower right than a sign-in's may call it as well; none, unless it says so */
  readonly scope?: Scope;
}

/** How a success is told. */
export interface Outcome {
  readonly status: 200 | 201 | 202;
  readonly message: string;
}

/** What is answered in the envelope that it names. */
interface Replies<Reply extends GenericSchema> {
  readonly reply: Reply;
  /** the `message` that envelopes with one carry on success */
  readonly message: string;
  /** further ways to succeed, where the reply decides; `of` says which of them a reply is, if it is one */
  readonly outcomes?: {
    readonly others: readonly Outcome[];
    of(reply: InferOutput<Reply>): Outcome | undefined;
  };
  /** the reply holds what is shown once (tokens, codes, phrases, keys): it is never kept for a repeat */
  readonly secretReply?: boolean;
  /** headers that repeat a part of the reply */
  headers?(reply: InferOutput<Reply>): Record<string, string>;
}

/** A body that isn't JSON: it streams, as large as `maxBody` allows. */
interface TakesBody {
  /** media types of the request (empty: no body); an asterisk takes any type */
  readonly accepts: readonly string[];
  /** `Content-Digest` (RFC 9530) is compared on the way in, and sent with an answer of bytes */
  readonly digest?: true;
}

export interface JsonOperation<
  Id extends string = string,
  Access extends Auth = Auth,
  Input extends InputSchema = InputSchema,
  Reply extends GenericSchema = GenericSchema,
>
  extends Common<Id, Access, Input>, Replies<Reply> {
  readonly form: 'json';
}

/** Bytes in, a reply like that of others out. Fields stand in the path, the query and headers. */
export interface UploadOperation<
  Id extends string = string,
  Access extends Auth = Auth,
  Input extends InputSchema = InputSchema,
  Reply extends GenericSchema = GenericSchema,
>
  extends Common<Id, Access, Input>, Replies<Reply>, TakesBody {
  readonly form: 'upload';
}

/** Bytes out, and in where it accepts some: they stream, and the implementation says what goes out. */
export interface RawOperation<
  Id extends string = string,
  Access extends Auth = Auth,
  Input extends InputSchema = InputSchema,
>
  extends Common<Id, Access, Input>, TakesBody {
  readonly form: 'raw';
  /** media types of the success response */
  readonly produces: readonly string[];
  /** a part of the answer can be asked for by `Range` */
  readonly ranges?: true;
}

export type ReplyingOperation = JsonOperation | UploadOperation;
export type BodyOperation = UploadOperation | RawOperation;
export type Operation = ReplyingOperation | RawOperation;

/** A service's operations by the name of the function that implements each. */
export type Contract = Readonly<Record<string, Operation>>;

export type InputOf<O extends Operation> = InferOutput<O['input']>;
export type RawInputOf<O extends Operation> = InferInput<O['input']>;
export type ReplyOf<O extends Operation> = O extends {
  readonly form: 'json' | 'upload';
  readonly reply: infer R extends GenericSchema;
}
  ? InferOutput<R>
  : never;

export function operation<
  const Id extends string,
  const Access extends Auth,
  Entries extends ObjectEntries,
  Reply extends GenericSchema,
>(
  declared: Omit<JsonOperation<Id, Access, ObjectSchema<Entries, undefined>, Reply>, 'form'>,
): JsonOperation<Id, Access, ObjectSchema<Entries, undefined>, Reply> {
  return { form: 'json', ...declared };
}

export function uploadOperation<
  const Id extends string,
  const Access extends Auth,
  Entries extends ObjectEntries,
  Reply extends GenericSchema,
>(
  declared: Omit<UploadOperation<Id, Access, ObjectSchema<Entries, undefined>, Reply>, 'form'>,
): UploadOperation<Id, Access, ObjectSchema<Entries, undefined>, Reply> {
  return { form: 'upload', ...declared };
}

export function rawOperation<const Id extends string, const Access extends Auth, Entries extends ObjectEntries>(
  declared: Omit<RawOperation<Id, Access, ObjectSchema<Entries, undefined>>, 'form'>,
): RawOperation<Id, Access, ObjectSchema<Entries, undefined>> {
  return { form: 'raw', ...declared };
}

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/[:*](\w+)/g)].flatMap((match) => match[1] ?? []);
}

/** The limit that an operation counts against when it names none. */
export function limitOf(op: Operation): LimitUse {
  return op.limit ?? { name: op.method === 'GET' ? 'read' : 'write' };
}

/** The error codes for a wrong guess. Only these failures count against the attempts on an account. */
const guessFailures: ReadonlySet<string> = new Set([
  'INVALID_CREDENTIALS',
  'INVALID_BACKUP_CODE',
  'INVALID_MASTER_PASSWORD',
  'INVALID_SHARE',
] satisfies ErrorCode[]);

export function isGuessFailure(code: string): boolean {
  return guessFailures.has(code);
}

/** Whether a success of the operation says that whoever performed it knew a secret: it gives the account its attempts back. */
export function isGuess(op: Operation): boolean {
  return op.errors.some(isGuessFailure);
}

/**
 * What a client has and sends of itself: 32 random bytes each. By `device` it is known again where it signed in before, and has attempts
 * of its own that strangers can't use up; `unlockKey` is its half of what keeps vaults open. Their headers stand in `header-fields.ts`.
 */
export type ClientKey = 'device' | 'unlockKey';

export function brings(op: Operation, key: ClientKey): boolean {
  return op.brings?.includes(key) ?? false;
}

/** Whether a repeat is answered as the first request was. */
export function keepsReply(op: Operation): boolean {
  return op.form !== 'raw' && op.secretReply !== true;
}

/** Creating POSTs of members may be repeated with the same `Idempotency-Key` header without creating a second thing. */
export function acceptsIdempotencyKey(op: Operation): boolean {
  return (
    op.form !== 'raw' &&
    op.method === 'POST' &&
    op.auth !== 'none' &&
    op.localOnly !== true &&
    (op.creates ?? op.status === 201)
  );
}
