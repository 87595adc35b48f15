import { failedOf, LinkFailure, type Failed } from './failure.ts';
import type { Octets } from './octets.ts';
import type { Opened } from './opening.ts';
import { asItComes, plaintextOf } from './plaintext.ts';
import { openSource, type SourceRequest } from './source.ts';

/** A file that a person wants, as the page tells its worker. */
export interface Wanted {
  /** of the content */
  readonly url: string;
  readonly password: string | undefined;
  /** of the file, safe for a disk */
  readonly name: string;
  readonly size: number;
  /** bytes that the server sends */
  readonly sent: number;
  /** undefined if the server has decrypted it */
  readonly opened: Opened | undefined;
  readonly grant: string | undefined;
}

/** What a transfer has come to. */
export interface Told {
  /** `taken`: the browser reads it */
  readonly state: 'begun' | 'taken' | 'moving' | 'waiting' | 'done' | 'failed';
  /** bytes of the file that were given out */
  readonly done: number;
  /** for another try, so that it counts no access */
  readonly grant: string | undefined;
  readonly failed?: Failed;
}

/** Milliseconds between two reports. */
const REPORT_EVERY = 200;

/**
 * Begins a transfer, and gives out the file as a stream that is made as fast as it is read. What doesn't arrive whole and right ends the stream
 * with an error, never with its end. The first piece was decrypted when this returns, so a wrong key or a link that is used up begins nothing.
 *
 * @throws LinkFailure
 */
export async function beginTransfer(
  wanted: Wanted,
  { signal, tell, patience }: { signal: AbortSignal; tell: (told: Told) => void } & Pick<SourceRequest, 'patience'>,
): Promise<ReadableStream<Octets>> {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  const { url, password, sent, opened, size, grant } = wanted;
  let done = 0;
  let reported = 0;
  const source = openSource({
    url,
    password,
    grant,
    total: sent,
    signal: stop.signal,
    onBreak: (isBroken) => say(isBroken ? 'waiting' : 'moving'),
    ...(patience && { patience }),
  });
  const say = (state: Told['state'], failed?: Failed): void => {
    reported = Date.now();
    tell({ state, done, grant: source.grant, ...(failed && { failed }) });
  };
  await source.begin();
  const pieces = opened === undefined ? asItComes(source, size) : plaintextOf(source, opened);
  let first: IteratorResult<Octets, unknown> | undefined = await pieces.next();
  let over = false;
  const fail = (failed: Failed): void => {
    if (!over) say('failed', failed);
    over = true;
    stop.abort();
  };
  return new ReadableStream<Octets>(
    {
      start(controller) {
        stop.signal.addEventListener('abort', () => {
          if (over) return;
          controller.error(new LinkFailure('cancelled'));
          fail({ kind: 'cancelled' });
        });
        say('begun');
      },
      async pull(controller) {
        try {
          const next = first ?? (await pieces.next());
          first = undefined;
          if (over) return;
          if (next.done === true) {
            // The stream ends only here, when the last byte has been authenticated and counted.
            if (done !== size) throw new LinkFailure('damaged');
            controller.close();
            over = true;
            say('done');
            return;
          }
          done += next.value.length;
          if (next.value.length > 0) controller.enqueue(next.value);
          // A pull that enqueues nothing is not repeated by itself.
          else await this.pull?.(controller);
          if (Date.now() - reported >= REPORT_EVERY) say('moving');
        } catch (error) {
          if (over) return;
          controller.error(error);
          fail(failedOf(error));
        }
      },
      cancel() {
        fail({ kind: 'cancelled' });
      },
    },
    // One piece waits for the reader, one is being made.
    { highWaterMark: 1 },
  );
}
