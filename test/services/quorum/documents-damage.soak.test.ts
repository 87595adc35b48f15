import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuorumDocumentRow, QuorumShareRow } from '../../../src/platform/store/tables/quorum.ts';
import { engines } from '../../support/stores.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const other = Uint8Array.from(bytes);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}

describe.each(engines)('a sealed document that was damaged on %s', (engine) => {
  let scene: QuorumScene;
  let id: string;
  let other: string;
  beforeAll(async () => {
    scene = await openQuorum(engine, 3);
    const memberIds = scene.people.slice(0, 2).map((one) => one.id);
    id = (await scene.ask('POST', '/documents/seal', { document: 'the secret', memberIds })).documentId;
    other = (await scene.ask('POST', '/documents/seal', { document: 'another', memberIds })).documentId;
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const open = async () => {
    const memberCredentials = scene.people.slice(0, 2).map((one) => ({ memberId: one.id, mnemonic: one.mnemonic }));
    const answer = await scene.call('POST', `/documents/${id}/unseal`, { memberCredentials });
    expect(JSON.stringify(answer.body)).not.toContain('another');
    if (answer.status !== 200) expect(JSON.stringify(answer.body)).not.toContain('the secret');
    return answer;
  };
  const share = async (): Promise<QuorumShareRow> => {
    const query = scene.house.ctx.db.selectFrom('quorum_shares').selectAll();
    return await query
      .where('document_id', '=', id)
      .where('member_id', '=', scene.people[1]!.id)
      .executeTakeFirstOrThrow();
  };
  /** Opens with a changed share, and puts the share back. */
  const withShare = async (change: Partial<QuorumShareRow>) => {
    const { db } = scene.house.ctx;
    const row = await share();
    const place = (at: QuorumShareRow) =>
      db
        .updateTable('quorum_shares')
        .where('document_id', '=', at.document_id)
        .where('generation', '=', at.generation)
        .where('member_id', '=', at.member_id);
    await place(row).set(change).execute();
    const answer = await open();
    await place({ ...row, ...change })
      .set(row)
      .execute();
    return answer;
  };

  it('names whose share it is, whatever byte it was', async () => {
    const row = await share();
    const expected = [{ path: 'memberCredentials.1', message: 'opens no share of the document' }];
    const check = async (change: Partial<QuorumShareRow>) => {
      const answer = await withShare(change);
      expect([Object.keys(change), said(answer), answer.body.error.errors]).toEqual([
        Object.keys(change),
        '400 SHARE_DECRYPTION_FAILED',
        expected,
      ]);
    };
    for (let at = 0; at < row.encrypted_share.length; at += 1)
      await check({ encrypted_share: flipped(row.encrypted_share, at) });
    for (const bytes of [new Uint8Array(), row.encrypted_share.subarray(1), new Uint8Array(1_000)])
      await check({ encrypted_share: Uint8Array.from(bytes) });
    for (const at of [0, 15, 31]) await check({ salt: flipped(row.salt, at) });
    for (const commitment of ['', '0'.repeat(64), row.commitment.toUpperCase()]) await check({ commitment });
    await check({ generation: 2 });
    await check({ member_id: scene.people[2]!.id });
    const foreign = await scene.house.ctx.db
      .selectFrom('quorum_shares')
      .select(['encrypted_share', 'salt', 'commitment'])
      .where('document_id', '=', other)
      .where('member_id', '=', row.member_id)
      .executeTakeFirstOrThrow();
    await check(foreign);
    expect((await open()).body.document).toBe('the secret');
  });

  it('is not opened with another column of its own', async () => {
    const { db } = scene.house.ctx;
    const all = db.selectFrom('quorum_documents').selectAll();
    const row = await all.where('id', '=', id).executeTakeFirstOrThrow();
    const foreign = await all.where('id', '=', other).executeTakeFirstOrThrow();
    const outcomes: readonly [Partial<QuorumDocumentRow>, string][] = [
      [{ header: foreign.header }, '500 DOCUMENT_DAMAGED'],
      [{ header: `${row.header} ` }, '500 DOCUMENT_DAMAGED'],
      [{ header: '' }, '500 DOCUMENT_DAMAGED'],
      [{ block_id: foreign.block_id }, '500 DOCUMENT_DAMAGED'],
      [{ block_id: 'a'.repeat(128) }, '500 DOCUMENT_DAMAGED'],
      [{ epoch: row.epoch + 1 }, '400 SHARE_DECRYPTION_FAILED'],
      [{ generation: 2 }, '400 SHARE_DECRYPTION_FAILED'],
      [{ shares_required: 3 }, '400 INSUFFICIENT_SHARES'],
      [{ shares_required: 1 }, '500 DOCUMENT_DAMAGED'],
      [{ shares_required: 0 }, '500 DOCUMENT_DAMAGED'],
    ];
    for (const [change, outcome] of outcomes) {
      await db.updateTable('quorum_documents').set(change).where('id', '=', id).execute();
      expect([change, said(await open())]).toEqual([change, outcome]);
      await db.updateTable('quorum_documents').set(row).where('id', '=', id).execute();
    }
    expect((await open()).body.document).toBe('the secret');
  });

  it('is not opened with any other byte of its block, nor without it', async () => {
    const { db, config, blocks } = scene.house.ctx;
    const { block_id: block } = await db
      .selectFrom('quorum_documents')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const path = join(config.dataDir, 'blocks', block.slice(0, 2), block.slice(2, 4), block);
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += 1) {
      await writeFile(path, flipped(bytes, at));
      expect([at, said(await open())]).toEqual([at, '500 DOCUMENT_DAMAGED']);
    }
    await writeFile(path, bytes.subarray(1));
    expect(said(await open())).toBe('500 DOCUMENT_DAMAGED');
    await blocks.delete(block);
    expect(said(await open())).toBe('500 DOCUMENT_DAMAGED');
    await blocks.put(bytes);
    expect((await open()).body.document).toBe('the secret');
  });
});
