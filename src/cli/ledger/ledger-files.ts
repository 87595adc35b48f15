import { readFile } from 'node:fs/promises';
import { Problem } from '../../problem.ts';

/** Proofs and checkpoints are a few kilobytes. */
const longest = 1_000_000;

export async function readProofText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (text.length > longest)
    throw new Problem('invalid', 'USAGE', `${path} is too large to be a proof or a checkpoint.`);
  return text;
}
