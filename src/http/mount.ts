import type { Implementation } from '../service/implement.ts';
import type { H3Event } from 'h3';
import * as v from 'valibot';
import type { Actor, Caller, Guest } from '../service/actor.ts';
import { meets, requireScope } from '../service/actor.ts';
import { requireBotRoom } from '../service/bot.ts';
import type { Context, Repeatable, Waiting } from '../service/context.ts';
import { envelopes } from '../contract/envelope.ts';
import {
  limitOf,
  pathParameters,
  type Contract,
  type ReplyingOperation,
  type Operation,
} from '../contract/operation.ts';
import { rawFieldsOf } from '../contract/raw-json.ts';
import { Problem } from '../base/problem.ts';
import { basicCredentials, presentsBasic } from './basic-auth.ts';
import { networkOf } from './client-address.ts';
import { broughtReader, withKeys } from './header-fields.ts';
import { repeatableRequest } from './idempotency.ts';
import type { BytesHeld } from './byte-budget.ts';
import { actorFieldsOf, checkInput, inputReader } from './input.ts';
import type { LimitSubject } from './limits.ts';
import type { Intake } from './node-body.ts';
import { rawAnswer } from './raw-answer.ts';
import { LARGE, respondLarge } from './large-answer.ts';
import { respondText, type HeaderFields } from './respond.ts';
import type { Routes } from './routes.ts';
import type { Handle, Serving } from './serving.ts';
import { respondDownload } from './download.ts';
import { knownUpload } from './known-upload.ts';
import { openUpload } from './upload.ts';
import type { Download, Upload } from '../service/raw-bodies.ts';

type Service = (
  ctx: Context,
  actor: Actor | Guest,
  input: unknown,
  upload?: Upload,
  request?: Request,
) => Promise<unknown>;

/** Serves every operation of a contract with the function of the same name. */
export function mount<const C extends Contract>(
  routes: Routes,
  serving: Serving,
  contract: C,
  services: Implementation<C>,
): void {
  for (const [name, op] of Object.entries(contract)) {
    if (op.localOnly === true && !serving.trusted) continue;
    // Created at the first request. The schemas of hundreds of operations would delay the start of the server.
    let made: Handle | undefined;
    const handle: Handle = (...request) =>
      (made ??= handlerOf(serving, op, services[name as keyof C] as Service))(...request);
    // A GET route also answers HEAD, without the body. h3 would do so by itself if the path had no route for all methods.
    for (const method of op.method === 'GET' ? (['GET', 'HEAD'] as const) : [op.method]) {
      routes.on(method, op.path, (event) => serving.answer(event, op, handle));
    }
  }
}

function handlerOf(serving: Serving, op: Operation, service: Service): Handle {
  const read = inputReader(op, serving.jsonBodyLimit);
  const actorFields = actorFieldsOf(op);
  const { account: accountFields, guess } = limitOf(op);
  // Read operations do no heavy work unless they declare it (OVERLOADED). Their path should stay as fast as it is.
  const mayBeHeavy = op.method !== 'GET' || op.errors.includes('OVERLOADED');
  const inConversation = pathParameters(op.path).includes('conversationId');
  const envelope = envelopes[op.envelope];
  const readBrought = broughtReader(op);
  const raw = op.form === 'raw' ? [] : rawFieldsOf(op.reply);

  return async (event, ctx, caller, sent) => {
    let who: LimitSubject = { address: caller.address };
    let actor: Actor | Guest;
    try {
      actor = await identify(serving, op, ctx, event, caller);
    } catch (error) {
      // Requests with guessed tokens must count as well.
      await serving.limits.take(op, who, sent);
      throw error;
    }
    if (actor.kind === 'member')
      who = { address: caller.address, memberId: actor.memberId, bridge: actor.appPassword !== undefined };
    // Counted before a byte of the body is read: a client over the limit must not cost the reading of its body.
    await serving.limits.take(op, who, sent);
    // Programs have no session.
    if (actor.kind === 'member' && actor.sessionId !== '') ctx.realtime.seen(actor.memberId);
    // Of operations without a conversation in their path, the service checks which one it is about.
    if (actor.kind === 'member' && actor.bot !== undefined && op.bot !== undefined && inConversation)
      requireBotRoom(actor.bot, op.bot, event.context.params?.['conversationId']);
    const brought = readBrought?.(event.req.headers);
    if (brought !== undefined) actor = withKeys(actor, brought);
    const matched = { request: event.req, url: event.url, params: event.context.params };
    // Held while the request is processed: its bytes are in memory in one form or another.
    using held = serving.bytes.begin(who);
    const intake: Intake = {
      pace: serving.bodyPace,
      take: (bytes) => held.take(bytes),
      pass: (bytes) => held.pass(bytes),
    };
    const given = await read(matched, ctx.offload.of(ownerOf(who)), intake);
    const input = checkInput(
      op,
      event.req.method === 'HEAD' && op.head !== undefined ? { ...given, ...op.head } : given,
    );
    const tries =
      accountFields !== undefined && (guess === undefined || guess.some((name) => input[name] !== undefined));
    for (const field of actorFields) {
      if (input[field] !== undefined && input[field] !== (actor as Actor).memberId) {
        throw new Problem('forbidden', 'FORBIDDEN', `${field}: must be the member of the token`);
      }
    }
    const own = mayBeHeavy ? ownShare(ctx, ownerOf(who), waiting(event.req, held)) : ctx;
    const upload =
      op.form === 'json' ? undefined : openUpload(op, event.req, op.maxBody ?? serving.jsonBodyLimit(), intake);
    if (op.form === 'raw') {
      const perform = () => service(own, actor, input, upload, event.req);
      const download = (await (tries ? tried(serving, ctx, op, actor, input, sent, perform) : perform())) as
        | Download
        | Response;
      if (download instanceof Response) return withHeaders(download, sent);
      const failed = (error: unknown): void => {
        const requestId = sent['x-request-id'];
        ctx.log.error('download aborted', { requestId, operation: op.id, error });
      };
      return await respondDownload(event.req, op, download, { held, pace: serving.bodyPace, failed }, sent);
    }
    const key = brought?.idempotencyKey;
    const known = key === undefined || upload === undefined ? undefined : knownUpload(upload);
    const repeatable = key === undefined ? undefined : repeatableRequest(ctx, op, actor, key, input, known);
    const serve = () =>
      service(repeatable === undefined ? own : { ...own, repeatable }, actor, input, known?.upload ?? upload);
    const reply = await (tries ? tried(serving, ctx, op, actor, input, sent, serve) : serve());
    if (serving.checkReplies) await checkReply(own, op, reply, repeatable);
    const more = op.headers?.(reply);
    const headers = more === undefined ? sent : { ...sent, ...more };
    const { status, message } = op.outcomes?.of(reply) ?? op;
    const write = (what: unknown): string => JSON.stringify(envelope.success(what, message));
    const text = raw.length === 0 ? write(reply) : rawAnswer(reply as Record<string, unknown>, raw, write);
    return text.length < LARGE
      ? respondText(status, text, headers)
      : respondLarge(event.req, { held, pace: serving.bodyPace }, status, text, headers);
  };
}

