import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Problem } from '../../../base/problem.ts';
import type { Patience } from './patience.ts';
import { piecesOf, type Source } from './source.ts';

export async function hashOfFile(path: string): Promise<string> {
  return await hashOfPieces(createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>);
}

async function hashOfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

export async function hashOfSource(source: Source, patience: Patience): Promise<string> {
  return await hashOfPieces(piecesOf(source, { start: 0, end: source.size }, patience));
}

/** Reads a file of the server once more and compares it. @throws Problem network VERIFY_FAILED */
export async function assertEqual(
  source: Source,
  label: string,
  pieces: AsyncIterable<Uint8Array>,
  patience: Patience,
): Promise<void> {
  const [here, there] = await Promise.all([hashOfPieces(pieces), hashOfSource(source, patience)]);
  if (here === there) return;
  const message = `${label} differs from what the server has. Move it again with --force.`;
  throw new Problem('network', 'VERIFY_FAILED', message);
}
