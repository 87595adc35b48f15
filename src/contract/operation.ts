import type { GenericSchema, InferInput, InferOutput, ObjectEntries, ObjectSchema } from 'valibot';
import type { ErrorCode } from './error-codes.ts';
import type { LimitName } from './rates.ts';
import type { BotRight, Scope } from './scopes.ts';

/** The envelope of an answer: one for each service of the interface documents, and one for Conclave's own operations. */
export type EnvelopeName =
  | 'account'
  | 'filevault'
  | 'quorum'
  | 'passvault'
  | 'social'
  | 'email'
  | 'calendar'
  | 'system';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Roles. Capitalised names are member types; lower-case names are privileges that a role grants. */
export type RoleName = 'User' | 'Admin' | 'System' | 'admin' | 'member' | 'child' | 'system';

/** `any` is the default of the documents: one of the named roles is enough. */
export type RoleRequirement = { readonly any: readonly RoleName[] } | { readonly all: readonly RoleName[] };

export type Auth = 'none' | 'optional' | 'member' | RoleRequirement;

/** A reference to a named rate limit. `account` names the input field with the account to count for, in addition to the address. */
export interface LimitUse {
  readonly name: LimitName;
  readonly account?: readonly string[];
  /**
   * Input fields with a secret that guests try, such as the password of a link. Requests with one of them are attempts, on the account and
   * from the address, and only wrong ones stay counted. All requests count as those of operations without a limit of their own.
   */
  readonly guess?: readonly string[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the entries' own types are what inference is for; `any` is the top type here
export type InputSchema = ObjectSchema<any, undefined>;

interface Common<Id extends string, Access extends Auth, Input extends InputSchema> {
  /** `topic.verb`, unique in the whole contract; the operationId of OpenAPI and the name for `conclave call` */
  readonly id: Id;
  readonly method: Method;
  /** parameters are `:name`; a final `*name` matches the rest of the path */
  readonly path: string;
  readonly envelope: EnvelopeName;
  readonly auth: Access;
  readonly summary: string;
  readonly description?: string;
  /** flat: a name that occurs in the path is read from there; other names come from the query of a GET, or from the JSON body */
  readonly input: Input;
  readonly status: 200 | 201 | 202 | 204;
  /** codes in addition to those of every operation of its kind */
  readonly errors: readonly ErrorCode[];
  /** default: `read` for GET, `write` for the others */
  readonly limit?: LimitUse;
  /** bytes of the body; the default is 1 MiB */
  readonly maxBody?: number;
  /** marks a POST that creates something, if its status is not 201; see `acceptsIdempotencyKey` */
  readonly creates?: boolean;
  /** available only over the control socket and in process, never over TCP */
  readonly localOnly?: boolean;
  /** for a GET that counts something: input that a HEAD request has instead, so that it counts nothing */
  readonly head?: Readonly<Record<string, string>>;
  /** keys that clients may send in their own headers, in addition to the token; see `header-fields.ts` */
  readonly brings?: readonly ClientKey[];
  /** the scope that allows a limited token to call the operation; without it, only tokens of sign-ins may call it */
  readonly scope?: Scope;
  /** the right with which a bot token may call the operation, in the conversation `conversationId` of its path; without it, no bot token may */
  readonly bot?: BotRight;
}

/** How a success is reported. */
export interface Outcome {
  readonly status: 200 | 201 | 202;
  readonly message: string;
}

/** The reply of an operation, in the envelope that it names. */
interface Replies<Reply extends GenericSchema> {
  readonly reply: Reply;
  /** the `message` of a success, in envelopes that have one */
  readonly message: string;
  /** other kinds of success, if the reply decides; `of` returns the kind of a reply, if it is one of them */
  readonly outcomes?: {
    readonly others: readonly Outcome[];
    of(reply: InferOutput<Reply>): Outcome | undefined;
  };
  /** the reply contains secrets that are shown once (tokens, codes, phrases, keys), so it is never stored for a repeated request */
  readonly secretReply?: boolean;
  /** headers that repeat a part of the reply, or say how long caches may keep it */
  headers?(reply: InferOutput<Reply>): Record<string, string>;
}

/** A body that is not JSON. It is streamed, up to `maxBody` bytes. */
interface TakesBody {
  /** media types of the request (empty: no body); an asterisk accepts any type */
  readonly accepts: readonly string[];
  /** whether `Content-Digest` (RFC 9530) of a request is verified, and sent with an answer of bytes */
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

/** An operation that takes bytes and answers with JSON. Its fields are in the path, the query and headers. */
export interface UploadOperation<
  Id extends string = string,
  Access extends Auth = Auth,
  Input extends InputSchema = InputSchema,
  Reply extends GenericSchema = GenericSchema,
>
  extends Common<Id, Access, Input>, Replies<Reply>, TakesBody {
  readonly form: 'upload';
}

/** Answers with bytes, and takes bytes if it accepts a media type. Both are streamed. The implementation decides what is sent. */
export interface RawOperation<
  Id extends string = string,
  Access extends Auth = Auth,
  Input extends InputSchema = InputSchema,
>
  extends Common<Id, Access, Input>, TakesBody {
  readonly form: 'raw';
  /** media types of the success response */
  readonly produces: readonly string[];
  /** whether clients can request a part of the answer with `Range` */
  readonly ranges?: true;
}

export type ReplyingOperation = JsonOperation | UploadOperation;
export type BodyOperation = UploadOperation | RawOperation;
export type Operation = ReplyingOperation | RawOperation;

/** A service's operations, by the name of the implementing function. */
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

/** The rate limit of an operation that names none. */
export function limitOf(op: Operation): LimitUse {
  return op.limit ?? { name: op.method === 'GET' ? 'read' : 'write' };
}

/** The error codes for a wrong guess. Only these failures count against the attempts on an account. */
const guessFailures: ReadonlySet<string> = new Set([
  'INVALID_CREDENTIALS',
  'INVALID_BACKUP_CODE',
  'INVALID_MASTER_PASSWORD',
  'INVALID_SHARE',
  'LINK_PASSWORD_WRONG',
] satisfies ErrorCode[]);

export function isGuessFailure(code: string): boolean {
  return guessFailures.has(code);
}

/** Whether a success proves that the caller knew a secret. Such a success resets the attempts of the account. */
export function isGuess(op: Operation): boolean {
  return op.errors.some(isGuessFailure);
}

/**
 * Keys that a client stores and sends, 32 random bytes each. With `device`, the server recognises a machine that signed in before; this
 * machine has its own attempts, which strangers cannot use up. `unlockKey` is the client's half of the key that keeps vaults open. The
 * headers are in `header-fields.ts`.
 */
export type ClientKey = 'device' | 'unlockKey';

export function brings(op: Operation, key: ClientKey): boolean {
  return op.brings?.includes(key) ?? false;
}

/** Whether a repeated request gets the stored reply of the first one. */
export function keepsReply(op: Operation): boolean {
  return op.form !== 'raw' && op.secretReply !== true;
}

/** Members may repeat a creating POST with the same `Idempotency-Key` header without creating a second thing. */
export function acceptsIdempotencyKey(op: Operation): boolean {
  return (
    op.form !== 'raw' &&
    op.method === 'POST' &&
    op.auth !== 'none' &&
    op.localOnly !== true &&
    (op.creates ?? op.status === 201)
  );
}

/** A group of operations under other names: what several groups have alike is declared once. */
export type Prefixed<P extends string, C extends Contract> = {
  readonly [K in keyof C & string as `${P}${Capitalize<K>}`]: C[K];
};

export function prefixed<const P extends string, C extends Contract>(prefix: P, group: C): Prefixed<P, C> {
  const entries = Object.entries(group).map(([name, op]) => [
    `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    op,
  ]);
  return Object.fromEntries(entries) as Prefixed<P, C>;
}
