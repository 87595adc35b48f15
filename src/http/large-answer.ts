import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ServerRequest } from 'srvx';
import type { BodyPace } from './body-pace.ts';
import type { BytesHeld } from './byte-budget.ts';
import { respondText, type HeaderFields } from './respond.ts';

/** Answers with more characters count until they are sent. Smaller ones are gone before anybody could collect many of them. */
export const LARGE = 64 * 1024;

export interface Sending {
  readonly held: BytesHeld;
  readonly pace: BodyPace;
}

/**
 * Answers with a text that takes up much memory. The text counts for the caller until its last piece is sent or the connection is closed.
 * The connection is closed when the client reads more slowly than `pace`.
 */
export function respondLarge(
  request: ServerRequest,
  { held, pace }: Sending,
  status: number,
  text: string | Buffer,
  headers: HeaderFields,
): Response {
  const node = request.runtime?.node?.res as ServerResponse | undefined;
  // In process the caller has the text now.
  if (node === undefined) return respondText(status, text, headers);
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const giveBack = held.answer(bytes.length);
  // `close` is emitted once, when the answer is sent or the connection is closed. That may have happened already.
  if (node.destroyed) giveBack();
  else node.once('close', giveBack);
  const stream = Readable.from(piecesOf(bytes, node, pace), { objectMode: false, highWaterMark: 1 });
  return respondText(status, stream, { 'content-length': String(bytes.length), ...headers });
}

/** Yields the next piece when the operating system has the earlier ones. */
function* piecesOf(bytes: Buffer, node: ServerResponse, { bytesPerSecond, graceMs }: BodyPace): Generator<Buffer> {
  const wanted = Math.ceil((bytesPerSecond * graceMs) / 1000);
  // Small enough that a client at exactly the minimum pace takes one piece before each check.
  const size = Math.min(LARGE, wanted);
  let since = 0;
  const look = setInterval(() => {
    // This process may have been busy all that time. It notices first what the client took meanwhile, before it closes the connection.
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
