import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { partEntry } from '../../../src/crypto/formats/ledger/entry.ts';
import { placesOf } from '../../../src/platform/ledger/places.ts';
import { createLedgerPort } from '../../../src/platform/ledger/port.ts';
import { integrateWaiting } from '../../../src/platform/ledger/sequencer.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { waitingRow } from '../../../src/platform/ledger/waiting.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { copyTables } from '../../../src/platform/store/transfer/copy-tables.ts';
import { collectLog } from '../../support/collected-log.ts';
import { openHouse, type House } from '../../support/house.ts';
import { bothEngines, createPostgresDatabase, openTestStore, temporaryFolder } from '../../support/stores.ts';

async function append(ctx: Context, count: number): Promise<string> {
  return await transaction(
    ctx,
    async (tx) => await appendEntry(tx, { type: 'POOL_ACL', data: { count }, details: { count } }),
  );
}

async function countsIn({ db }: Context): Promise<number[]> {
  const rows = await db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows
    .slice(1)
    .map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { data: { count: number } }).data.count);
}

const waitingIn = async ({ db }: Context) => (await db.selectFrom('ledger_waiting').select('id').execute()).length;

/** The row of an entry as another process stores it. */
function rowOf({ ctx }: House, count: number) {
  const now = ctx.clock.now();
  const entry = partEntry({ v: 1, type: 'POOL_ACL', time: new Date(now).toISOString(), data: { count } });
  return waitingRow(ctx.keys, { id: ctx.ledger.entryId(now, ctx.random), entry, opening: undefined });
}

