import type { Readable } from 'node:stream';
import { Problem } from '../problem.ts';
import { streamingBegins, watchPace, type BodyPace } from './body-pace.ts';

/** Maximum memory of a streaming body, in bytes: the buffers of its connection, and the current piece. */
export const STREAM_BYTES = 256 * 1024;

/**
 * Reads a stream of Node piece by piece. If the reader stops early, the stream stays as it is.
 * @throws Problem invalid VALIDATION_ERROR when it breaks off, REQUEST_TIMEOUT
 */
export async function* paced(stream: Readable, pace: BodyPace): AsyncGenerator<Uint8Array> {
  if (stream.destroyed || stream.readableEnded) throw brokenOff(stream.errored);
  const pieces: Buffer[] = [];
  let failure: Error | undefined;
  let ended = false;
  let wake = (): void => {};
  const keep = (piece: Buffer): void => {
    pieces.push(piece);
    stream.pause();
    wake();
  };
  const end = (): void => {
    ended = true;
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
      for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece;
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

export function brokenOff(cause?: unknown): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', 'The body ended too early.', { cause });
}
