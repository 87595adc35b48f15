import type { Connection, Stream } from '@libp2p/interface';
import type { Log } from '../../../base/log.ts';
import { Problem } from '../../../base/problem.ts';
import { FrameError, frameOf, readFrame } from '../frames.ts';
import type { Gatekeeper } from '../gatekeeper.ts';
import type { NetworkLimits } from '../limits.ts';
import type { GossipMetrics } from '../metrics.ts';
import type { ByteSource, OutgoingBytes, Peer } from '../../../service/ports/network.ts';
import { problemReply, tellable } from '../requests.ts';
import type { Lane, Outlet } from './outlet.ts';
import { createPatience, StoodStill, type Patience } from './patience.ts';
import type { Slots } from './slots.ts';
import { HEAD_BYTES, questionIn, roomReader, type StreamQuestion } from './stream-head.ts';

export interface SendParts {
  readonly limits: NetworkLimits;
  readonly metrics: GossipMetrics;
  readonly log: Log;
  readonly gatekeeper: Gatekeeper;
  readonly slots: Slots;
  readonly outlets: { of(nodeId: string): Outlet; tidy(): void };
  /** undefined: the connection is being closed */
  readonly peerOf: (connection: Connection) => Promise<Peer | undefined>;
}

/** A piece with the header of Yamux fills four messages of Noise (65,535 bytes with a tag of 16), and fits into the first window of Yamux. */
const PIECE_BYTES = 4 * (65_535 - 16) - 12;
/** A piece is worth its cost from this size on; the least window of an asker leaves room for three. */
const LEAST_PIECE = 16 * 1024;

/** Answers one stream of another node. */
export async function answerStream(
  stream: Stream,
  connection: Connection,
  source: ByteSource,
  parts: SendParts,
): Promise<void> {
  const { metrics, limits } = parts;
  const peer = await parts.peerOf(connection);
  if (peer === undefined) return stream.abort(new Error('the connection is being closed'));
  if (!peer.admitted) {
    metrics.add('requests_not_admitted');
    if (!parts.gatekeeper.mayAsk(connection, peer.nodeId)) return stream.abort(new Error('too many requests'));
    return await refuse(stream, new Problem('forbidden', 'NOT_ADMITTED', 'This node is not admitted.'), limits);
  }
  try {
    using _ = parts.slots.take(peer.nodeId);
    const asked = await readQuestion(stream, limits);
    await sendAnswer(stream, { asked, peer, answer: await source.answer(asked.question, peer) }, parts);
  } catch (error) {
    metrics.add('streams_refused');
    await refuse(stream, tellable(error, peer, parts.log), limits);
  }
}

async function readQuestion(stream: Stream, limits: NetworkLimits): Promise<StreamQuestion> {
  try {
    const asked = questionIn(await readFrame(stream, HEAD_BYTES, limits.questionMs));
    if (asked !== undefined) return asked;
  } catch (error) {
    if (error instanceof FrameError && error.fault === 'size')
      throw new Problem('tooLarge', 'QUESTION_TOO_LARGE', 'The request is too large.');
  }
  throw new Problem('invalid', 'QUESTION_MALFORMED', 'The request is not JSON, or took too long.');
}

async function refuse(stream: Stream, problem: Problem, limits: NetworkLimits): Promise<void> {
  try {
    stream.send(frameOf(problemReply(problem)));
    await stream.close({ signal: AbortSignal.timeout(limits.answerMs) });
  } catch {
    stream.abort(new Error('the refusal was not taken'));
  }
}

interface Answered {
  readonly asked: StreamQuestion;
  readonly peer: Peer;
  readonly answer: OutgoingBytes;
}

