const given = new WeakSet<AsyncIterable<Uint8Array>>();

/**
 * Says of a content that its pieces belong to whoever reads it: neither its source nor anybody between uses a piece, or even asks for its
 * length, after the reader had it. So the reader may transfer its memory to a thread, which costs no copy. Other contents keep their pieces.
 */
export function giveAway<T extends AsyncIterable<Uint8Array>>(content: T): T {
  given.add(content);
  return content;
}

/** For what wraps a content and passes its pieces on as they are. @param content the wrapper, which belongs to its reader if the source does */
export function giveOn<T extends AsyncIterable<Uint8Array>>(source: AsyncIterable<Uint8Array>, content: T): T {
  return given.has(source) ? giveAway(content) : content;
}

/** Gives each piece memory of its own, which may be transferred: a piece that was given away and is alone in its memory has it already. */
export function ownerOf(content: AsyncIterable<Uint8Array>): (piece: Uint8Array) => Uint8Array<ArrayBuffer> {
  const isGiven = given.has(content);
  return (piece) => {
    const isAlone = piece.buffer instanceof ArrayBuffer && piece.length === piece.buffer.byteLength;
    return isGiven && isAlone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece);
  };
}