/** A node whose entries get places only when the test says so, on a database that others can connect to. */
async function openPatientHouse() {
  const shared = await createPostgresDatabase({ migrated: true });
  const folder = await temporaryFolder();
  const store = await openDatabase({ dataDir: folder.path, url: shared.url });
  const ledger = { ...createLedgerPort(collectLog()), soon: () => undefined };
  const house = await openHouse('sqljs', { context: { store, db: store.db, ledger } });
  const other = new pg.Client({ connectionString: shared.url });
  // It is ended by force.
  other.on('error', () => {});
  await other.connect();
  return {
    house,
    ctx: house.ctx,
    other,
    async [Symbol.asyncDispose]() {
      await other.end().catch(() => undefined);
      await house[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

describe.runIf(bothEngines.includes('postgres'))('places of entries, on postgres', () => {
  it('are given to an entry that was stored before others and committed after they had theirs', async () => {
    await using setting = await openPatientHouse();
    const { house, ctx, other } = setting;
    const row = rowOf(house, 1);
    await other.query('begin isolation level serializable');
    await other.query('insert into ledger_waiting (id, content, seal) values ($1, $2, $3)', [
      row.id,
      Buffer.from(row.content),
      Buffer.from(row.seal),
    ]);
    await append(ctx, 2);
    await integrateWaiting(ctx);
    expect(await countsIn(ctx)).toEqual([2]);
    await other.query('commit');
    await append(ctx, 3);
    await integrateWaiting(ctx);
    expect(await countsIn(ctx)).toEqual([2, 1, 3]);
    expect((await placesOf(ctx, [row.id])).get(row.id)?.index).toBe(2);
    expect(await waitingIn(ctx)).toBe(0);
    expect(await verifyLedger(ctx, { full: true })).toMatchObject({ ok: true, size: 4 });
  });

  it('are given as soon as the connection breaks of a process that died in its turn', async () => {
    await using setting = await openPatientHouse();
    const { ctx, other } = setting;
    await append(ctx, 1);
    await other.query('begin isolation level read committed');
    await other.query('select pg_advisory_xact_lock($1)', [0x54_75_72_6e]);
    await other.query('delete from ledger_waiting');
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const placed = integrateWaiting(ctx);
    await ctx.db.executeQuery({
      ...ctx.db.selectFrom('ledger_head').select('id').compile(),
      sql: 'select pg_terminate_backend($1)',
      parameters: [rows[0]!.pid],
    });
    await placed;
    expect(await countsIn(ctx)).toEqual([1]);
    expect(await verifyLedger(ctx, { full: true })).toMatchObject({ ok: true, size: 2 });
  });

  it('are given once, wherever the turn before was cut off', async () => {
    await using setting = await openPatientHouse();
    const { ctx } = setting;
    const { store } = ctx;
    const died = new Error('the process died');
    let count = 0;
    const leave = async () => await append(ctx, (count += 1));
    // Before its first statement, after each of the three, and after the commit that it did not hear of.
    for (const statements of [0, 1, 2, 3]) {
      await leave();
      const cut: typeof store.inTurn = async (body) =>
        await store.inTurn(async (db) => {
          let left = statements;
          const counted = new Proxy(db, {
            get(target, name) {
              if (name !== 'executeQuery') return Reflect.get(target, name) as unknown;
              return async (query: Parameters<typeof db.executeQuery>[0]) => {
                if (left === 0) throw died;
                left -= 1;
                return await target.executeQuery(query);
              };
            },
          });
          await body(counted);
          throw died;
        });
      await expect(integrateWaiting({ ...ctx, store: { ...store, inTurn: cut } })).rejects.toBe(died);
      expect(await waitingIn(ctx)).toBe(count);
    }
    await leave();
    const unheard: typeof store.inTurn = async (body) => {
      await store.inTurn(body);
      throw died;
    };
    await expect(integrateWaiting({ ...ctx, store: { ...store, inTurn: unheard } })).rejects.toBe(died);
    await integrateWaiting(ctx);
    expect(await countsIn(ctx)).toEqual([1, 2, 3, 4, 5]);
    expect(await verifyLedger(ctx, { full: true })).toMatchObject({ ok: true, size: 6 });
  });
});

describe.each(bothEngines)('entries that wait in a store that is copied, on %s', (engine) => {
  it('keep their order, and later ones come after them', { tags: 'thorough' }, async () => {
    await using from = await openHouse(engine);
    await append(from.ctx, 1);
    await from.ctx.ledger.settled();
    const rows = [2, 3].map((count) => Object.assign(rowOf(from, count), { position: 1_000_000 + count }));
    await from.ctx.db.insertInto('ledger_waiting').values(rows).execute();
    for (const target of bothEngines) {
      await using store = await openTestStore(target);
      await store.exclusively(
        async (db) =>
          await copyTables(
            { db: from.ctx.db, engine },
            { db, engine: target },
            { replace: true, onProgress: () => undefined },
          ),
      );
      const ledger = { ...createLedgerPort(collectLog()), soon: () => undefined };
      const copy = { ...from.ctx, store, db: store.db, ledger };
      await append(copy, 4);
      if (target === 'postgres') {
        expect(await waitingIn(copy)).toBe(3);
        await integrateWaiting(copy);
      }
      expect(await countsIn(copy)).toEqual([1, 2, 3, 4]);
      expect(await waitingIn(copy)).toBe(0);
      expect(await verifyLedger(copy, { full: true })).toMatchObject({ ok: true, size: 5 });
    }
  });
});

describe.each(bothEngines)('entries under a clock that goes back, on %s', (engine) => {
  it('have their places in the order of their commits', async () => {
    await using house = await openHouse(engine);
    const ids: string[] = [];
    for (const count of [1, 2, 3]) {
      ids.push(await append(house.ctx, count));
      house.clock.advance(-60_000);
    }
    const places = await placesOf(house.ctx, ids);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.map((id) => places.get(id)?.index)).toEqual([1, 2, 3]);
    expect(await countsIn(house.ctx)).toEqual([1, 2, 3]);
    expect(await verifyLedger(house.ctx, { full: true })).toMatchObject({ ok: true, size: 4 });
  });
});
