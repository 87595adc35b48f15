// Runs the verifiers of inclusion and consistency over a folder of test data of transparency-dev/merkle.
//
//   npx tsx scripts/check-merkle-vectors.ts <its folder testdata>
//
// The folder has inclusion/**/*.json with {leafIdx, treeSize, root, leafHash, proof, wantErr} and consistency/**/*.json with
// {size1, size2, root1, root2, proof, wantErr}; hashes are base64, and proof may be null. Ends with 1 when one comes out otherwise
// than it should, or when there are none. A few vectors between equal sizes have texts of 12 bytes as roots and want them to be taken;
// here they have to be refused, because no tree has such a root.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HASH_LENGTH, verifyConsistency, verifyInclusion } from '../src/crypto/merkle.ts';

interface Vector {
  readonly leafIdx?: number;
  /** in some of them */
  readonly leafIndex?: number;
  readonly treeSize: number;
  readonly root: string;
  readonly leafHash: string;
  readonly size1: number;
  readonly size2: number;
  readonly root1: string;
  readonly root2: string;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder testdata');

const unbase64 = (text: string | null | undefined) => Uint8Array.from(Buffer.from(text ?? '', 'base64'));

const verifiers = {
  inclusion: ({ leafIdx, leafIndex, treeSize, root, leafHash, proof }: Vector) =>
    verifyInclusion({
      index: leafIdx ?? leafIndex ?? Number.NaN,
      size: treeSize,
      root: unbase64(root),
      leafHash: unbase64(leafHash),
      proof: (proof ?? []).map(unbase64),
    }),
  consistency: ({ size1, size2, root1, root2, proof }: Vector) =>
    verifyConsistency({
      from: size1,
      to: size2,
      fromRoot: unbase64(root1),
      toRoot: unbase64(root2),
      proof: (proof ?? []).map(unbase64),
    }),
};

/** Whether a vector wants roots to be taken that are no hashes. */
const wantsNoHash = ({ root, root1, root2, wantErr }: Partial<Vector>) =>
  wantErr === false && [root, root1, root2].some((one) => one !== undefined && unbase64(one).length !== HASH_LENGTH);

let [right, valid, refused] = [0, 0, 0];
const wrong: string[] = [];
for (const [kind, verify] of Object.entries(verifiers)) {
  const root = join(folder, kind);
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.json'));
  for (const name of files.toSorted()) {
    const vector = JSON.parse(await readFile(join(root, name), 'utf8')) as Vector;
    const noHash = wantsNoHash(vector);
    if (verify(vector) === (vector.wantErr || noHash)) wrong.push(join(kind, name));
    else right += 1;
    if (noHash) refused += 1;
    else if (!vector.wantErr) valid += 1;
  }
}
for (const name of wrong) console.error(`wrong: ${name}`);
console.log(
  `${right} of ${right + wrong.length} vectors came out right, ${valid} of which are valid proofs; ${refused} with roots that are no hashes were refused`,
);
process.exitCode = wrong.length === 0 && right > 0 ? 0 : 1;
