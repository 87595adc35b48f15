import { describe, expect, it } from 'vitest';
import { bitsOf, parseWitness, writeWitness } from '../../../src/crypto/bloom-filter.ts';
import { fromHex } from '../../../src/crypto/bytes.ts';
import { rootAt } from '../../../src/platform/ledger/proofs.ts';
import { signCheckpoint } from '../../../src/crypto/formats/ledger/checkpoint.ts';
import { openSecondVerifier } from '../../crypto/formats/file-proofs/second-verifier.ts';
import { engines } from '../../support/stores.ts';
import {
  certificateOf,
  destructionIn,
  entriesOf,
  nonAccessIn,
  nonAccessOf,
  recordAccesses,
  signedAgain,
  streamed,
  verdict,
} from './proving.ts';
import { openScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

/** Another hash, which is well formed. */
const changed = (hash: string) => hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

describe.each(engines)('check 33, a proof about a file on %s', (engine) => {
  it('is refused with an altered root, path, bit, time or cover, of another file, and under an older checkpoint, though the node signs it', async () => {
    await using scene = await openScene(engine);
    await using second = await openSecondVerifier();
    const [sealed, opened] = [await scene.file('a'), await scene.file('c')];
    let other = await scene.file('b');
    await scene.read(opened);
    const file = nonAccessIn(await nonAccessOf(scene, sealed));
    const { proof, verificationBundle: bundle } = file;
    const { ctx } = scene.house;
    const older = signCheckpoint(ctx.keys, 4, await rootAt(ctx, 4));
    const witness = parseWitness(proof.bloomWitness)!;
    const bitsOfTag = (tag: string) => bitsOf(fromHex(tag), witness.salt, witness.bits);
    const bundleOf = async (id: string) => nonAccessIn(await nonAccessOf(scene, id)).verificationBundle;
    let foreign = await bundleOf(other);
    // One of 8,192 files has the same bit. The proof would be right for it, too.
    while (bitsOfTag(foreign.fileTag)[witness.j] === witness.bit) {
      other = await scene.file('b');
      foreign = await bundleOf(other);
    }
    const otherHash = bitsOfTag(bundle.fileTag).findIndex((bit) => bit !== witness.bit);
    const ofProof = (fields: Partial<typeof proof>) => ({ ...file, proof: { ...proof, ...fields } });
    const ofBundle = (fields: Partial<typeof bundle>) => ({ ...file, verificationBundle: { ...bundle, ...fields } });
    const withWitness = (fields: Partial<typeof witness>) =>
      ofProof({ bloomWitness: writeWitness({ ...witness, ...fields }) });
    const bits = witness.chunk.slice();
    bits[0] = (bits[0] ?? 0) ^ 1;
    const cases = {
      'another root': [ofProof({ merkleRoot: changed(proof.merkleRoot) }), ['filter', 'chunk']],
      'another path': [ofProof({ merkleProof: proof.merkleProof.map(changed) }), ['chunk']],
      'a shorter path': [ofProof({ merkleProof: proof.merkleProof.slice(1) }), ['chunk', 'form']],
      'another time': [ofProof({ timestamp: '2025-12-24T00:00:00.000Z' }), ['timestamp']],
      'another chunk': [withWitness({ chunk: bits }), ['chunk']],
      'another hash function': [withWitness({ j: otherHash }), ['file']],
      'another bit': [withWitness({ bit: witness.bit === 0 ? 1 : witness.bit - 1 }), ['file']],
      'another salt': [withWitness({ salt: new Uint8Array(32) }), ['witness']],
      'another size': [withWitness({ bits: 2 * witness.bits }), ['witness']],
      'another file': [ofBundle({ fileId: other, fileTag: foreign.fileTag }), ['file']],
      'another entry': [ofBundle({ ledgerEntryHash: changed(bundle.ledgerEntryHash) }), ['entry hash']],
      'another place': [ofBundle({ blockHeight: bundle.blockHeight - 1 }), ['inclusion', 'entry', 'form']],
      'another chain': [ofBundle({ chainId: changed(bundle.chainId) }), ['log key']],
      'another first entry': [
        ofBundle({ genesis: { ...bundle.genesis, proof: bundle.genesis.proof.map(changed) } }),
        ['node identity'],
      ],
      'a cover of less': [ofBundle({ coversTo: 0 }), ['cover']],
      'an earlier cover': [ofBundle({ asOf: '2025-12-24T00:00:00.000Z' }), ['cover']],
      'a cover of more': [ofBundle({ coversTo: 1_000 }), ['ledger', 'cover']],
      'an older checkpoint': [ofBundle({ checkpoint: older }), ['inclusion', 'node identity', 'form']],
    } as const;
    for (const [at, [name, [altered, names]]] of Object.entries(cases).entries()) {
      const text = signedAgain(scene, altered);
      const [result, ...reasons] = await verdict(text);
      expect([name, result, reasons.some((reason) => names.some((one) => reason.startsWith(`${one}: `)))]).toEqual([
        name,
        'invalid',
        true,
      ]);
      // It is a process of its own.
      if (at % inStage(4, 4, 1) !== 0) continue;
      const theirs = await second.check(text);
      const said = /^Not valid\. ([^:]+): /.exec(theirs.said)?.[1];
      expect([name, theirs.exitCode, names.includes(said as never), said]).toEqual([name, 1, true, said]);
    }
    expect(await verdict(signedAgain(scene, file))).toEqual(['valid']);
  });

  it('is refused when the node did not sign it, and under another key', async () => {
    await using scene = await openScene(engine);
    await using stranger = await openScene(engine);
    await using second = await openSecondVerifier();
    const sealed = await scene.file('a');
    const file = nonAccessIn(await nonAccessOf(scene, sealed));
    const key = stranger.house.ctx.keys.ledgerLogKey;
    const text = signedAgain(scene, file);
    expect(await verdict(text, { key })).toEqual([
      'invalid',
      'log signature: the checkpoint is not signed by this key',
      'node identity: the node did not sign this key and checkpoint',
      'log key: the proof names another key or chain',
    ]);
    expect((await second.check(text, { flags: ['--key', key] })).said).toContain('log key: it is not the');
    const theirs = signedAgain(stranger, file);
    expect(await verdict(theirs)).toEqual([
      'invalid',
      'signature: the node did not sign this proof: something of it was changed',
    ]);
    expect((await second.check(theirs)).said).toContain('signature: the node did not sign this proof');
  });

  it('is refused when the log is another one than the caller knows, and not decided without what shows it', async () => {
    const secret = new Uint8Array(32).fill(9);
    await using scene = await openScene(engine, { secret });
    await using fork = await openScene(engine, { secret });
    await using second = await openSecondVerifier();
    const sealed = await scene.file('a');
    await recordAccesses(scene, 3);
    await recordAccesses(fork, 9);
    const text = await nonAccessOf(scene, sealed);
    const entries = await entriesOf(scene);
    const at = async ({ house: { ctx } }: typeof scene, size: number) =>
      signCheckpoint(ctx.keys, size, await rootAt(ctx, size));
    const size = entries.length;
    const both = async (kept: string, lines?: readonly string[]) => {
      const files = { checkpoint: kept, ...(lines !== undefined && { entries: lines.join('\n') }) };
      const { exitCode, said } = await second.check(text, { files });
      const own = await verdict(text, { kept, ...(lines !== undefined && { entries: streamed(lines) }) });
      return [own.join(' '), exitCode, /^Not \w+\. ?(\w*)/.exec(said)?.[1]];
    };
    expect(await both(await at(scene, size))).toEqual(['valid', 0, undefined]);
    expect(await both(await at(fork, size))).toEqual([
      'invalid history: the node signed two different ledgers',
      1,
      'history',
    ]);
    expect(await both(await at(fork, size - 1), entries)).toEqual([
      'invalid history: it is another ledger than the one that you have a checkpoint of',
      1,
      'entries',
    ]);
    expect(await both(await at(scene, size - 1), entries)).toEqual(['valid', 0, undefined]);
    expect((await both(await at(scene, size - 1)))[0]).toContain(
      'undecided The checkpoint that you have is of another',
    );
    expect((await both(await at(scene, size), [entries[1]!, ...entries.slice(1)]))[1]).toBe(1);
    expect((await both(await at(scene, size), entries.slice(0, -1))).slice(0, 2)).toEqual([
      `undecided The entries end at ${size - 1}. The ledger of the proof has ${size}.`,
      2,
    ]);
    expect((await both(await at(scene, size), await entriesOf(fork)))[0]).toContain(
      'entries: they are not the entries of',
    );
    expect((await both('no checkpoint'))[0]).toBe(
      'invalid history: the key of this log did not sign the checkpoint that you have',
    );
  });

  it('contradicts a receipt that is not newer, and entries of an access that the filter leaves out', async () => {
    await using scene = await openScene(engine);
    await using second = await openSecondVerifier();
    const { ctx, clock } = scene.house;
    const [lied, opened] = [await scene.file('a'), await scene.file('b')];
    const receipt = (await scene.read(lied)).headers.get('x-access-receipt')!;
    await scene.read(opened);
    clock.advance(1_000);
    // What a node would do that denies an access.
    await ctx.db.deleteFrom('file_accesses').where('file_id', '=', lied).execute();
    await ctx.db.updateTable('file_nodes').set({ accessed_at: null }).where('id', '=', lied).execute();
    const text = await nonAccessOf(scene, lied);
    const entries = await entriesOf(scene);
    const index = entries.findIndex((line) => JSON.parse(line).type === 'FILE_ACCESS');
    expect(await verdict(text)).toEqual(['valid']);
    expect(await verdict(text, { entries: streamed(entries) })).toEqual([
      'invalid',
      `accesses: contradiction: entry ${index} is an access to the file`,
    ]);
    const time = new Date(clock.now() - 1_000).toISOString();
    expect(await verdict(text, { receipt })).toEqual([
      'invalid',
      `receipt: contradiction: the node signed both the proof and an access to the file at ${time}`,
    ]);
    const files = { entries: entries.join('\n') };
    expect((await second.check(text, { files })).said).toContain('accesses: contradiction');
    expect((await second.check(text, { flags: ['--receipt', receipt] })).said).toContain(
      'receipt: contradiction, the node signed both',
    );
    const newer = (await scene.read(lied)).headers.get('x-access-receipt')!;
    expect(await verdict(text, { receipt: newer })).toEqual(['valid']);
    const foreign = (await scene.read(opened)).headers.get('x-access-receipt')!;
    for (const one of [foreign, 'v1.x', newer.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))]) {
      expect(await verdict(text, { receipt: one })).toEqual([
        'undecided',
        'The receipt is not one that this node signed for this file.',
      ]);
      expect((await second.check(text, { flags: ['--receipt', one] })).exitCode).toBe(2);
    }
    // Another file that is left out shows in the root.
    const sealed = await scene.file('c');
    await ctx.db.deleteFrom('file_accesses').where('file_id', '=', opened).execute();
    await ctx.db.deleteFrom('file_filters').execute();
    expect(await verdict(await nonAccessOf(scene, sealed), { entries: streamed(await entriesOf(scene)) })).toEqual([
      'invalid',
      'accesses: the filter is not that of the recorded accesses',
    ]);
  });

  it('that was destroyed is refused with another inventory, file or entry', async () => {
    await using scene = await openScene(engine);
    await using second = await openSecondVerifier();
    const [id, other] = [await scene.file('a'), await scene.file('b')];
    const text = await certificateOf(scene, id);
    const file = destructionIn(text);
    const foreign = destructionIn(await certificateOf(scene, other));
    const { proof, certificate } = file;
    const of = (fields: Partial<typeof certificate>) => ({ ...file, certificate: { ...certificate, ...fields } });
    const cases = {
      'other leaves': [of({ leaves: [...certificate.leaves.slice(0, -1), '0'.repeat(64)] }), ['inventory']],
      'fewer leaves': [of({ leaves: certificate.leaves.slice(0, -1) }), ['inventory']],
      'another file': [of({ fileId: other }), ['file']],
      'another tag': [of({ fileTag: foreign.certificate.fileTag }), ['file']],
      'another entry': [
        { ...file, proof: { ...proof, ledgerEntryHash: foreign.proof.ledgerEntryHash } },
        ['entry hash'],
      ],
      'another root': [{ ...file, proof: { ...proof, merkleRoot: foreign.proof.merkleRoot } }, ['destroyed']],
    } as const;
    for (const [name, [altered, [reason]]] of Object.entries(cases)) {
      const again = signedAgain(scene, altered);
      const [result, ...reasons] = await verdict(again);
      expect([name, result, reasons[0]]).toEqual([name, 'invalid', expect.stringMatching(`^${reason}: `)]);
      const theirs = await second.check(again);
      expect([name, theirs.exitCode, theirs.said]).toEqual([
        name,
        1,
        expect.stringContaining(`Not valid. ${reason}: `),
      ]);
    }
    expect(await verdict(text, { entries: streamed(await entriesOf(scene)) })).toEqual(['valid']);
    expect((await second.check(text)).exitCode).toBe(0);
    const verified = await scene.get('POST', `/destroy/${id}/verify`, { proof, certificate });
    expect(verified.checks.at(-1)).toEqual({ name: 'certificate', ok: true, detail: 'The certificate is valid.' });
    for (const [wrong, detail] of [
      [{ ...certificate, statement: 'nothing' }, 'signature: the node did not sign this proof'],
      [foreign.certificate, 'entry hash: it is the hash of another entry'],
    ] as const) {
      const answer = await scene.get('POST', `/destroy/${id}/verify`, { proof, certificate: wrong });
      expect([answer.valid, answer.checks.at(-1).detail]).toEqual([false, expect.stringContaining('')]);
      expect(answer.checks.at(-1).ok, detail).toBe(false);
    }
    const batch = await scene.get('POST', '/destroy/batch', {
      fileIds: [await scene.file('c'), await scene.file('d')],
    });
    for (const result of batch.results)
      expect(await verdict(signedAgain(scene, { kind: 'destruction', ...result }))).toEqual(['valid']);
  });
});