/** The member or the address that the work of a request is counted for. */
function ownerOf({ memberId, address }: LimitSubject): string {
  return memberId ?? networkOf(address);
}

/** A context in which heavy work counts for this caller. */
function ownShare(ctx: Context, owner: string, caller: Waiting): Context {
  return { ...ctx, heavy: ctx.heavy.of(owner), offload: ctx.offload.of(owner), caller };
}

/** The only part of the request that services see. Its signal is created on first use. */
function waiting(request: Request, held: BytesHeld): Waiting {
  let reserved = 0;
  return {
    get signal() {
      return request.signal;
    },
    get origin() {
      return new URL(request.url).origin;
    },
    reserve(bytes) {
      if (bytes <= reserved) return;
      held.take(bytes - reserved);
      reserved = bytes;
    },
  };
}

/** For tests. @throws Error for a reply that does not match the contract, or if the service ignored an idempotency key */
async function checkReply(ctx: Context, op: ReplyingOperation, reply: unknown, repeatable?: Repeatable): Promise<void> {
  v.parse(op.reply, reply);
  if (repeatable === undefined) return;
  const kept = await repeatable.earlier(ctx.db).catch((error: unknown) => error);
  if (kept === undefined) throw new Error(`${op.id} accepts an Idempotency-Key and kept no reply`);
}

async function identify(
  serving: Serving,
  op: Operation,
  ctx: Context,
  event: H3Event,
  caller: Caller,
): Promise<Actor | Guest> {
  if (op.auth === 'none') return { kind: 'guest', ...caller };
  const authorization = event.req.headers.get('authorization');
  const actor = presentsBasic(op, authorization)
    ? await serving.checkAppPassword(ctx, { ...basicCredentials(authorization), scope: op.scope, caller })
    : await ofToken(serving, op, ctx, authorization, caller);
  if (actor.kind === 'guest') return actor;
  requireScope(actor, op.scope, op.bot);
  if (op.auth === 'member' || op.auth === 'optional') {
    if (actor.type === 'System')
      throw new Problem('forbidden', 'FORBIDDEN', 'The operator of the node is not a member.');
  } else if (!meets(actor.type, op.auth)) {
    throw new Problem('forbidden', 'FORBIDDEN', 'Your role does not allow this.');
  }
  return actor;
}

async function ofToken(
  serving: Serving,
  op: Operation,
  ctx: Context,
  authorization: string | null,
  caller: Caller,
): Promise<Actor | Guest> {
  const token = bearerToken(authorization);
  if (token === undefined) {
    if (op.auth === 'optional') return { kind: 'guest', ...caller };
    throw new Problem(
      'unauthenticated',
      'UNAUTHORIZED',
      'The request has no token. Send the header Authorization: Bearer <token>.',
    );
  }
  return await serving.authenticate(ctx, token, caller, { local: serving.trusted });
}

/** `Bearer <token>` or the raw token. */
function bearerToken(header: string | null): string | undefined {
  if (header === null) return undefined;
  const token = /^bearer(?:\s|$)/i.test(header) ? header.slice(6).trim() : header.trim();
  return token === '' ? undefined : token;
}

/** Performs an operation that tries an account, and counts the attempt on that account. */
async function tried(
  serving: Serving,
  ctx: Context,
  op: Operation,
  actor: Actor | Guest,
  input: Record<string, unknown>,
  sent: Record<string, string>,
  serve: () => Promise<unknown>,
): Promise<unknown> {
  const account = textIn(limitOf(op).account ?? [], input);
  const whose =
    actor.kind === 'member'
      ? { memberId: actor.memberId, account }
      : {
          account,
          address: actor.address,
          find: async () => await serving.memberNamed(ctx, account ?? '', actor.device),
        };
  const attempt = await serving.limits.attempt(op, whose, sent);
  try {
    const reply = await serve();
    await attempt.settle();
    return reply;
  } catch (error) {
    await attempt.settle(error);
    throw error;
  }
}

function textIn(fields: readonly string[], input: Record<string, unknown>): string | undefined {
  for (const field of fields) {
    const value = input[field];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function withHeaders(response: Response, headers: HeaderFields): Response {
  for (const [name, value] of Object.entries(headers))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
