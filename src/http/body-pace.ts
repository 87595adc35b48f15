import type { Readable } from 'node:stream';
import type { Config } from '../config/config.ts';
import { Problem } from '../base/problem.ts';

/**
 * The event that a request emits when its body begins to stream. From then on `watchPace` checks its pace. The body may take any time at
 * this pace, and the time limit for a whole request no longer applies.
 */
export const streamingBegins = 'conclave:streaming';

export type BodyPace = Config['server']['bodyPace'];

/**
 * Checks every `graceMs` whether enough of a body has arrived since the last check. A client is not slow while the server doesn't read its
 * bytes. A reader may leave a stream where it is, and Node reports no end of such a body: the checks keep no process alive.
 *
 * @param tooSlow called once
 * @returns a function that ends the checks
 */
export function watchPace(stream: Readable, pace: BodyPace, tooSlow: (problem: Problem) => void): () => void {
  const wanted = (pace.bytesPerSecond * pace.graceMs) / 1000;
  let since = 0;
  const count = (chunk: Buffer): void => void (since += chunk.length);
  stream.on('data', count);
  let timer: NodeJS.Timeout;
  let stopped = false;
  const look = (again: boolean): void => {
    if (stopped) return;
    if (since >= wanted || stream.isPaused()) {
      since = 0;
      timer = setTimeout(() => look(true), pace.graceMs).unref();
    } else if (again) {
      // This process may have been busy all that time. The bytes that arrived meanwhile are read before the next check.
      timer = setTimeout(() => setImmediate(() => look(false)));
    } else {
      stop();
      tooSlow(new Problem('invalid', 'REQUEST_TIMEOUT', 'The body arrived too slowly.'));
    }
  };
  timer = setTimeout(() => look(true), pace.graceMs).unref();
  const stop = (): void => {
    clearTimeout(timer);
    stream.off('data', count);
    stopped = true;
  };
  return stop;
}
