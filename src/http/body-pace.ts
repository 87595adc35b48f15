import type { Readable } from 'node:stream';
import type { Config } from '../config/config.ts';
import { Problem } from '../problem.ts';

/**
 * The event of a request whose body streams from now on: its pace is looked after here, so it may take as long as it comes, and the time
 * for a whole request doesn't count.
 */
export const streamingBegins = 'conclave:streaming';

export type BodyPace = Config['server']['bodyPace'];

/**
 * Looks after every `graceMs` whether enough of a body has come since. A client whose bytes aren't read at the moment is not slow.
 *
 * @param tooSlow told once
 * @returns what ends the looking
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
      timer = setTimeout(() => look(true), pace.graceMs);
    } else if (again) {
      // This process may have been busy for so long: what has come meanwhile is read before the next look.
      timer = setTimeout(() => setImmediate(() => look(false)));
    } else {
      stop();
      tooSlow(new Problem('invalid', 'REQUEST_TIMEOUT', 'The body arrived too slowly.'));
    }
  };
  timer = setTimeout(() => look(true), pace.graceMs);
  const stop = (): void => {
    clearTimeout(timer);
    stream.off('data', count);
    stopped = true;
  };
  return stop;
}
