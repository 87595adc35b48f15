import type { Readable } from 'node:stream';
import { Problem } from '../base/problem.ts';
import { streamingBegins, watchPace, type BodyPace } from './body-pace.ts';

/** Maximum memory of a streaming body, in bytes: the buffers of its connection, and the pieces that its reader doesn't have yet. */
export const STREAM_BYTES = 256 * 1024;
/** A stream stops when so much of it waits for its reader: stopping it for each piece costs as much as the piece. */
const WAITING_BYTES = 128 * 1024;
/** A piece takes at least so much memory, whatever its length. */
const PIECE_BYTES = 4096;

/**
 * Reads a stream of Node piece by piece. If the reader stops early, the stream stays as it is.
 * @throws Problem invalid VALIDATION_ERROR when it breaks off, REQUEST_TIMEOUT
 */
export async function* paced(stream: Readable, pace: BodyPace): AsyncGenerator<Uint8Array> {
  if (stream.destroyed || stream.readableEnded) throw brokenOff(stream.errored);
  const pieces: Buffer[] = [];
  let weight = 0;
  let failure: Error | undefined;
  let ended = false;
  let wake = (): void => {};
  const keep = (piece: Buffer): void => {
    pieces.push(piece);
    weight += weightOf(piece);
    if (weight >= WAITING_BYTES) stream.pause();
    wake();
  };
  const end = (): void => {
    ended = true;
    // The reader may take any time with what has arrived.
    stop();
    wake();
  };
  const breakOff = (error?: unknown): void => {
    if (!ended) failure ??= brokenOff(error);
    wake();
  };
  stream.pause();
  stream.emit(streamingBegins);
  const stop = watchPace(stream, pace, (problem) => {
    failure ??= problem;
    wake();
  });
  stream.on('data', keep).once('end', end).once('error', breakOff).once('close', breakOff);
  try {
    for (;;) {
      for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
        weight -= weightOf(piece);
        yield piece;
      }
      if (failure !== undefined) throw failure;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        stream.resume();
      });
    }
  } finally {
    stop();
    stream.off('data', keep).off('end', end).off('error', breakOff).off('close', breakOff);
    // The code that sends the answer discards the rest of the body.
    stream.pause();
  }
}

function weightOf({ length }: Buffer): number {
  return Math.max(length, PIECE_BYTES);
}

export function brokenOff(cause?: unknown): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', 'The body ended too early.', { cause });
}
