import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ServerRequest } from 'srvx';
import { gatherPieces } from '../base/pieces.ts';
import { watchPace, type BodyPace } from './body-pace.ts';

/** The terms on which a body is read. */
export interface Intake {
  /** called with a number of bytes before they are kept; it throws to refuse them */
  take(bytes: number): void;
  /** called with the bytes of a stream that its reader is done with */
  pass(bytes: number): void;
  readonly pace: BodyPace;
}

/** The stream from which Node's server reads the request; undefined for a request without a connection. */
export function nodeStreamOf(request: ServerRequest): Readable | undefined {
  return request.runtime?.node?.req;
}

/** Whether a body arrived together with the head of its request, and is still unread. */
export function hasArrived(stream: Readable): boolean {
  return (stream as Partial<IncomingMessage>).complete === true && !stream.readableDidRead && !stream.destroyed;
}

/**
 * The rest of a stream. Its source limits its length. `Request.arrayBuffer()` does the same, but needs a web request, stream and signal.
 * Together these are a third of the cost of a small POST.
 *
 * @throws Error when the stream ends early, or has been read already
 */
export function readWhole(stream: Readable, { take, pace }: Partial<Intake> = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const brokenOff = (): void => reject(stream.errored ?? new Error('the stream was closed before its end'));
    // Such a stream emits no more events.
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
        // A stream that has ended emits `close` too. Creating an error costs more than everything else here.
        if (!stream.readableEnded) brokenOff();
      });
  });
}
