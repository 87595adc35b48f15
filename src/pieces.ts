/** A piece costs some 200 bytes beside its own: one of so many is worth that. */
const WORTH_KEEPING = 4096;
const SMALL_ONES = 1024;

/** What comes in pieces and is wanted whole. */
export interface Pieces {
  add(piece: Uint8Array): void;
  /** all that was added, in its order */
  whole(): Buffer;
  clear(): void;
}

/**
 * Whoever sends something decides how small its pieces are. Of one byte each they would take two hundred times what is counted, so many
 * small ones become one.
 */
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
