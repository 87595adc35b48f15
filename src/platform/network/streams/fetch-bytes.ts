import type { Connection, Stream } from '@libp2p/interface';
import type { Log } from '../../../base/log.ts';
import { Problem } from '../../../base/problem.ts';
import { frameOf } from '../frames.ts';
import type { NetworkLimits } from '../limits.ts';
import type { GossipMetrics } from '../metrics.ts';
import type { FetchOptions, IncomingBytes, Peer } from '../../../service/ports/network.ts';
import { isDead, notOpened, protocolId, refusalIn, unreachable } from '../requests.ts';
import { openIntake, TooMuch, type Intake } from './intake.ts';
import { createPatience } from './patience.ts';
import type { Slots } from './slots.ts';
import { answerIn, bytesProtocol, type StreamAnswer } from './stream-head.ts';

export interface FetchParts {
  readonly limits: NetworkLimits;
  readonly metrics: GossipMetrics;
  readonly log: Log;
  readonly slots: Slots;
}

interface Fetch {
  readonly peer: Peer;
  readonly protocol: string;
  readonly question: unknown;
  readonly options: FetchOptions;
}

/** Opens a stream over a connection with an admitted node, and waits until the node has said what comes. */
export async function fetchOver(connection: Connection, fetch: Fetch, parts: FetchParts): Promise<IncomingBytes> {
  const { peer, options } = fetch;
  const { signal } = options;
  signal?.throwIfAborted();
  const slot = parts.slots.take(peer.nodeId);
  const over = new AbortController();
  let stream: Stream | undefined;
  const cancel = (): void => {
    over.abort(signal?.reason);
    stream?.abort(new Error('the stream is not wanted any more'));
  };
  signal?.addEventListener('abort', cancel, { once: true });
  function leave(): void {
    signal?.removeEventListener('abort', cancel);
    slot[Symbol.dispose]();
  }
  const late = setTimeout(() => cancel(), parts.limits.answerMs);
  try {
    stream = await open(connection, fetch.protocol, over.signal);
    const intake = openIntake(stream, parts.limits.streams.windowBytes);
    const answer = await ask(stream, intake, fetch, parts);
    return incoming({ stream, intake, answer, leave }, fetch, parts);
  } catch (error) {
    stream?.abort(new Error('the stream is over'));
    leave();
    signal?.throwIfAborted();
    if (isDead(error)) connection.abort(new Error('the connection is dead'));
    throw error instanceof Problem ? error : notOpened(error);
  } finally {
    clearTimeout(late);
  }
}

async function open(connection: Connection, protocol: string, signal: AbortSignal): Promise<Stream> {
  // With only one protocol, libp2p skips the negotiation, and an unknown protocol then looks like a broken connection.
  return await connection.newStream([bytesProtocol(protocol), protocolId('none')], { signal });
}

/** @throws Problem as `fetchBytes` of the port does */
async function ask(
  stream: Stream,
  intake: Intake,
  { peer, question, options }: Fetch,
  { limits, log }: FetchParts,
): Promise<StreamAnswer> {
  const { offset = 0, priority = 'bulk', maxBytes, hash } = options;
  stream.send(frameOf({ question, offset, priority, window: limits.streams.windowBytes }));
  const head = await intake.head();
  const told = (head ?? {}) as { answer?: unknown };
  const answer = answerIn(told.answer);
  if (answer === undefined) throw refusalIn(told);
  if (answer.size > maxBytes) {
    const words = `The content has ${answer.size} bytes, more than the ${maxBytes} that are allowed.`;
    throw new Problem('tooLarge', 'STREAM_TOO_LARGE', words);
  }
  if (answer.size < offset || (hash !== undefined && answer.hash !== hash)) {
    log.warn('a node offered other content than was asked for', { nodeId: peer.nodeId });
    throw differs(peer, 'offered other content than was asked for');
  }
  intake.expect(answer.size - offset);
  return answer;
}

/** A fault of the other node, which is named: asking it again is of no use. */
function differs({ nodeId }: Peer, what: string, cause?: unknown): Problem {
  return new Problem('invalid', 'STREAM_DIFFERS', `The node ${nodeId} ${what}.`, { cause });
}

interface Opened {
  readonly stream: Stream;
  readonly intake: Intake;
  readonly answer: StreamAnswer;
  readonly leave: () => void;
}

function incoming({ stream, intake, answer, leave }: Opened, fetch: Fetch, parts: FetchParts): IncomingBytes {
  const { peer, options } = fetch;
  const { limits, metrics, log } = parts;
  const patience = createPatience(limits.streams);
  let left = answer.size - (options.offset ?? 0);
  let begun = false;
  let over = false;

  function end(whole: boolean): void {
    if (over) return;
    over = true;
    leave();
    if (whole) {
      metrics.add('streams_fetched');
      stream.close().catch(() => stream.abort(new Error('closing took too long')));
    } else {
      metrics.add('streams_broken');
      stream.abort(new Error('the stream is over'));
    }
  }

  /** Waits for the end of the other side as well: only then it is sure that it sent nothing more. */
  async function next(): Promise<Uint8Array | undefined> {
    try {
      const piece = await patience.with(intake.next());
      patience.moved(piece?.length ?? 0);
      metrics.add('stream_bytes_fetched', piece?.length ?? 0);
      return piece;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof TooMuch) {
        log.warn('a node sent more bytes than it announced', { nodeId: peer.nodeId });
        throw differs(peer, 'sent more than it announced', error);
      }
      // Nothing is missing, however the stream ended.
      if (left === 0) return undefined;
      throw unreachable(error);
    }
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    if (begun) throw new Error('a stream can be read once');
    begun = true;
    try {
      for (let piece = await next(); piece !== undefined; piece = await next()) {
        left -= piece.length;
        yield piece;
      }
      if (left > 0) {
        options.signal?.throwIfAborted();
        // A node that stops closes its streams as if they were complete, so this is no sign of a fault.
        throw unreachable(new Error('a stream ended before its content'));
      }
      end(true);
    } finally {
      end(false);
    }
  }

  return {
    ...answer,
    [Symbol.asyncIterator]: pieces,
    [Symbol.asyncDispose]: () => Promise.resolve(end(false)),
  };
}
