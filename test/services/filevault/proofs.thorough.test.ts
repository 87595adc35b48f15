import { describe, expect, it } from 'vitest';
import { bitsOf, filterBits, parseWitness, setBit, writeWitness } from '../../../src/crypto/bloom-filter.ts';
import { fromHex } from '../../../src/crypto/bytes.ts';
import { openSecondVerifier } from '../../crypto/formats/file-proofs/second-verifier.ts';
import { engines } from '../../support/stores.ts';
import { entriesOf, nonAccessIn, nonAccessOf, recordAccesses, signedAgain, streamed, verdict } from './proving.ts';
import { openScene, said, type Scene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

const keyOf = ({ house }: Scene) => house.ctx.keys.ledgerLogKey;

async function filterOf({ house, containerId }: Scene) {
  return await house.ctx.db
    .selectFrom('file_filters')
    .selectAll()
    .where('container_id', '=', containerId)
    .executeTakeFirstOrThrow();
}

describe.each(engines)('a proof that a file was not accessed on %s', (engine) => {
  it('does not exist for a file that was opened before accesses were kept one by one', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('a');
    await scene.house.ctx.db.updateTable('file_nodes').set({ accessed_at: 1 }).where('id', '=', id).execute();
    expect(said(await scene.call('GET', `/files/${id}/non-access-proof`))).toBe('404 FILE_ACCESSED');
  });

  it('is valid for both verifiers and for auditors, and there is none for a file that was accessed in any way', async () => {
    await using scene = await openScene(engine);
    await using second = await openSecondVerifier();
    const key = keyOf(scene);
    const [sealed, read, shown] = [await scene.file('a'), await scene.file('b'), await scene.file('c')];
    const older = await scene.file('first');
    await scene.file('second', { replaces: older });
    const first = await nonAccessOf(scene, sealed);
    await scene.read(read);
    await scene.read(shown, { headers: { range: 'bytes=0-0' } });
    const [, version] = await scene.get('GET', `/files/${older}/versions`);
    await scene.call('GET', `/files/${older}/versions/${version.versionId}/download`);
    const previewed = await scene.file('d', { type: 'text/plain' });
    await scene.call('GET', `/files/${previewed}/preview`);
    for (const id of [read, shown, older, previewed])
      expect(said(await scene.call('GET', `/files/${id}/non-access-proof`))).toBe('404 FILE_ACCESSED');
    const proof = await nonAccessOf(scene, sealed);
    const entries = await entriesOf(scene);
    for (const text of [first, proof]) {
      expect(await verdict(text, { key, entries: streamed(entries) })).toEqual(['valid']);
      const flags = ['--key', key];
      const other = await second.check(text, { flags, files: { entries: entries.join('\n') } });
      expect([other.exitCode, other.said]).toEqual([0, expect.stringContaining('Not proven: that nobody read')]);
    }
    expect((await filterOf(scene)).count).toBe(4);
    const [{ sealStatus }] = await scene.get('GET', '/vaults');
    expect(sealStatus).toEqual({ allPristine: false, sealedCount: 1, accessedCount: 4, totalFiles: 5 });
    const { proof: fields, verificationBundle } = nonAccessIn(proof);
    expect(fields.timestamp).toBe(new Date(scene.house.clock.now()).toISOString());
    const entry = JSON.parse(entries[verificationBundle.blockHeight] ?? '');
    expect(entry).toMatchObject({ type: 'ACCESS_FILTER', data: { k: 30, count: 4, merkleRoot: fields.merkleRoot } });
  });

  it(
    'has every access that was answered before, and none that its cover leaves out, whatever happens meanwhile',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const files: string[] = [];
      for (let at = 0; at < inStage(4, 4, 12); at += 1) files.push(await scene.file(`file ${at}`));
      const sealed = await scene.file('sealed');
      const proofs: { text: string; before: number }[] = [];
      let answered = 0;
      const prove = async (id: string) => {
        const before = answered;
        const answer = await scene.call('GET', `/files/${id}/non-access-proof`);
        if (answer.status === 404) return;
        expect(answer.status).toBe(200);
        proofs.push({ text: signedAgain(scene, { kind: 'non-access', ...answer.body }), before });
      };
      await Promise.all(
        files.flatMap((id) => [
          scene.read(id).then(() => (answered += 1)),
          prove(id),
          prove(sealed),
          scene.read(id),
          prove(sealed),
          prove(id),
        ]),
      );
      await prove(sealed);
      const entries = await entriesOf(scene);
      const accesses = entries.flatMap((line, index) => (JSON.parse(line).type === 'FILE_ACCESS' ? [index] : []));
      expect(accesses).toHaveLength(2 * files.length);
      for (const { text, before } of proofs) {
        expect(await verdict(text, { key: keyOf(scene), entries: streamed(entries) })).toEqual(['valid']);
        const { coversTo } = nonAccessIn(text).verificationBundle;
        expect(accesses.filter((index) => index < coversTo).length).toBeGreaterThanOrEqual(before);
      }
      expect(nonAccessIn(proofs.at(-1)?.text ?? '').verificationBundle.coversTo).toBeGreaterThan(accesses.at(-1) ?? 0);
    },
  );
});

