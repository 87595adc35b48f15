import type { Stream } from '@libp2p/interface';
import { gatherPieces } from '../../../base/pieces.ts';
import { FrameError, frameReader } from '../frames.ts';
import { HEAD_BYTES, roomFor } from './stream-head.ts';

/** What arrives on a fetched stream: a frame, and then bytes that wait until they are taken. */
export interface Intake {
  /** the first frame. @throws FrameError; Error when the stream ended */
  head(): Promise<unknown>;
  /** how many bytes may follow the frame; call it as soon as the frame says so */
  expect(bytes: number): void;
  /** everything that waits; undefined: the other side has sent all it had. @throws TooMuch; Error when the stream was reset */
  next(): Promise<Uint8Array | undefined>;
}

/** The other side sent more than it announced, or more than there was room for. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';

  constructor() {
    super('a stream has more bytes than announced');
  }
}

/** Room is told in parts of the window, because each message about it costs as much as a small piece. */
const PARTS = 2;

/** @param window bytes that the asker said it has room for */
export function openIntake(stream: Stream, window: number): Intake {
  const head = frameReader(HEAD_BYTES, { before: true });
  const pieces = gatherPieces();
  let frame: { readonly value: unknown } | undefined;
  let waiting = 0;
  let room = window;
  let untold = 0;
  let left = Number.POSITIVE_INFINITY;
  let end: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;

  function finish(error?: Error): void {
    end ??= error === undefined ? {} : { error };
    wake?.();
  }

  function fail(error: Error): void {
    pieces.clear();
    waiting = 0;
    // What is wrong with the bytes counts more than how the stream ended.
    end = { error };
    stream.abort(error);
    wake?.();
  }

  function take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    waiting += bytes.length;
    room -= bytes.length;
    left -= bytes.length;
    if (room < 0 || left < 0) fail(new TooMuch());
    else pieces.add(bytes);
  }

  stream.addEventListener('close', ({ error }) => finish(error));
  stream.addEventListener('remoteCloseWrite', () => finish());
  stream.addEventListener('message', ({ data }) => {
    if (end?.error !== undefined) return;
    try {
      if (frame !== undefined) {
        if (data instanceof Uint8Array) take(data);
        else for (const part of data) take(part);
      } else {
        frame = head.push(data.subarray());
        if (frame !== undefined && 'rest' in frame) take(frame.rest as Uint8Array);
      }
    } catch (error) {
      fail(error instanceof Error ? error : new FrameError('format'));
    }
    wake?.();
  });

  async function until<T>(found: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const value = found();
      if (value !== undefined) return value;
      if (end?.error !== undefined) throw end.error;
      if (end !== undefined) return undefined;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  function takeAll(): Uint8Array | undefined {
    if (waiting === 0) return undefined;
    const all = pieces.whole();
    pieces.clear();
    untold += all.length;
    waiting = 0;
    if (untold >= window / PARTS && left > room && stream.writeStatus === 'writable') {
      stream.send(roomFor(untold));
      room += untold;
      untold = 0;
    }
    return all;
  }

  return {
    async head() {
      const found = await until(() => frame);
      if (found === undefined) throw new FrameError('closed');
      return found.value;
    },
    expect(bytes) {
      left = bytes - waiting;
      if (left < 0) fail(new TooMuch());
    },
    next: async () => await until(takeAll),
  };
}
