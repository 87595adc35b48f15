import { describe, expect, it } from 'vitest';
import { verifyFileProof } from '../../../src/ledger/file-proofs/verify.ts';
import { testRandom } from '../../support/seeded.ts';
import { runs } from '../../support/stage.ts';
import { mutated, refusedByBoth } from './mutations.ts';
import { openSecondVerifier } from './second-verifier.ts';
import { fileProofVectors } from './vectors.ts';

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split('\n');
}

describe('the published proofs about files', async () => {
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
