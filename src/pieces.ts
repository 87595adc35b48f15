/** A piece has an overhead of about 200 bytes, which is small for pieces of this size. */
const WORTH_KEEPING = 4096;
const SMALL_ONES = 1024;

/** What comes in pieces and is wanted whole. */
export interface Pieces {
  add(piece: Uint8Array): void;
  /** all that was added, in its order */
  whole(): Buffer;
  clear(): void;
}

/** The sender decides the size of pieces. Pieces of one byte would take two hundred times the counted memory, so small ones are joined. */
export function gatherPieces(): Pieces {
  let pieces: Uint8Array[] = [];
  let small = 0;
  return {
    add(piece) {
      small = piece.length < WORTH_KEEPING ? small + 1 : 0;
      pieces.push(piece);
      if (small < SMALL_ONES) return;
      pieces.push(Buffer.concat(pieces.splice(-small)));
      small = 0;
    },
    whole() {
      const [only] = pieces;
      return pieces.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(pieces);
    },
    clear: () => void (pieces = []),
  };
}