/** @throws Problem before anything was sent; what goes wrong after that can only end the stream */
async function sendAnswer(stream: Stream, { asked, peer, answer }: Answered, parts: SendParts): Promise<void> {
  const { limits, metrics, log, outlets } = parts;
  if (asked.offset > answer.size)
    throw new Problem('invalid', 'STREAM_OFFSET', `The content has only ${answer.size} bytes.`);
  const lane = outlets.of(peer.nodeId).enter(stream, asked.priority);
  const over = new AbortController();
  stream.addEventListener('close', ({ error }) => over.abort(error ?? new Error('the stream has ended')));
  // The asker may have gone while its question was answered, and then nothing tells of it any more.
  if (stream.status !== 'open') over.abort(new Error('the stream has ended'));
  const patience = createPatience(limits.streams);
  const room = openRoom(stream, asked.window);
  try {
    over.signal.throwIfAborted();
    stream.send(frameOf({ answer: { size: answer.size, hash: answer.hash } }));
    // Nobody who reads nothing at all keeps a place longer than one who reads nothing more.
    if (!lane.isTaken()) await patience.with(lane.taken());
    const pieces = answer.open(asked.offset, over.signal);
    await sendPieces({ pieces, bytes: answer.size - asked.offset, room, lane, patience, metrics }, over.signal);
    await patience.with(stream.close());
    metrics.add('streams_sent');
    await patience.with(closed(stream));
  } catch (error) {
    metrics.add('streams_broken');
    // That the other side went is no news. What is wrong with the source is.
    if (error instanceof StoodStill) metrics.add('slow_peers_dropped');
    else if (!over.signal.aborted) log.error('sending a stream failed', { error, nodeId: peer.nodeId });
    stream.abort(error as Error);
  } finally {
    over.abort(new Error('the stream has ended'));
    lane[Symbol.dispose]();
    outlets.tidy();
  }
}

interface Sending {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  readonly room: Room;
  readonly lane: Lane;
  readonly patience: Patience;
  readonly metrics: GossipMetrics;
}

/** @param over aborted when the stream has ended; the source may take its time to notice */
async function sendPieces({ pieces, bytes, room, lane, patience, metrics }: Sending, over: AbortSignal): Promise<void> {
  const source = pieces[Symbol.asyncIterator]();
  let left = bytes;
  try {
    for (;;) {
      const found = await unlessOver(source.next(), over);
      if (found.done === true) break;
      left -= found.value.length;
      if (left < 0) throw new Error('a source gives more bytes than it announced');
      for (let rest = found.value; rest.length > 0;) {
        const most = Math.min(rest.length, PIECE_BYTES);
        if (!room.isThere(most)) await patience.with(room.wait(most));
        const piece = rest.subarray(0, room.take(most));
        await lane.send(piece);
        if (!lane.isTaken()) await patience.with(lane.taken());
        patience.moved(piece.length);
        metrics.add('stream_bytes_sent', piece.length);
        rest = rest.subarray(piece.length);
      }
    }
    if (left > 0) throw new Error('a source gives fewer bytes than it announced');
  } finally {
    // A source that still waits for its disk gets this when it has it.
    void source.return?.().catch(() => undefined);
  }
}

/** `Promise.race` would remember every piece until the stream has ended. */
async function unlessOver<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

interface Room {
  /** whether there is room that is worth a piece, for at most so many bytes */
  isThere(most: number): boolean;
  /** @throws Error when the stream has ended */
  wait(most: number): Promise<void>;
  take(most: number): number;
}

function openRoom(stream: Stream, first: number): Room {
  const read = roomReader();
  let left = first;
  let wake: (() => void) | undefined;
  let over = false;
  const isThere = (most: number): boolean => left >= Math.min(most, LEAST_PIECE);
  stream.addEventListener('message', ({ data }) => {
    left += read(data.subarray());
    wake?.();
  });
  stream.addEventListener('close', () => {
    over = true;
    wake?.();
  });
  return {
    isThere,
    async wait(most) {
      while (!isThere(most)) {
        if (over) throw new Error('the stream has ended');
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    take(most) {
      const taken = Math.min(most, left);
      left -= taken;
      return taken;
    },
  };
}

async function closed(stream: Stream): Promise<void> {
  if (stream.status !== 'open' && stream.status !== 'closing') return;
  await new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }));
}
