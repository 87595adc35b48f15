import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ServerRequest } from 'srvx';
import { gatherPieces } from '../pieces.ts';
import { watchPace, type BodyPace } from './body-pace.ts';

/** On what terms a body is read. */
export interface Intake {
  /** told of bytes before they are kept; what it throws refuses them */
  take(bytes: number): void;
  readonly pace: BodyPace;
}

/** What Node's server reads the request from; undefined for one that came in no connection. */
export function nodeStreamOf(request: ServerRequest): Readable | undefined {
  return request.runtime?.node?.req;
}

/** Whether a body came together with the head of its request, and nobody has begun to read it. */
export function hasArrived(stream: Readable): boolean {
  return (stream as Partial<IncomingMessage>).complete === true && !stream.readableDidRead && !stream.destroyed;
}

/**
 * All that is left of a stream, which its source bounds. Through `Request.arrayBuffer()` the same takes a request, a stream and a
 * signal of the web, which together are a third of all that a small POST costs.
 *
 * @throws Error when the stream ends before its time, or has been read already
 */
export function readWhole(stream: Readable, { take, pace }: Partial<Intake> = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const brokenOff = (): void => reject(stream.errored ?? new Error('the stream was closed before its end'));
    // It would say nothing any more.
    if (stream.destroyed || stream.readableEnded) {
      brokenOff();
      return;
    }
    const pieces = gatherPieces();
    function refuse(problem: Error): void {
      stop?.();
      // The rest of the body is discarded, so the connection can be used for the next request.
      stream.off('data', keep).resume();
      pieces.clear();
      reject(problem);
    }
    function keep(chunk: Buffer): void {
      try {
        take?.(chunk.length);
        pieces.add(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    }
    const stop = pace === undefined ? undefined : watchPace(stream, pace, refuse);
    stream
      .on('data', keep)
      .once('end', () => {
        stop?.();
        resolve(pieces.whole());
      })
      .once('error', reject)
      .once('close', () => {
        stop?.();
        // What came to its end closes too, and an error costs more than all else here.
        if (!stream.readableEnded) brokenOff();
      });
  });
}
