import { readFile } from 'node:fs/promises';

const folder = new URL('../../../vectors/file-proofs/', import.meta.url);

/** A proof of each kind by one node, that anybody's verifier can be tried with, and what belongs to them. */
export async function fileProofVectors() {
  const read = async (name: string) => await readFile(new URL(name, folder), 'utf8');
  return {
    nonAccess: await read('non-access.proof'),
    destruction: await read('destruction.proof'),
    entries: await read('ledger.entries'),
    key: (await read('log.key')).trim(),
    receipt: (await read('later.receipt')).trim(),
  };
}
