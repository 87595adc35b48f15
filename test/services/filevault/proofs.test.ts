import { describe, expect, it } from 'vitest';
import { isSet, parseWitness } from '../../../src/crypto/bloom-filter.ts';
import { writeFileProof } from '../../../src/ledger/file-proofs/format.ts';
import { verifyFileProof, type FileProofOptions } from '../../../src/ledger/file-proofs/verify.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

async function proofOf(scene: Scene, id: string): Promise<string> {
  const reply = await scene.get('GET', `/files/${id}/non-access-proof`);
  return writeFileProof({ kind: 'non-access', ...reply });
}

async function* entriesOf({ house }: Scene): AsyncGenerator<string> {
  const rows = await house.ctx.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  for (const { body } of rows) yield Buffer.from(body).toString();
}

async function failed(text: string, options: FileProofOptions = {}): Promise<string[]> {
  const { checks, verdict } = await verifyFileProof(text, options);
  const wrong = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  return [verdict, ...wrong];
}

describe.each(bothEngines)('a proof that a file was not accessed on %s', (engine) => {
  it('is valid offline and for auditors, and there is none for a file that was accessed', async () => {
    await using scene = await openScene(engine);
    const key = scene.house.ctx.keys.ledgerLogKey;
    const [sealed, opened, shown] = [await scene.file('a'), await scene.file('b'), await scene.file('c')];
    const first = await proofOf(scene, sealed);
    expect(await failed(first, { key, entries: entriesOf(scene) })).toEqual(['valid']);
    await scene.read(opened);
    await scene.call('GET', `/files/${shown}/preview`);
    const second = await proofOf(scene, sealed);
    expect(await failed(second, { key, entries: entriesOf(scene) })).toEqual(['valid']);
    for (const id of [opened, shown])
      expect(said(await scene.call('GET', `/files/${id}/non-access-proof`))).toBe('404 FILE_ACCESSED');
    expect(await failed(first, { key, entries: entriesOf(scene) })).toEqual(['valid']);
    const { count } = await scene.house.ctx.db.selectFrom('file_filters').select('count').executeTakeFirstOrThrow();
    expect(count).toBe(2);
  });
});
void [isSet, parseWitness, engines];
