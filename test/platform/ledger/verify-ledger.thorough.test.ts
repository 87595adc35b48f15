import { sql } from 'kysely';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { addLeaf, leafHash, leavesOf, rootOf, subtreeNumber, subtreeOfNumber } from '../../../src/crypto/merkle.ts';
import { concat } from '../../../src/crypto/bytes.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { sealOf } from '../../../src/platform/ledger/head.ts';
import { proveInclusion } from '../../../src/platform/ledger/proofs.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';

type Value = string | number | Uint8Array;
type Row = Record<string, Value>;

const keys = {
  ledger_entries: 'leaf_index',
  ledger_subtrees: 'node',
  ledger_head: 'id',
  ledger_openings: 'leaf_index',
  ledger_checkpoints: 'size',
} as const;
type Table = keyof typeof keys;

/** Something else of the same kind, that no constraint refuses. */
function other(value: Value, random: () => number): Value {
  if (typeof value === 'number') return value + 2 ** 20;
  if (typeof value === 'string') {
    const at = Math.floor(random() * value.length);
    return value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
  }
  return flipped(value, Math.floor(random() * value.length), random);
}

function flipped(bytes: Uint8Array, at: number, random: () => number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at]! ^= 1 << Math.floor(random() * 8);
  return changed;
}

async function rowsOf({ db }: Context, table: Table): Promise<Row[]> {
  return (await sql<Row>`select * from ${sql.table(table)} order by ${sql.ref(keys[table])}`.execute(db)).rows;
}

