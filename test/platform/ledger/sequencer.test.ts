import type { LedgerPort } from '../../../src/service/ports/ledger.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { transaction, type Context } from '../../../src/service/context.ts';
import { openEngine } from '../../../src/node/engine.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { partEntry } from '../../../src/crypto/formats/ledger/entry.ts';
import { placesOf } from '../../../src/platform/ledger/places.ts';
import { createLedgerPort } from '../../../src/platform/ledger/port.ts';
import { integrateWaiting } from '../../../src/platform/ledger/sequencer.ts';
import { waitingRow } from '../../../src/platform/ledger/waiting.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { collectLog } from '../../support/collected-log.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openHouse, type House } from '../../support/house.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';

/** A process that never gives a place: it dies right after its commits. */
function dying(): LedgerPort {
  return { ...createLedgerPort(collectLog()), soon: () => undefined };
}

async function append(ctx: Context, data: Readonly<Record<string, number>>): Promise<string> {
  return await transaction(ctx, async (tx) => await appendEntry(tx, { type: 'POOL_ACL', data, details: data }));
}

async function dataOf({ db }: Context): Promise<unknown[]> {
  const rows = await db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows.slice(1).map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { data: unknown }).data);
}

const waitingIn = async ({ db }: Context) =>
  (await db.selectFrom('ledger_waiting').select('id').orderBy('position').execute()).map(({ id }) => id);

const check = async (ctx: Context, full = true) =>
  (await verifyLedger(ctx, { full })).checks.find(({ name }) => name === 'waiting');

/** Entries as a process leaves them that dies before it gives them places. */
async function leave({ ctx }: Pick<House, 'ctx'>, ...counts: readonly number[]): Promise<string[]> {
  const rows = counts.map((count) => {
    const now = ctx.clock.now();
    const entry = partEntry({ v: 1, type: 'POOL_ACL', time: new Date(now).toISOString(), data: { count } });
    const waiting = { id: ctx.ledger.entryId(now, ctx.random), entry, opening: undefined };
    return Object.assign(waitingRow(ctx.keys, waiting), { position: count });
  });
  await ctx.db.insertInto('ledger_waiting').values(rows).execute();
  return rows.map(({ id }) => id);
}

