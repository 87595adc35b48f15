import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/crypto/canonical-json.ts';
import { commitmentOf, parseEntry } from '../../../src/crypto/formats/ledger/entry.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';

describe.each(engines)('the audit log on %s', (engine) => {
  it('is committed to the ledger, record by record, and says nothing there', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ title: 'A title' });
    await scene.in('GET', `/entries/${id}`);
    const { entries, hasMore } = await scene.in('GET', '/audit-log');
    expect(hasMore).toBe(false);
    expect(entries.map((one: { action: string }) => one.action)).toEqual([
      'ENTRY_READ',
      'ENTRY_CREATED',
      'VAULT_CREATED',
    ]);
    const { db } = scene.house.ctx;
    for (const entry of entries) {
      const leaf = await db
        .selectFrom('ledger_entries')
        .selectAll()
        .where('leaf_index', '=', entry.blockHeight)
        .executeTakeFirstOrThrow();
      const opening = await db
        .selectFrom('ledger_openings')
        .selectAll()
        .where('leaf_index', '=', entry.blockHeight)
        .executeTakeFirstOrThrow();
      const leafEntry = parseEntry(leaf.body, entry.blockHeight) as { type: string; commit: string };
      expect(leafEntry.type).toBe('PASSVAULT_AUDIT');
      expect(leafEntry.commit).toBe(commitmentOf(opening.salt, opening.details));
      expect(Buffer.from(leaf.leaf_hash).toString('hex')).toBe(entry.ledgerEntryHash);
      const { blockHeight: _, ledgerEntryHash: __, ...record } = entry;
      expect(Buffer.from(opening.details).toString()).toBe(canonicalJson(record));
      const text = Buffer.from(leaf.body).toString();
      for (const hidden of [scene.vaultId, scene.owner.memberId, id, 'ENTRY_READ', 'A title'])
        expect(text).not.toContain(hidden);
    }
  });

  it('is read page by page', async () => {
    await using scene = await openScene(engine);
    for (let turn = 0; turn < 5; turn += 1) await scene.login({ title: `Entry ${turn}` });
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page: { entries: { id: string }[]; cursor?: string } = await scene.in(
        'GET',
        `/audit-log?limit=2${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      all.push(...page.entries.map((one) => one.id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(all).size).toBe(6);
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/audit-log?cursor=abc`))).toBe('400 INVALID_CURSOR');
  });

  it('has no record of what did not happen', async () => {
    await using scene = await openScene(engine);
    const before = await scene.house.ctx.db.selectFrom('passvault_audit').select('id').execute();
    await scene.call('GET', `/vaults/${scene.vaultId}/entries/${'0'.repeat(32)}`);
    await scene.call('POST', `/vaults/${scene.vaultId}/open`, { masterPassword: 'not this one' });
    await scene.call('POST', `/vaults/${scene.vaultId}/revoke-share`, { memberId: '0'.repeat(24) });
    expect(await scene.house.ctx.db.selectFrom('passvault_audit').select('id').execute()).toEqual(before);
    await scene.house.ctx.ledger.settled();
    const ledger = await scene.house.ctx.db.selectFrom('ledger_entries').select('leaf_index').execute();
    // The first one says whose ledger it is.
    expect(ledger).toHaveLength(before.length + 1);
  });
});
