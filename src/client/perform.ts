import { safeParse } from 'valibot';
import { envelopes, type Envelope } from '../contract/envelope.ts';
import type {
  ClientKey,
  JsonOperation,
  Operation,
  RawInputOf,
  ReplyingOperation,
  ReplyOf,
} from '../contract/operation.ts';
import { RawJson, rawFieldsOf } from '../contract/raw-json.ts';
import { membersOf } from '../base/json-text.ts';
import { kindOfStatus, Problem } from '../base/problem.ts';
import { requestOf } from './request.ts';
import type { Transport, WireReply } from './transport.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** A caller of a server: its transport and its credentials. */
export interface Caller {
  readonly transport: Transport;
  /** the target of the calls, for messages */
  readonly place: string;
  readonly userAgent: string;
  /** the bearer token for an operation, or undefined if it needs none */
  tokenFor(operation: Operation): Promise<string | undefined>;
  /**
   * The value in base64url for an operation that takes a key of the client. Before a device key is sent, the server must have proven its
   * key.
   * @throws Problem network
   */
  keyFor?(key: ClientKey, operation: Operation): Promise<string | undefined>;
  /** called if the server no longer accepts a token */
  refused?(token: string): Promise<void>;
}

/** Bytes. The limit is far above any JSON answer. It prevents another kind of server from filling the memory. */
const longestAnswer = 64 * 1024 * 1024;

/**
 * Performs an operation and returns its reply, checked against the contract.
 *
 * @throws Problem from the server, or network if there was no usable answer
 */
export async function perform<O extends JsonOperation>(
  caller: Caller,
  operation: O,
  input: RawInputOf<O>,
  signal?: AbortSignal,
): Promise<ReplyOf<O>> {
  const reply = await answered(caller, operation, input, { accept: 'application/json' }, signal);
  return await replyIn(caller, operation, reply);
}

/** Reads the server's reply and checks it against the contract. @throws Problem network if it does not match */
export async function replyIn<O extends ReplyingOperation>(
  caller: Caller,
  operation: O,
  reply: WireReply,
): Promise<ReplyOf<O>> {
  const bytes = await bytesOf(reply, caller.place);
  // An answer without a body says everything by its status.
  if (operation.status === 204 && bytes.length === 0) return checked(operation, null, caller.place);
  const raw = rawFieldsOf(operation.reply);
  const envelope = envelopes[operation.envelope];
  if (raw.length > 0) return checked(operation, replyWithRaw(envelope, bytes, raw), caller.place);
  return checked(operation, envelope.reply(parseJson(bytes.toString('utf8'))), caller.place);
}

/** A reply of which some properties stay JSON. @returns undefined if the answer is not JSON, or in another envelope */
function replyWithRaw(envelope: Envelope, bytes: Buffer, names: readonly string[]): unknown {
  try {
    const { found, rest } = membersOf(bytes, names, envelope.inside);
    const reply = envelope.reply(JSON.parse(rest.toString('utf8')));
    if (typeof reply !== 'object' || reply === null) return undefined;
    const parts = [...found].map(([name, { start, end }]) => [
      name,
      new RawJson(new Uint8Array(bytes.subarray(start, end))),
    ]);
    return { ...reply, ...Object.fromEntries(parts) };
  } catch {
    return undefined;
  }
}

/** Parts of a request other than its input. */
export interface Accompanied {
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
}

/** Sends a request and returns the successful answer. The caller must read or discard its body. */
export async function answered(
  caller: Caller,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { accept, headers: more = {}, body }: Accompanied,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  const token = await caller.tokenFor(operation);
  const brought: Record<string, unknown> = {};
  for (const key of operation.brings ?? []) brought[key] = await caller.keyFor?.(key, operation);
  const request = requestOf(operation, { ...input, ...brought });
  const headers: Record<string, string> = { ...request.headers, ...more, accept, 'user-agent': caller.userAgent };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  const reply = await caller.transport.send({ ...request, headers, ...(body && { body }) }, signal);
  if (reply.status >= 200 && reply.status < 300) return reply;
  const failure = parseJson((await bytesOf(reply, caller.place)).toString('utf8'));
  const problem = await problemOf(envelopes[operation.envelope], reply, failure, caller.place);
  // A wrong password has the same status, and must not delete the sign-in.
  if (problem.code === 'UNAUTHORIZED' && token !== undefined) await caller.refused?.(token);
  throw problem;
}

function checked<O extends ReplyingOperation>(operation: O, reply: unknown, place: string): ReplyOf<O> {
  const result = safeParse(operation.reply, reply);
  if (!result.success) {
    throw new Problem(
      'network',
      'BAD_REPLY',
      `${place} answered ${operation.id} in a format that this program does not know. One of them may be older.`,
    );
  }
  return result.output as ReplyOf<O>;
}

async function problemOf(envelope: Envelope, reply: WireReply, body: unknown, place: string): Promise<Problem> {
  const failure = envelope.failed(body);
  const kind = kindOfStatus(reply.status);
  if (failure === undefined) {
    return new Problem(
      'network',
      'BAD_REPLY',
      `${place} answered with status ${reply.status}, but not like a Conclave server. Check the address.`,
    );
  }
  const seconds = wholeNumber(reply.headers['retry-after']) ?? 0;
  const { codeFrom } = await import('../base/problem-codes.ts');
  const code = codeFrom(failure.code);
  // A newer server may send a code that this program does not know. It is shown as it is.
  const message = code === 'UNKNOWN' ? `${failure.message} (${failure.code})` : failure.message;
  return new Problem(kind, code, message, {
    fields: failure.fields,
    ...(failure.details !== undefined && { details: failure.details }),
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  });
}

async function bytesOf(reply: WireReply, place: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > longestAnswer) throw new Problem('network', 'BAD_REPLY', `The answer of ${place} is too large.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
