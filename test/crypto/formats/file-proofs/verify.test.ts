import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execaNode } from 'execa';
import { describe, expect, it } from 'vitest';
import { auditEntries } from '../../../../src/crypto/formats/file-proofs/audit.ts';
import { verifyFileProof } from '../../../../src/crypto/formats/file-proofs/verify.ts';
import { testRandom } from '../../../support/seeded.ts';
import { runs } from '../../../support/stage.ts';
import { temporaryFolder } from '../../../support/stores.ts';
import { mutated, refusedByBoth } from './mutations.ts';
import { openSecondVerifier } from './second-verifier.ts';
import { fileProofVectors } from './vectors.ts';

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split('\n');
}

describe('check 33, the published proofs about files', async () => {
  const { nonAccess, destruction, entries, key, receipt } = await fileProofVectors();

  it('are valid for both verifiers, which say what is not proven', async () => {
    await using second = await openSecondVerifier();
    for (const text of [nonAccess, destruction]) {
      const report = await verifyFileProof(text, { key, entries: linesOf(entries) });
      expect(report).toMatchObject({ verdict: 'valid', trust: 'pinned' });
      expect(report.notProven.length).toBeGreaterThan(3);
      const other = await second.check(text, { flags: ['--key', key], files: { entries } });
      expect([other.exitCode, other.said]).toEqual([0, expect.stringContaining('Not proven: ')]);
    }
    expect((await verifyFileProof(nonAccess, { key, receipt })).verdict).toBe('valid');
    expect((await second.check(nonAccess, { flags: ['--receipt', receipt] })).exitCode).toBe(0);
  });

  it('are refused by both verifiers when a byte of them is changed, added or removed', async () => {
    await using second = await openSecondVerifier();
    const random = testRandom();
    for (const text of [nonAccess, destruction]) {
      const bytes = Buffer.from(text);
      for (let run = 0; run < runs(200); run += 1)
        expect(await refusedByBoth(second, mutated(bytes, Math.floor(random() * bytes.length), random), key)).toBe(
          true,
        );
    }
  });

  it('are refused in every other form: cut, with more fields, other spaces or another order', async () => {
    await using second = await openSecondVerifier();
    const file = JSON.parse(nonAccess);
    const forms = [
      '',
      '{}\n',
      'null\n',
      '[]\n',
      nonAccess.trimEnd(),
      `${nonAccess}\n`,
      `\ufeff${nonAccess}`,
      nonAccess.replace('\n', '\r\n'),
      `${JSON.stringify(file, null, 1)}\n`,
      `${JSON.stringify({ proof: file.proof, ...file })}\n`,
      nonAccess.replace('"format"', '"extra":1,"format"'),
      nonAccess.replace('"kind":"non-access"', '"kind":"destruction"'),
      nonAccess.replace('"kind":"non-access"', '"kind":"toString"'),
      nonAccess.replace(/"blockHeight":\d+/, (number) => `${number}.0`),
      nonAccess.replace('"asOf"', '"\\u0061sOf"'),
      nonAccess.replace('"fileId":"', '"fileId":"A'),
    ];
    for (const text of forms) expect(await refusedByBoth(second, Buffer.from(text), key)).toBe(true);
  });
});

describe('the second verifier', () => {
  const path = fileURLToPath(new URL('../../../../scripts/verify-file-proof.mjs', import.meta.url));

  it('is small enough to be read, and is alone: Node, and nothing of the program or of anybody else', async () => {
    const text = await readFile(path, 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(250);
    // In lines that can be read.
    expect(lines.filter((line) => line.length > 160)).toEqual([]);
    const { outputFiles, metafile } = await build({
      entryPoints: [path],
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['*'],
      metafile: true,
      write: false,
    });
    expect(outputFiles).toHaveLength(1);
    const [entry] = Object.values(metafile.inputs);
    expect(entry?.imports.map(({ path: name }) => name).toSorted()).toEqual(['node:crypto', 'node:fs', 'node:util']);
    // Nor by ways that are no imports.
    expect(text).not.toMatch(
      /\brequire\b|import\s*\(|createRequire|getBuiltinModule|\beval\b|new Function|node:(?:vm|module|worker|child)/,
    );
  });

  it('works where there is nothing else', async () => {
    await using folder = await temporaryFolder();
    const alone = join(folder.path, 'verify.mjs');
    await copyFile(path, alone);
    const { destruction, key } = await fileProofVectors();
    const proof = join(folder.path, 'proof');
    await writeFile(proof, destruction);
    const { exitCode } = await execaNode(alone, [proof, '--key', key], {
      cwd: folder.path,
      nodeOptions: [],
      reject: false,
    });
    expect(exitCode).toBe(0);
  });
});

describe('what a proof says', () => {
  it('takes no memory for a filter that its entries cannot have', async () => {
    const filter = { containerTag: 'c', fileTag: 'f', coversTo: 0, bits: 2 ** 40, salt: new Uint8Array(32) };
    const audited = await auditEntries(linesOf(''), { size: 0, sizes: new Set(), filter });
    expect(audited).toMatchObject({ filterRoot: undefined, count: 0 });
  });

  it('does not move the cursor of a terminal', async () => {
    await using second = await openSecondVerifier();
    const { exitCode, said } = await second.check('\u001b]0;title\u0007\u202e\u009b2J');
    expect(exitCode).toBe(1);
    // oxlint-disable-next-line no-control-regex -- none of them may be left
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('is not called valid where a check that was asked for is not one of the verifier', async () => {
    await using second = await openSecondVerifier();
    const { nonAccess, key } = await fileProofVectors();
    for (const flags of [['--reciept', 'x'], ['--key'], ['--receipt', '--key', key], ['key', key]]) {
      const { exitCode, said } = await second.check(nonAccess, { flags });
      expect([exitCode, said], flags.join(' ')).toEqual([2, expect.stringContaining('Not decided')]);
    }
  });
});