describe.runIf(bothEngines.includes('postgres'))('entries that wait for their places, on postgres', () => {
  it('are stored with what they are about, and have their places soon, in the order of their commits', async () => {
    await using house = await openHouse('postgres');
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) ids.push(await append(house.ctx, { count }));
    expect(ids.toSorted()).toEqual(ids);
    await house.ctx.ledger.settled();
    expect(await waitingIn(house.ctx)).toEqual([]);
    expect(await dataOf(house.ctx)).toEqual(ids.map((_, count) => ({ count })));
    const places = await placesOf(house.ctx, ids);
    expect(ids.map((id) => places.get(id)?.index)).toEqual(ids.map((_, at) => at + 1));
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 31 });
  });

  it('make no transaction begin again, however many are written at once', async () => {
    await using house = await openHouse('postgres');
    let bodies = 0;
    const turns: Promise<void>[] = [];
    await Promise.all(
      Array.from({ length: 200 }, async (_, count) => {
        await transaction(house.ctx, async (tx) => {
          bodies += 1;
          await appendEntry(tx, { type: 'POOL_ACL', data: { count } });
        });
        if (count % 20 === 0) turns.push(integrateWaiting(house.ctx));
      }),
    );
    await Promise.all(turns);
    expect(bodies).toBe(200);
    await house.ctx.ledger.settled();
    expect(new Set((await dataOf(house.ctx)).map((data) => JSON.stringify(data))).size).toBe(200);
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 201 });
  });

  it(
    'get their places from another process when theirs dies, once, and before its own later ones',
    { tags: 'thorough' },
    async () => {
      await using shared = await createPostgresDatabase({ migrated: true });
      await using folder = await temporaryFolder();
      await using first = await openDatabase({ dataDir: folder.path, url: shared.url });
      await using second = await openDatabase({ dataDir: folder.path, url: shared.url });
      const secret = new Uint8Array(32).fill(7);
      await using dead = await openHouse('sqljs', { secret, context: { store: first, db: first.db, ledger: dying() } });
      await using alive = await openHouse('sqljs', { secret, context: { store: second, db: second.db } });
      for (const count of [0, 1, 2]) await append(dead.ctx, { count });
      expect(await dataOf(alive.ctx)).toEqual([]);
      expect(await check(alive.ctx)).toEqual({ name: 'waiting', ok: true, detail: '3 entries wait for their places' });
      await append(alive.ctx, { count: 3 });
      await Promise.all([alive.ctx.ledger.settled(), integrateWaiting(dead.ctx), integrateWaiting(alive.ctx)]);
      expect(await dataOf(alive.ctx)).toEqual([0, 1, 2, 3].map((count) => ({ count })));
      expect(await check(alive.ctx)).toMatchObject({ ok: true, detail: '0 entries wait for their places' });
    },
  );

  it('get them in turns, of which one waits for that of another process', async () => {
    await using shared = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    await using first = await openDatabase({ dataDir: folder.path, url: shared.url });
    await using second = await openDatabase({ dataDir: folder.path, url: shared.url });
    const order: string[] = [];
    const [entered, released] = [deferred(), deferred()];
    const one = first.inTurn(async () => {
      order.push('one begins');
      entered.resolve();
      await released.promise;
      order.push('one ends');
    });
    await entered.promise;
    // What it asks waits, and not the function that asks.
    const other = second.inTurn(async (db) => {
      await sql`select 1`.execute(db);
      order.push('the other');
    });
    const waiting = sql<{ pid: number }>`
      select pid from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    await eventually(async () => {
      const { rows } = await waiting.execute(first.db);
      expect(rows.length + Number(order.includes('the other'))).toBe(1);
    });
    released.resolve();
    await Promise.all([one, other]);
    expect(order).toEqual(['one begins', 'one ends', 'the other']);
  });

  it('wait until the head is the one that this node wrote, and none is accepted meanwhile', async () => {
    await using house = await openHouse('postgres');
    const { ctx, log } = house;
    await append(ctx, { count: 0 });
    await ctx.ledger.settled();
    const { seal } = await ctx.db.selectFrom('ledger_head').select('seal').executeTakeFirstOrThrow();
    const seals = async (now: Uint8Array) => await ctx.db.updateTable('ledger_head').set({ seal: now }).execute();
    const [id] = await leave(house, 1);
    await seals(new Uint8Array(32));
    await expect(integrateWaiting(ctx)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await expect(append(ctx, { count: 2 })).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await expect(placesOf(ctx, [id!])).rejects.toMatchObject({ kind: 'unavailable', code: 'LEDGER_BEHIND' });
    expect(log.lines.filter(({ message }) => message.startsWith('entries of the ledger have no place'))).toHaveLength(
      1,
    );
    expect(await waitingIn(ctx)).toEqual([id]);
    await seals(seal);
    expect((await placesOf(ctx, [id!])).get(id!)?.index).toBe(2);
    await append(ctx, { count: 3 });
    await ctx.ledger.settled();
    expect(await dataOf(ctx)).toEqual([0, 1, 3].map((count) => ({ count })));
  });

  it('are refused when they were changed or put back, and the others are not', async () => {
    await using house = await openHouse('postgres');
    const { ctx, log } = house;
    const [changed, honest, twice] = await leave(house, 1, 2, 3);
    const rows = await ctx.db.selectFrom('ledger_waiting').selectAll().orderBy('position').execute();
    const content = Buffer.from(Buffer.from(rows[0]!.content).toString().replace('"count":1', '"count":9'));
    await ctx.db.updateTable('ledger_waiting').set({ content }).where('id', '=', changed!).execute();
    await integrateWaiting(ctx);
    expect(await waitingIn(ctx)).toEqual([changed]);
    await ctx.db.insertInto('ledger_waiting').values(rows[2]!).execute();
    await integrateWaiting(ctx);
    expect(await dataOf(ctx)).toEqual([{ count: 2 }, { count: 3 }]);
    const report = await verifyLedger(ctx, { full: false });
    expect(report.checks.find(({ name }) => name === 'waiting')).toMatchObject({ ok: false });
    expect(report.faults.map(({ what }) => what)).toEqual([
      `the waiting entry ${changed} is not as this node wrote it, so it gets no place`,
      `the waiting entry ${twice} is in the ledger already`,
    ]);
    expect(log.lines.filter(({ message }) => message.includes('it gets no place'))).toHaveLength(2);
    expect((await placesOf(ctx, [honest!])).size).toBe(1);
    await expect(placesOf(ctx, [changed!])).rejects.toMatchObject({ code: 'LEDGER_BEHIND' });
    await ctx.db.deleteFrom('ledger_waiting').execute();
    expect((await placesOf(ctx, [changed!])).size).toBe(0);
  });

  it('are refused when another node secret sealed them', async () => {
    await using house = await openHouse('postgres');
    const [id] = await leave(house, 1);
    const elsewhere = { ...house.ctx, keys: deriveNodeKeys(new Uint8Array(32).fill(9)) };
    await integrateWaiting(elsewhere);
    await append(elsewhere, { count: 2 });
    await house.ctx.ledger.settled();
    expect(await dataOf(house.ctx)).toEqual([{ count: 2 }]);
    expect(await waitingIn(house.ctx)).toEqual([id]);
  });

  it('are more than one transaction takes', async () => {
    await using house = await openHouse('postgres');
    const counts = Array.from({ length: 1_100 }, (_, count) => count);
    await transaction(house.ctx, async (tx) => {
      for (const count of counts) await appendEntry(tx, { type: 'POOL_ACL', data: { count } });
    });
    await house.ctx.ledger.settled();
    expect(await dataOf(house.ctx)).toEqual(counts.map((count) => ({ count })));
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 1_101 });
  });

  it('have their places before a command ends', async () => {
    await using house = await openHouse('postgres');
    const id = await append(house.ctx, { count: 1 });
    await house.ctx.ledger[Symbol.asyncDispose]();
    const rows = await house.ctx.db
      .selectFrom('ledger_entries')
      .select('leaf_index')
      .where('entry_id', '=', id)
      .execute();
    expect(rows).toEqual([{ leaf_index: 1 }]);
  });
});

describe.each(bothEngines)('entries that a store brings along, on %s', (engine) => {
  it('have their places before new ones', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    await append(ctx, { count: 0 });
    await ctx.ledger.settled();
    await leave(house, 1, 2);
    expect(await check(ctx, false)).toMatchObject({ ok: true, detail: '2 entries wait for their places' });
    // On PostgreSQL, opening the node gives them places; see below.
    if (engine === 'postgres') await integrateWaiting(ctx);
    const id = await append(ctx, { count: 3 });
    expect((await placesOf(ctx, [id])).get(id)?.index).toBe(4);
    expect(await waitingIn(ctx)).toEqual([]);
    expect(await dataOf(ctx)).toEqual([0, 1, 2, 3].map((count) => ({ count })));
    expect(await verifyLedger(ctx, { full: true })).toMatchObject({ ok: true, size: 5 });
  });

  it('have their places when the node opens it', async () => {
    await using folder = await temporaryFolder();
    await using shared = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    const flags = { 'data-dir': folder.path };
    const { config, secrets } = await loadConfig({ flags, env: {}, home: folder.path, cwd: folder.path });
    const place = { ...config, database: shared?.url };
    const open = async () => await openEngine(place, secrets, { create: true, log: silentLog });
    {
      await using first = await open();
      await append(first.context, { count: 0 });
      await first.context.ledger.settled();
      await leave({ ctx: first.context }, 1, 2);
    }
    await using again = await open();
    expect(await waitingIn(again.context)).toEqual([]);
    expect(await dataOf(again.context)).toEqual([0, 1, 2].map((count) => ({ count })));
  });
});