async function set({ db }: Context, table: Table, key: Value, column: string, value: Value): Promise<void> {
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${sql.ref(keys[table])} = ${key}`.execute(
    db,
  );
}

const verified = async (ctx: Context) => await verifyLedger(ctx, { full: true });

describe.each(engines)('ledger verify --full on %s', (engine) => {
  let house: House;
  let ctx: Context;

  beforeAll(async () => {
    house = await openHouse(engine);
    ctx = house.ctx;
    for (let count = 0; count < 12; count += 1) {
      await transaction(ctx, async (tx) => {
        const details = count % 4 === 1 ? { details: { count } } : {};
        await appendEntry(tx, { type: 'PASSVAULT_AUDIT', data: { count }, tags: { vault: 'v' }, ...details });
      });
      if (count % 5 === 0) await house.api('GET', '/ledger/checkpoint');
    }
  });
  afterAll(async () => await house[Symbol.asyncDispose]());

  it('finds nothing wrong with what the node wrote', async () => {
    const report = await verified(ctx);
    expect(report).toMatchObject({ ok: true, size: 13, faults: [], moreFaults: 0 });
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['head', true],
      ['waiting', true],
      ['entries', true],
      ['tree', true],
      ['openings', true],
      ['evidence', true],
      ['contradictions', true],
      ['quorum', true],
      ['keys', true],
      ['checkpoints', true],
    ]);
    expect(report.checks.at(-1)?.detail).toBe('3 given out');
  });

  it.each(Object.keys(keys) as Table[])('finds each changed column of each row of %s, and names it', async (table) => {
    const random = testRandom();
    const missed: string[] = [];
    for (const row of await rowsOf(ctx, table)) {
      const key = row[keys[table]]!;
      for (const [column, value] of Object.entries(row)) {
        // When a checkpoint was given out is not part of it.
        if (column === 'created_at') continue;
        // A name for rows of services. What they say of the entry is in its opening.
        if (column === 'entry_id') continue;
        // An opening belongs to some entry; those of the next ones are free here.
        const isOwner = table === 'ledger_openings' && column === 'leaf_index';
        const changed = isOwner ? Number(value) + 1 : other(value, random);
        try {
          await set(ctx, table, key, column, changed);
        } catch {
          // An index that an opening refers to can't be changed by itself.
          expect([table, column]).toEqual(['ledger_entries', 'leaf_index']);
          continue;
        }
        const { ok, faults } = await verified(ctx);
        await set(ctx, table, column === keys[table] ? changed : key, column, value);
        const what = `${table} ${String(key)} ${column}: ${JSON.stringify(faults)}`;
        if (ok || faults.length === 0) missed.push(what);
        if (table === 'ledger_entries' && !faults.some(({ index }) => index === key)) missed.push(what);
        if (table === 'ledger_openings' && column !== 'leaf_index' && faults[0]?.index !== key) missed.push(what);
        const start = leavesOf(subtreeOfNumber(Number(key))).start;
        if (table === 'ledger_subtrees' && !faults.some(({ index }) => index === start)) missed.push(what);
      }
    }
    expect(missed).toEqual([]);
    expect((await verified(ctx)).ok).toBe(true);
  });

  it('finds each changed byte of an entry, and names that entry alone', async () => {
    const body = (await rowsOf(ctx, 'ledger_entries'))[6]!['body'] as Uint8Array;
    // All of them in a few runs: each takes the whole check.
    const step = inStage(24, 12, engine === 'postgres' ? 8 : 3);
    const random = testRandom();
    for (let at = Math.floor(random() * step); at < body.length; at += step) {
      await set(ctx, 'ledger_entries', 6, 'body', flipped(body, at, random));
      const { ok, faults } = await verified(ctx);
      expect(ok).toBe(false);
      expect(new Set(faults.map(({ index }) => index))).toEqual(new Set([6]));
    }
    await set(ctx, 'ledger_entries', 6, 'body', body);
    expect((await verified(ctx)).ok).toBe(true);
  });

  it.each(['ledger_entries', 'ledger_subtrees', 'ledger_head'] as const)(
    'finds a row of %s that was taken away',
    async (table) => {
      let found = 0;
      for (const row of await rowsOf(ctx, table)) {
        const key = row[keys[table]]!;
        const [columns, values] = [Object.keys(row), Object.values(row)];
        try {
          await sql`delete from ${sql.table(table)} where ${sql.ref(keys[table])} = ${key}`.execute(ctx.db);
        } catch {
          expect(table).toBe('ledger_entries');
          continue;
        }
        const { ok, faults } = await verified(ctx);
        await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))}) values (${sql.join(values)})`.execute(
          ctx.db,
        );
        expect(ok).toBe(false);
        expect(faults.length).toBeGreaterThan(0);
        if (table === 'ledger_entries') expect(faults.some(({ index }) => index === key)).toBe(true);
        found += 1;
      }
      expect(found).toBeGreaterThan(0);
      expect((await verified(ctx)).ok).toBe(true);
    },
  );

  it('finds a hash of the tree beyond its end', async () => {
    const table = 'ledger_subtrees';
    const row = (await rowsOf(ctx, table)).at(-1)!;
    const stray = { ...row, [keys[table]]: Number(row[keys[table]]) + 2 ** 20 };
    const names = Object.keys(stray).map((name) => sql.ref(name));
    await sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(Object.values(stray))})`.execute(
      ctx.db,
    );
    const { ok, faults } = await verified(ctx);
    await sql`delete from ${sql.table(table)} where ${sql.ref(keys[table])} = ${stray[keys[table]]}`.execute(ctx.db);
    expect([ok, faults.length]).toEqual([false, 1]);
    expect(faults[0]!.what).toContain('beyond the end');
    expect((await verified(ctx)).ok).toBe(true);
  });

  it('finds a hash of the tree that is too short, and gives nobody a proof with it', async () => {
    const table = 'ledger_subtrees';
    const whole = (await rowsOf(ctx, table)).find(({ node }) => node === 1)!['hash'] as Uint8Array;
    await set(ctx, table, 1, 'hash', whole.slice(1));
    const { ok, faults } = await verified(ctx);
    const proof = proveInclusion(ctx, 2, 4);
    await expect(proof).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await set(ctx, table, 1, 'hash', whole);
    expect({ ok, faults }).toMatchObject({ ok: false, faults: [{ index: 0 }] });
    expect(await verified(ctx)).toMatchObject({ ok: true });
  });

  it('finds a head that says another entry names its key, also one that the node itself sealed', async () => {
    const row = await ctx.db.selectFrom('ledger_head').selectAll().executeTakeFirstOrThrow();
    const wrong = { ...row, genesis: 3 };
    await ctx.db
      .updateTable('ledger_head')
      .set({ genesis: 3, seal: sealOf(ctx.keys, wrong) })
      .execute();
    const reports = [await verifyLedger(ctx, { full: true }), await verifyLedger(ctx, { full: false })];
    await ctx.db.updateTable('ledger_head').set({ genesis: row.genesis, seal: row.seal }).execute();
    for (const { ok, faults } of reports) {
      expect(ok).toBe(false);
      expect(faults).toEqual([{ index: 3, what: 'entry 3 does not name the key of the head' }]);
    }
    expect((await verified(ctx)).ok).toBe(true);
  });

  it('finds a log key that comes a second time', async () => {
    await using victim = await openHouse(engine);
    const append = async (by: Context) => await transaction(by, (tx) => appendEntry(tx, { type: 'POOL_ACL' }));
    const elsewhere = { ...victim.ctx, keys: deriveNodeKeys(new Uint8Array(32).fill(9)) };
    await append(victim.ctx);
    await victim.ctx.ledger.settled();
    // Restored without its node secret, and then with it once more.
    await append(elsewhere);
    expect((await verified(elsewhere)).ok).toBe(true);
    await append(victim.ctx);
    const { ok, faults } = await verified(victim.ctx);
    expect(ok).toBe(false);
    expect(faults).toEqual([{ index: 4, what: 'entry 4 names a key that an earlier entry named' }]);
  });

  it('finds history that was written anew, hashes and all, by somebody without the node secret', async () => {
    await using victim = await openHouse(engine);
    for (let count = 0; count < 6; count += 1)
      await transaction(victim.ctx, (tx) => appendEntry(tx, { type: 'POOL_ACL', data: { count } }));
    await victim.api('GET', '/ledger/checkpoint');
    const rows = await rowsOf(victim.ctx, 'ledger_entries');
    const text = Buffer.from(rows[3]!['body'] as Uint8Array).toString();
    rows[3]!['body'] = Buffer.from(text.replace('"count":2', '"count":9'));
    const frontier: Uint8Array[] = [];
    for (const [index, { body }] of rows.entries()) {
      const hash = leafHash(body as Uint8Array);
      await set(victim.ctx, 'ledger_entries', index, 'body', body!);
      await set(victim.ctx, 'ledger_entries', index, 'leaf_hash', hash);
      for (const subtree of addLeaf(frontier, index, hash))
        await set(victim.ctx, 'ledger_subtrees', subtreeNumber(subtree), 'hash', subtree.hash);
    }
    await set(victim.ctx, 'ledger_head', 1, 'frontier', concat(...frontier));
    const report = await verified(victim.ctx);
    expect(report.root).toBe(Buffer.from(rootOf(frontier)).toString('hex'));
    expect(report.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['head', 'checkpoints']);
    expect(report.faults.map(({ what }) => what).join('; ')).toContain('history was changed');
  });

  it('finds entries that were cut off, and is quick without --full', async () => {
    await using victim = await openHouse(engine);
    for (let count = 0; count < 6; count += 1)
      await transaction(victim.ctx, (tx) => appendEntry(tx, { type: 'POOL_ACL', data: { count } }));
    await victim.ctx.ledger.settled();
    const earlier = (await rowsOf(victim.ctx, 'ledger_head'))[0]!;
    await transaction(victim.ctx, (tx) => appendEntry(tx, { type: 'POOL_ACL' }));
    await victim.api('GET', '/ledger/checkpoint');
    expect(await verifyLedger(victim.ctx, { full: false })).toMatchObject({ ok: true, size: 8 });
    // An old head with its own seal: what only the checkpoints remember.
    await sql`delete from ledger_entries where leaf_index = 7`.execute(victim.ctx.db);
    await sql`delete from ledger_subtrees where node in (13, 11, 7)`.execute(victim.ctx.db);
    for (const column of ['size', 'frontier', 'seal'])
      await set(victim.ctx, 'ledger_head', 1, column, earlier[column]!);
    for (const full of [true, false]) {
      const report = await verifyLedger(victim.ctx, { full });
      expect(report.faults).toEqual([
        {
          index: null,
          what: 'the checkpoint of 8 entries is of a ledger larger than this one: entries were removed',
        },
      ]);
    }
  });

  it('is for the operator, in process and over the control socket', async () => {
    const token = await house.operatorToken();
    const asked = { token, body: { full: true }, trusted: true };
    expect(await house.api('POST', '/api/admin/ledger/verify', asked)).toMatchObject({
      status: 200,
      body: { ok: true, size: 13, message: 'Ledger checked' },
    });
    expect((await house.api('POST', '/api/admin/ledger/verify', { ...asked, trusted: false })).status).toBe(404);
    const { token: member } = await house.administrator();
    expect((await house.api('POST', '/api/admin/ledger/verify', { ...asked, token: member })).status).toBe(403);
  });
});
