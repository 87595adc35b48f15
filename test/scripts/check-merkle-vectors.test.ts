import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { leafHash } from '../../src/crypto/merkle.ts';
import { bundle } from '../support/bundle.ts';
import { temporaryFolder } from '../support/stores.ts';
import { published } from '../vectors/rfc6962.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

/** The published proofs in the layout of transparency-dev/merkle, and each of them with something wrong. */
function vectors(): [path: string, vector: object][] {
  const { leaves, roots, inclusion, consistency } = published;
  return [
    ...inclusion.flatMap(({ index, size, proof }, at): [string, object][] => {
      const vector = {
        leafIdx: index,
        treeSize: size,
        root: base64(roots[size]!),
        leafHash: Buffer.from(leafHash(Buffer.from(leaves[index]!, 'hex'))).toString('base64'),
        proof: proof.length === 0 ? null : proof.map(base64),
        wantErr: false,
      };
      return [
        [`inclusion/${at}/happy-path.json`, vector],
        [`inclusion/${at}/leafIdx---1.json`, { ...vector, leafIdx: 2 ** 64, wantErr: true }],
        [`inclusion/${at}/empty-root.json`, { ...vector, root: '', wantErr: true }],
      ];
    }),
    // Roots that are no hashes: between a tree and itself, these vectors want nothing but that both are equal. The verifier refuses them.
    ...[0, 1].map((size): [string, object] => [
      `consistency/additional/sizes-are-equal-${size}.json`,
      { size1: size, size2: size, root1: 'ZG9uJ3QgY2FyZSAx', root2: 'ZG9uJ3QgY2FyZSAx', proof: [], wantErr: false },
    ]),
    ...consistency.flatMap(({ from, to, proof }, at): [string, object][] => {
      const ends = { root1: base64(roots[from]!), root2: base64(roots[to]!) };
      const vector = { size1: from, size2: to, ...ends, proof: proof.map(base64), wantErr: false };
      return [
        [`consistency/${at}/happy-path.json`, vector],
        [`consistency/${at}/size1-sub-@1.json`, { ...vector, size1: 0, wantErr: true }],
        [`consistency/${at}/trailing-garbage.json`, { ...vector, proof: [...vector.proof, 'AAAA'], wantErr: true }],
      ];
    }),
  ];
}

describe('scripts/check-merkle-vectors.ts', () => {
  it('says which vectors come out otherwise than they should', async () => {
    await using folder = await temporaryFolder();
    await using script = await bundle('scripts/check-merkle-vectors.ts');
    const all = vectors();
    for (const [path, vector] of all) {
      await mkdir(join(folder.path, path, '..'), { recursive: true });
      await writeFile(join(folder.path, path), JSON.stringify(vector));
    }
    const run = async () => await execa(process.execPath, [script.path, folder.path], { reject: false });
    expect(await run()).toMatchObject({
      exitCode: 0,
      stdout: `${all.length} of ${all.length} vectors came out right, 9 of which are valid proofs; 2 with roots that are no hashes were refused`,
    });
    const [path, vector] = all[0]!;
    await writeFile(join(folder.path, path), JSON.stringify({ ...vector, wantErr: true }));
    expect(await run()).toMatchObject({ exitCode: 1, stderr: `wrong: ${path}` });
  });
});
