import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import type { Log } from '../../base/log.ts';
import { codeFrom, type ProblemCode } from '../../base/problem-codes.ts';
import { Problem, problemKinds, type ProblemKind } from '../../base/problem.ts';
import { FrameError, frameOf, readFrame } from './frames.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import type { NetworkLimits } from './limits.ts';
import type { Peer, Responder } from '../../service/ports/network.ts';
import type { GossipMetrics } from './metrics.ts';

/** The reply to a question: an answer, or the problem that prevented it. */
type Reply =
  | { readonly answer: unknown }
  | { readonly problem: { readonly kind: ProblemKind; readonly code: ProblemCode; readonly message: string } };

const PROTOCOL = /^[a-z0-9-]{1,40}$/;
const MAX_MESSAGE = 500;

/** @param area a part of the name of its own for what isn't a question with one answer */
export function protocolId(protocol: string, area = ''): string {
  if (!PROTOCOL.test(protocol)) throw new Error('the name of a protocol is lower-case letters, digits and dashes');
  return `/conclave/${area}${protocol}/1`;
}

export interface AnsweringOptions {
  readonly limits: NetworkLimits;
  readonly metrics: GossipMetrics;
  readonly log: Log;
  readonly gatekeeper: Gatekeeper;
  /** undefined: the connection is being closed */
  readonly peerOf: (connection: Connection) => Promise<Peer | undefined>;
}

/** Answers the questions of other nodes. Every stream carries one question and one answer. */
export async function answerRequests(
  libp2p: Libp2p,
  responders: ReadonlyMap<string, Responder>,
  options: AnsweringOptions,
): Promise<void> {
  const asking = new Map<string, number>();
  let strangersAsking = 0;
  for (const [protocol, responder] of responders) {
    const atOnce = responder.atOnce ?? options.limits.requestsAtOnce;
    /** Over all connections of a node: with the size of a question, this bounds the memory that its questions take. */
    const running = new Map<string, number>();
    await libp2p.handle(
      protocolId(protocol),
      async (stream, connection) => {
        const peer = await options.peerOf(connection);
        if (peer === undefined) return stream.abort(new Error('the connection is being closed'));
        const stranger = !peer.admitted;
        const ofPeer = running.get(peer.nodeId) ?? 0;
        if (ofPeer >= atOnce) {
          options.metrics.add('requests_limited');
          return await send(stream, { problem: tooManyAtOnce() }, options);
        }
        if (stranger) {
          const now = { ofPeer: asking.get(peer.nodeId) ?? 0, ofAll: strangersAsking };
          const refusal = refusalOf(connection, peer, responder, now, options);
          if (refusal !== undefined) return await send(stream, { problem: refusal }, options);
          asking.set(peer.nodeId, now.ofPeer + 1);
          strangersAsking += 1;
        }
        running.set(peer.nodeId, ofPeer + 1);
        try {
          return await answer(stream, peer, responder, options);
        } finally {
          oneLess(running, peer.nodeId);
          if (stranger) {
            oneLess(asking, peer.nodeId);
            strangersAsking -= 1;
          }
        }
      },
      { maxInboundStreams: atOnce, maxOutboundStreams: 64 },
    );
  }
}

function oneLess(counts: Map<string, number>, nodeId: string): void {
  const left = (counts.get(nodeId) ?? 1) - 1;
  if (left > 0) counts.set(nodeId, left);
  else counts.delete(nodeId);
}

function tooManyAtOnce(): Problem {
  return new Problem('tooMany', 'RATE_LIMITED', 'Too many requests at once. Try again later.');
}

function refusalOf(
  connection: Connection,
  peer: Peer,
  responder: Responder,
  asking: { readonly ofPeer: number; readonly ofAll: number },
  { limits, metrics, gatekeeper }: AnsweringOptions,
): Problem | undefined {
  // The question is counted even if it is refused, because a refusal costs time, too.
  if (!gatekeeper.mayAsk(connection, peer.nodeId) || asking.ofAll >= limits.strangers.connections) {
    metrics.add('requests_limited');
    return new Problem('tooMany', 'RATE_LIMITED', 'Too many requests. Try again later.');
  }
  if (asking.ofPeer >= limits.strangers.requestsAtOnce) {
    metrics.add('requests_limited');
    return tooManyAtOnce();
  }
  if (responder.strangers) return undefined;
  metrics.add('requests_not_admitted');
  return new Problem('forbidden', 'NOT_ADMITTED', 'This node is not admitted.');
}

async function answer(stream: Stream, peer: Peer, responder: Responder, options: AnsweringOptions): Promise<void> {
  const { limits, metrics } = options;
  const timeMs = peer.admitted ? limits.questionMs : limits.strangers.questionMs;
  let question: unknown;
  try {
    question = await readFrame(stream, responder.maxBytes ?? limits.questionBytes, timeMs);
  } catch (error) {
    metrics.add('requests_malformed');
    const large = error instanceof FrameError && error.fault === 'size';
    const problem = large
      ? new Problem('tooLarge', 'QUESTION_TOO_LARGE', 'The request is too large.')
      : new Problem('invalid', 'QUESTION_MALFORMED', 'The request is not JSON, or took too long.');
    await send(stream, { problem }, options);
    return;
  }
  const given = new AbortController();
  const giveUp = (): void => given.abort(new Error('nobody waits for the answer any more'));
  stream.addEventListener('close', giveUp);
  if (stream.status !== 'open') giveUp();
  const reply = await replyTo(question, peer, responder, given.signal, options);
  stream.removeEventListener('close', giveUp);
  if (given.signal.aborted) metrics.add('requests_cancelled');
  else await send(stream, reply, options);
}

