/** Each piece has an overhead of about 200 bytes, which is small compared with this size. */
const WORTH_KEEPING = 4096;
const SMALL_ONES = 1024;

/** Joins content that arrives in pieces. */
export interface Pieces {
  add(piece: Uint8Array): void;
  /** all added bytes, in order */
  whole(): Buffer;
  clear(): void;
}

/** The sender chooses the size of the pieces. One-byte pieces would take 200 times the counted memory, so small pieces are joined. */
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
