import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ServerRequest } from 'srvx';
import type { BodyPace } from './body-pace.ts';
import type { BytesHeld } from './byte-budget.ts';
import { respondText, type HeaderFields } from './respond.ts';

/** Characters of an answer above which it counts until it is out. Smaller ones are gone before anybody could collect them. */
export const LARGE = 64 * 1024;

export interface Sending {
  readonly held: BytesHeld;
  readonly pace: BodyPace;
}

/**
 * Answers with a text that takes up much memory. It counts for whoever asked until the last piece of it is out or the connection is gone,
 * and the connection is closed when the client takes it slower than `pace`.
 */
export function respondLarge(
  request: ServerRequest,
  { held, pace }: Sending,
  status: number,
  text: string,
  headers: HeaderFields,
): Response {
  const node = request.runtime?.node?.res as ServerResponse | undefined;
  // Within this process, whoever asked has it now.
  if (node === undefined) return respondText(status, text, headers);
  const bytes = Buffer.from(text);
  const giveBack = held.answer(bytes.length);
  // `close` is emitted once, when the answer is sent or the connection is closed. That may have happened already.
  if (node.destroyed) giveBack();
  else node.once('close', giveBack);
  const stream = Readable.from(piecesOf(bytes, node, pace), { objectMode: false, highWaterMark: 1 });
  return respondText(status, stream, { 'content-length': String(bytes.length), ...headers });
}

/** Each piece is asked for when those before are with the operating system. */
function* piecesOf(bytes: Buffer, node: ServerResponse, { bytesPerSecond, graceMs }: BodyPace): Generator<Buffer> {
  const wanted = Math.ceil((bytesPerSecond * graceMs) / 1000);
  // Small enough that somebody who is just quick enough takes one before each look.
  const size = Math.min(LARGE, wanted);
  let since = 0;
  const look = setInterval(() => {
    // This process may have been busy for so long: what was taken meanwhile is seen before the connection is closed.
    if (since < wanted) setImmediate(() => since < wanted && node.destroy());
    else since = 0;
  }, graceMs);
  try {
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      since += piece.length;
      yield piece;
    }
  } finally {
    clearInterval(look);
  }
}
