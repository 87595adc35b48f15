import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { leafHash, rootOf } from '../../../src/crypto/merkle.ts';
import { sha256 } from '../../../src/crypto/hash.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { ledgerTag, type NewLedgerEntry } from '../../../src/crypto/formats/ledger/entry.ts';
import { genesisOf } from '../../../src/crypto/formats/ledger/genesis.ts';
import { hashesIn } from '../../../src/platform/ledger/head.ts';
import { placesOf } from '../../../src/platform/ledger/places.ts';
import { logKeyOf } from '../../../src/crypto/formats/ledger/log-key.ts';
import { eraseOpening, openingOf } from '../../../src/platform/ledger/verify-tree.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

async function append(ctx: Context, entry: NewLedgerEntry = { type: 'PASSVAULT_AUDIT' }) {
  const id = await transaction(ctx, (tx) => appendEntry(tx, entry));
  return (await placesOf(ctx, [id])).get(id)!;
}

async function entriesIn({ db }: Context) {
  const rows = await db.selectFrom('ledger_entries').selectAll().orderBy('leaf_index').execute();
  return rows.map(({ leaf_index: index, leaf_hash: hash, body }) => {
    return { index, hash, text: Buffer.from(body).toString('utf8') };
  });
}

describe.each(bothEngines)('the ledger on %s', (engine) => {
  it('begins with whose it is, before the first entry', async () => {
    await using house = await openHouse(engine);
    const first = await append(house.ctx, { type: 'POOL_ACL', data: { version: 1 } });
    const [genesis, entry, ...more] = await entriesIn(house.ctx);
    expect(more).toEqual([]);
    expect(first).toEqual({ index: 1, leafHash: hex(entry!.hash) });
    expect(entry!.text).toBe(
      '{"data":{"version":1},"index":1,"time":"2026-01-15T12:00:00.000Z","type":"POOL_ACL","v":1}',
    );
    expect(hex(leafHash(Buffer.from(entry!.text)))).toBe(first.leafHash);
    expect(genesisOf(JSON.parse(genesis!.text))).toMatchObject({
      origin: `conclave/${house.ctx.keys.nodeId}`,
      logKey: logKeyOf(house.ctx.keys),
      nodeId: house.ctx.keys.nodeId,
      nodeKey: hex(house.ctx.keys.identity.publicKey),
    });
  });

  it('keeps the head of the tree beside the entries', async () => {
    await using house = await openHouse(engine);
    for (let count = 0; count < 20; count += 1) await append(house.ctx);
    const head = await house.ctx.db.selectFrom('ledger_head').selectAll().executeTakeFirstOrThrow();
    expect(head).toMatchObject({ size: 21, log_key: logKeyOf(house.ctx.keys), genesis: 0 });
    const report = await verifyLedger(house.ctx, { full: true });
    expect(report).toMatchObject({ ok: true, size: 21, root: hex(rootOf(hashesIn(head.frontier))), faults: [] });
  });

  it('tells who listens where it ends, after each commit and not of what failed', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const heard: [number, string][] = [];
    const listening = ctx.ledger.onGrowth(({ size, root }) => heard.push([size, hex(root())]));
    await append(ctx);
    await transaction(ctx, async (tx) => {
      await appendEntry(tx, { type: 'POOL_ACL' });
      throw new Error('changed my mind');
    }).catch(() => undefined);
    await append(ctx);
    const { root, size } = await verifyLedger(ctx, { full: true });
    expect(heard.map(([at]) => at)).toEqual([2, 3]);
    expect(heard.at(-1)).toEqual([size, root]);
    listening[Symbol.dispose]();
    await append(ctx);
    expect(heard).toHaveLength(2);
  });

  it('names things by tags, and commits to what can be erased', async () => {
    await using house = await openHouse(engine);
    const details = { member: 'alice', what: 'opened' };
    const entry = { type: 'PASSVAULT_AUDIT', tags: { vault: 'a vault' }, details } as const;
    const { index } = await append(house.ctx, entry);
    const again = await append(house.ctx, entry);
    const [, one, two] = (await entriesIn(house.ctx)).map(({ text }) => JSON.parse(text));
    expect(one.tags).toEqual({ vault: ledgerTag(house.ctx.keys.ledgerTag, 'vault', 'a vault') });
    expect(two.tags).toEqual(one.tags);
    expect(two.commit).not.toBe(one.commit);
    const opening = await openingOf(house.ctx, index);
    expect(Buffer.from(opening!.details).toString()).toBe('{"member":"alice","what":"opened"}');
    expect(hex(sha256(opening!.salt, opening!.details))).toBe(one.commit);
    expect(JSON.stringify([one, two])).not.toContain('alice');

    expect(await transaction(house.ctx, (tx) => eraseOpening(tx, index))).toBe(true);
    expect(await transaction(house.ctx, (tx) => eraseOpening(tx, index))).toBe(false);
    expect(await openingOf(house.ctx, index)).toBeUndefined();
    expect(await openingOf(house.ctx, again.index)).toBeDefined();
    const report = await verifyLedger(house.ctx, { full: true });
    expect(report.ok).toBe(true);
    expect(report.checks).toContainEqual({ name: 'openings', ok: true, detail: '1 kept, 1 erased' });
  });

  it('tags the same value differently under another name, or on another node', () => {
    const [one, other] = [1, 2].map((fill) => deriveNodeKeys(new Uint8Array(32).fill(fill)).ledgerTag);
    const tags = [ledgerTag(one!, 'a', 'bc'), ledgerTag(one!, 'ab', 'c'), ledgerTag(other!, 'a', 'bc')];
    expect(new Set(tags).size).toBe(3);
  });

  it('has no gaps and no doubles when many append at once', async () => {
    await using house = await openHouse(engine);
    const writers = engine === 'postgres' ? 24 : 200;
    const appended = await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        return await transaction(house.ctx, async (tx) => {
          const one = await appendEntry(tx, { type: 'PASSVAULT_AUDIT', data: { writer, part: 1 } });
          const two = await appendEntry(tx, {
            type: 'PASSVAULT_AUDIT',
            data: { writer, part: 2 },
            details: { writer },
          });
          return [one, two] as const;
        });
      }),
    );
    const places = await placesOf(house.ctx, appended.flat());
    const placed = appended.map(([one, two]) => [places.get(one)!, places.get(two)!] as const);
    for (const [one, two] of placed) expect(two.index).toBeGreaterThan(one.index);
    const indices = placed.flat().map(({ index }) => index);
    expect(indices.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 2 * writers }, (_, at) => at + 1));
    const entries = await entriesIn(house.ctx);
    for (const { index, leafHash: hash } of placed.flat()) expect(hex(entries[index]!.hash)).toBe(hash);
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 2 * writers + 1 });
  });

  it('has nothing of a transaction that failed', async () => {
    await using house = await openHouse(engine);
    const attempts = Array.from({ length: 12 }, async (_, at) => {
      return await transaction(house.ctx, async (tx) => {
        const appended = await appendEntry(tx, { type: 'POOL_ACL', data: { at }, details: { at } });
        if (at % 3 !== 0) throw new Error('changed my mind');
        return appended;
      });
    });
    const settled = await Promise.allSettled(attempts);
    const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const indices = [...(await placesOf(house.ctx, kept)).values()].map(({ index }) => index);
    expect(indices.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    const report = await verifyLedger(house.ctx, { full: true });
    expect(report).toMatchObject({ ok: true, size: 5 });
    expect(report.checks).toContainEqual({ name: 'openings', ok: true, detail: '4 kept, 0 erased' });
  });

  it('records nothing outside of a transaction, and nothing too large', async () => {
    await using house = await openHouse(engine);
    await expect(appendEntry(house.ctx, { type: 'POOL_ACL' })).rejects.toThrow('joins a transaction');
    await expect(append(house.ctx, { type: 'POOL_ACL', data: { text: 'x'.repeat(20_000) } })).rejects.toThrow(
      RangeError,
    );
    expect(await entriesIn(house.ctx)).toEqual([]);
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 0 });
  });

  it('records nothing after a head that it did not write', async () => {
    await using house = await openHouse(engine);
    await append(house.ctx);
    await house.ctx.db
      .updateTable('ledger_head')
      .set({ seal: new Uint8Array(32) })
      .execute();
    // A process of PostgreSQL looks at the head when it begins, and whenever it gives entries their places.
    house.ctx.ledger.sound = false;
    await expect(append(house.ctx)).rejects.toMatchObject({ kind: 'internal', code: 'LEDGER_DAMAGED' });
    expect((await house.api('GET', '/ledger/checkpoint')).status).toBe(500);
    expect(await entriesIn(house.ctx)).toHaveLength(2);
  });

  it('goes on under a new key after the node secret was lost, and says so', async () => {
    await using house = await openHouse(engine);
    await append(house.ctx);
    await house.api('GET', '/ledger/checkpoint');
    const other: Context = { ...house.ctx, keys: deriveNodeKeys(new Uint8Array(32).fill(9)) };
    const before = await verifyLedger(other, { full: true });
    expect(before.ok).toBe(false);
    expect(before.faults.map(({ what }) => what).join()).toContain('restored without its node secret');
    expect(await append(other)).toMatchObject({ index: 3 });
    const after = await verifyLedger(other, { full: true });
    expect(after).toMatchObject({ ok: true, size: 4 });
    const keys = after.checks.find(({ name }) => name === 'keys');
    expect(keys?.detail).toContain('the log key changed at entry 2');
  });
});