async function replyTo(
  question: unknown,
  peer: Peer,
  responder: Responder,
  signal: AbortSignal,
  { metrics, log }: AnsweringOptions,
): Promise<Reply> {
  try {
    const given = await responder.answer(question, peer, signal);
    metrics.add('requests_answered');
    return { answer: given ?? null };
  } catch (error) {
    // What stops because of the signal may throw its reason, and nobody is told.
    if (signal.aborted) return { answer: null };
    metrics.add('requests_refused');
    return { problem: tellable(error, peer, log) };
  }
}

/** What another node is told of an error: a problem as it is, and nothing of any other. */
export function tellable(error: unknown, { nodeId }: Peer, log: Log): Problem {
  if (error instanceof Problem && error.kind !== 'internal') return error;
  log.error('answering a request of another node failed', { error, nodeId });
  return new Problem('internal', 'INTERNAL', 'The node could not answer the request.');
}

/** The fields of a problem that another node is told. */
export function problemReply({ kind, code, message }: Extract<Reply, { problem: unknown }>['problem']): Reply {
  return { problem: { kind, code, message } };
}

async function send(stream: Stream, reply: Reply, { limits, metrics }: AnsweringOptions): Promise<void> {
  const told = 'problem' in reply ? problemReply(reply.problem) : reply;
  try {
    stream.send(frameOf(told));
    await stream.close({ signal: AbortSignal.timeout(limits.answerMs) });
  } catch (error) {
    if (error instanceof Error && /Abort|Timeout/.test(error.name)) metrics.add('slow_peers_dropped');
    stream.abort(new Error('the answer was not taken'));
  }
}

/**
 * Asks a question over an open connection.
 * @param cancel ends the question on both sides
 * @throws Problem unavailable PEER_UNREACHABLE, invalid PEER_REFUSED; the reason of `cancel`
 */
export async function ask(
  connection: Connection,
  protocol: string,
  payload: unknown,
  limits: NetworkLimits,
  cancel?: AbortSignal,
): Promise<unknown> {
  cancel?.throwIfAborted();
  const late = AbortSignal.timeout(limits.answerMs);
  const signal = cancel === undefined ? late : AbortSignal.any([late, cancel]);
  let stream: Stream | undefined;
  const end = (): void => stream?.abort(new Error('the question is over'));
  cancel?.addEventListener('abort', end);
  let reply: unknown;
  try {
    // With only one protocol, libp2p skips the negotiation, and an unknown protocol then looks like a broken connection.
    stream = await connection.newStream([protocolId(protocol), protocolId('none')], { signal });
    stream.send(frameOf(payload));
    reply = await readFrame(stream, limits.answerBytes, limits.answerMs);
    await stream.close({ signal }).catch(() => stream?.abort(new Error('closed')));
  } catch (error) {
    end();
    cancel?.throwIfAborted();
    // The connection still counts as open, but it can't carry streams any more. Without the abort, the dialer would not make a new one.
    if (isDead(error)) connection.abort(new Error('the connection is dead'));
    throw notOpened(error);
  } finally {
    cancel?.removeEventListener('abort', end);
  }
  return answerOf(reply);
}

/** Why a question was not answered. */
export function notOpened(error: unknown): Problem {
  if (error instanceof Error && error.name === 'UnsupportedProtocolError')
    return refused('The node does not support this protocol.', error);
  return unreachable(error);
}

/** Whether a question failed before it was sent, because the connection was already closed. */
export function isDead(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConnectionClosedError';
}

/** Whether the connection, or the stream of a question, ended before the answer came. */
export function isLost(error: unknown): boolean {
  return error instanceof Problem && error.code === 'PEER_UNREACHABLE' && !isSilence(error);
}

/** Whether a question got no answer in time, while its connection stood. */
export function isSilence(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (cause instanceof FrameError) return cause.fault === 'late';
  return cause instanceof Error && /Abort|Timeout/.test(cause.name);
}

function answerOf(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) throw unreachable(new FrameError('format'));
  if ('answer' in reply) return reply.answer;
  throw refusalIn(reply);
}

/** The problem that the other node told, as one of this node. */
export function refusalIn(reply: object): Problem {
  const problem = 'problem' in reply ? (reply.problem as Record<string, unknown> | null) : null;
  const { kind, code, message } = problem ?? {};
  if (typeof message !== 'string') return unreachable(new FrameError('format'));
  const known = typeof kind === 'string' && Object.hasOwn(problemKinds, kind) ? (kind as ProblemKind) : 'internal';
  const words = escapeForTerminal(message);
  return refused(words, new Problem(known, codeFrom(code), words));
}

/** Removes control characters, because the message of another node may be shown on a terminal. */
function escapeForTerminal(text: string): string {
  return text.replaceAll(/\p{C}/gu, '').slice(0, MAX_MESSAGE);
}

function refused(message: string, cause: unknown): Problem {
  return new Problem('invalid', 'PEER_REFUSED', message, { cause });
}

export function unreachable(cause: unknown): Problem {
  return new Problem('unavailable', 'PEER_UNREACHABLE', 'The node cannot be reached, or did not answer in time.', {
    cause,
  });
}
