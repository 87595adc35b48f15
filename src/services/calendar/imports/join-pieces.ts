import { createTurns } from '../turns.ts';

/** Large files are put together while others have their turn. */
export async function joined(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const turns = createTurns();
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
    await turns.take();
  }
  return bytes;
}