describe.each(engines)('the filter of a container on %s', (engine) => {
  it('changes with the accesses alone: without a new one the last entry answers, and covers what happened since', async () => {
    await using scene = await openScene(engine);
    const [sealed, opened] = [await scene.file('a'), await scene.file('b')];
    const first = nonAccessIn(await nonAccessOf(scene, sealed)).verificationBundle;
    scene.house.clock.advance(60_000);
    const second = nonAccessIn(await nonAccessOf(scene, opened)).verificationBundle;
    expect(second.ledgerEntryHash).toBe(first.ledgerEntryHash);
    expect(Date.parse(second.asOf) - Date.parse(first.asOf)).toBe(60_000);
    expect(second.coversTo).toBe(first.coversTo + 1);
    await scene.read(opened);
    await scene.read(opened);
    const third = nonAccessIn(await nonAccessOf(scene, sealed)).verificationBundle;
    expect(third.blockHeight).toBeGreaterThan(second.blockHeight);
    const rows = await scene.house.ctx.db.selectFrom('file_accesses').select(['file_id', 'merged']).execute();
    expect(rows).toEqual([{ file_id: opened, merged: 1 }]);
  });

  it(
    'keeps files that were destroyed, grows with a new salt, and takes many accesses in steps',
    { tags: 'soak' },
    async () => {
      await using scene = await openScene(engine);
      const [sealed, gone] = [await scene.file('a'), await scene.file('b')];
      await scene.read(gone);
      await scene.get('POST', `/destroy/${gone}`, {});
      await nonAccessOf(scene, sealed);
      const small = await filterOf(scene);
      expect(small).toMatchObject({ count: 1, bits: filterBits(0) });
      await recordAccesses(scene, 40);
      const stepped = nonAccessIn(await nonAccessOf(scene, sealed));
      expect(await filterOf(scene)).toMatchObject({ count: 41, salt: small.salt });
      await recordAccesses(scene, 150);
      const grown = await nonAccessOf(scene, sealed);
      const large = await filterOf(scene);
      expect(large).toMatchObject({ count: 191, bits: 2 * small.bits });
      expect(large.salt).not.toEqual(small.salt);
      for (const text of [signedAgain(scene, stepped), grown])
        expect(await verdict(text, { entries: streamed(await entriesOf(scene)) })).toEqual(['valid']);
      // In the larger filter a row of the tree is no longer all of it.
      await recordAccesses(scene, 3);
      const last = await nonAccessOf(scene, sealed);
      expect(await filterOf(scene)).toMatchObject({ count: 194, salt: large.salt });
      expect(await verdict(last, { entries: streamed(await entriesOf(scene)) })).toEqual(['valid']);
    },
  );

  it('is built with a new salt where it happens to have all bits of a file, or where its rows were changed', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const [sealed, opened] = [await scene.file('a'), await scene.file('b')];
    await scene.read(opened);
    const tag = fromHex(nonAccessIn(await nonAccessOf(scene, sealed)).verificationBundle.fileTag);
    for (const damage of ['full', 'changed', 'missing'] as const) {
      const before = await filterOf(scene);
      const [row] = await db.selectFrom('file_filter_nodes').selectAll().execute();
      const children = Uint8Array.from(row?.children ?? []);
      if (damage === 'full') for (const bit of bitsOf(tag, before.salt, before.bits)) setBit(children, bit);
      else children[5] = (children[5] ?? 0) ^ 1;
      if (damage === 'missing') await db.deleteFrom('file_filter_nodes').execute();
      else await db.updateTable('file_filter_nodes').set({ children }).execute();
      const proof = await nonAccessOf(scene, sealed);
      const after = await filterOf(scene);
      expect([damage, after.count, after.salt]).not.toEqual([damage, 1, before.salt]);
      expect(await verdict(proof, { entries: streamed(await entriesOf(scene)) })).toEqual(['valid']);
    }
  });

  it('is asked by those who may read, in locked containers and such that the node has no keys of', async () => {
    await using scene = await openScene(engine);
    const [member, stranger] = [await scene.house.register(), await scene.house.register()];
    const id = await scene.file('a');
    const ask = async (token?: string) =>
      said(
        await scene.house.api('GET', `/filevault/files/${id}/non-access-proof`, token === undefined ? {} : { token }),
      );
    expect(await ask()).toMatch(/^401 /);
    expect(await ask(stranger.token)).toBe('404 FILE_NOT_FOUND');
    await scene.grant('file', id, { principalId: member.memberId, flags: ['preview'] });
    expect(await ask(member.token)).toBe('403 FORBIDDEN');
    await scene.get('PUT', `/acl/file/${id}`, { entries: [{ principalId: member.memberId, flags: ['read'] }] });
    expect(await ask(member.token)).toBe('200 success');
    expect(said(await scene.call('GET', '/files/xyz/non-access-proof'))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call('GET', `/files/${scene.rootId}/non-access-proof`))).toBe('404 FILE_NOT_FOUND');
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(await ask(member.token)).toBe('200 success');
    await scene.house.ctx.db.updateTable('file_containers').set({ client_encrypted: 1 }).execute();
    expect(await verdict(await nonAccessOf(scene, id))).toEqual(['valid']);
    await scene.get('POST', `/vaults/${scene.containerId}/unlock`);
    await scene.get('POST', `/destroy/${id}`, {});
    expect(await ask(scene.owner.token)).toBe('410 FILE_DESTROYED');
    expect(await ask(stranger.token)).toBe('404 FILE_NOT_FOUND');
  });
});

describe('a witness', () => {
  it('is read as it was written, and in no other form', () => {
    const witness = {
      hashes: 30,
      bits: 8_192,
      salt: new Uint8Array(32).fill(7),
      j: 29,
      bit: 8_191,
      chunkIndex: 31,
      chunk: new Uint8Array(32).fill(1),
    };
    const text = writeWitness(witness);
    expect(parseWitness(text)).toEqual(witness);
    for (const wrong of [
      '',
      text.slice(2),
      `${text}00`,
      text.replace(/^01/, '02'),
      text.toUpperCase().replace('A', 'G'),
    ])
      expect(parseWitness(wrong)).toBeUndefined();
  });
});
