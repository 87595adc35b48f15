import type { FetchOptions, IncomingBytes, OutgoingBytes } from '../../src/service/ports/network.ts';
import { Problem } from '../../src/base/problem.ts';

/** The content of another node, as a stream of the network would bring it. @param isCut whether the connection is lost now */
export function memoryStream(content: OutgoingBytes, options: FetchOptions, isCut: () => boolean): IncomingBytes {
  const { offset = 0, maxBytes, hash } = options;
  const { size } = content;
  if (size > maxBytes) throw new Problem('tooLarge', 'STREAM_TOO_LARGE', 'The content is too large.');
  if (hash !== undefined && hash !== content.hash)
    throw new Problem('invalid', 'STREAM_DIFFERS', 'The node offered other content than was asked for.');
  const over = new AbortController();
  return {
    size,
    hash: content.hash,
    async *[Symbol.asyncIterator]() {
      for await (const piece of content.open(offset, over.signal)) {
        options.signal?.throwIfAborted();
        if (isCut()) throw new Problem('unavailable', 'PEER_UNREACHABLE', 'The connection was lost.');
        yield piece;
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(over.abort()),
  };
}
