/** The bytes of a stream from one position to before another. What comes before them is read and dropped. */
export async function* sliced(
  bytes: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of bytes) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    if (to > from) yield piece.subarray(from, to);
    at += piece.length;
    if (at >= end) return;
  }
}
