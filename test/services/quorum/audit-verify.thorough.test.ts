import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorId } from '../../../src/service/actor.ts';
import { transaction } from '../../../src/service/context.ts';
import { record } from '../../../src/services/quorum/audit/record.ts';
import { takeLease } from '../../../src/services/quorum/audit/lease.ts';
import { verifyAudit } from '../../../src/services/quorum/audit/verify.ts';
import { nothingVerified } from '../../../src/services/quorum/audit/verified.ts';
import { placeOf, verifiedTables, type VerifiedTable } from '../../../src/services/quorum/audit/row-digests.ts';
import { integrateWaiting } from '../../../src/platform/ledger/sequencer.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import type { QuorumAuditRow } from '../../../src/platform/store/tables/quorum.ts';
import { engines } from '../../support/stores.ts';
import { auditIsValid, livedIn, verified } from './auditing.ts';
import { decided, voting, proposed } from './governing.ts';
import { openQuorum, operator, said, type QuorumScene } from './scene.ts';
import { staysSo } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

type Row = Record<string, unknown>;

const tables = Object.entries(verifiedTables) as unknown as readonly [VerifiedTable, readonly string[]][];

/** Another value of the same type that looks much like it: one bit, digit or character differs. */
function forged(column: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return value.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
  if (typeof value === 'number') return value === 1 ? 0 : value + 1;
  if (typeof value === 'string') return value === '' ? 'x' : `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`;
  if (column.startsWith('encrypted_')) return Uint8Array.of(1);
  return column.endsWith('_at') || /^(previous|size)$/.test(column) ? 1 : 'x';
}

/** Whether the engine took a change; it refuses one that leaves a row without the row that it belongs to. */
async function isTaken(change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof Error && /foreign key/i.test(error.message)) return false;
    throw error;
  }
}

function placeIn(table: VerifiedTable, row: Row): string {
  return placeOf([table, ...verifiedTables[table].map((column) => row[column] as string)]);
}

describe.each(engines)('the verification of the audit trail on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 5);
    scene.willTamper();
    await livedIn(scene);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const rowsOf = async (table: string) =>
    (await sql<Row>`select * from ${sql.table(table)}`.execute(scene.house.ctx.db)).rows;
  const where = (columns: readonly string[], row: Row) =>
    sql.join(
      columns.map((column) => sql`${sql.ref(column)} = ${row[column]}`),
      sql` and `,
    );
  const run = async (statement: ReturnType<typeof sql>) => void (await statement.execute(scene.house.ctx.db));

  it('reads what is new, and knows the rest', async () => {
    const records = await rowsOf('quorum_audit');
    const first = await verified(scene);
    expect(first).toEqual({
      valid: true,
      entriesVerified: records.length,
      newEntries: records.length,
      error: null,
      faults: [],
      moreFaults: 0,
    });
    expect(await verified(scene)).toEqual({ ...first, newEntries: 0 });
    await decided(scene, 'CUSTOM', {}, scene.people.slice(0, 2));
    expect(await verified(scene)).toEqual({ ...first, newEntries: 4, entriesVerified: records.length + 4 });
  });

  it('finds any column of any row that was changed', { tags: 'thorough' }, async () => {
    await auditIsValid(scene);
    let found = 0;
    for (const [table, keys] of tables) {
      const rows = await rowsOf(table);
      expect([table, rows.length > 0]).toEqual([table, true]);
      for (const row of rows.slice(inStage(-1, -1, -2))) {
        const place = placeIn(table, row);
        for (const column of Object.keys(row).filter((name) => !keys.includes(name))) {
          const set = async (value: unknown) =>
            await run(sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${where(keys, row)}`);
          if (!(await isTaken(set(forged(column, row[column]))))) continue;
          expect([place, column, await verified(scene)]).toMatchObject([
            place,
            column,
            { valid: false, faults: [`${place} is not as it was recorded`], newEntries: 0 },
          ]);
          await set(row[column]);
          found += 1;
        }
      }
    }
    expect(found).toBeGreaterThan(inStage(70, 70, 140));
    await auditIsValid(scene);
  });

  it('finds rows that are gone, and rows that nobody recorded', async () => {
    const all = new Map<string, Row[]>();
    for (const [table] of tables) all.set(table, await rowsOf(table));
    const insert = async (table: string, row: Row) =>
      await run(
        sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
          values (${sql.join(Object.values(row))}) on conflict do nothing`,
      );
    for (const [table, keys] of tables) {
      const row = all.get(table)!.at(-1)!;
      await run(sql`delete from ${sql.table(table)} where ${where(keys, row)}`);
      const { faults, error } = await verified(scene);
      // What belongs to a row is gone with it.
      expect(faults).toContain(`${placeIn(table, row)} is gone`);
      expect(error).toContain(' is gone');
      for (const [other, rows] of all) for (const one of rows) await insert(other, one);
      await auditIsValid(scene);
      const key = keys.at(-1)!;
      const other = { ...row, [key]: typeof row[key] === 'number' ? row[key] + 1_000 : forged(key, row[key]) };
      if (!(await isTaken(insert(table, other)))) continue;
      expect((await verified(scene)).faults).toEqual([`${placeIn(table, other)} was never recorded`]);
      await run(sql`delete from ${sql.table(table)} where ${where(keys, other)}`);
    }
    await auditIsValid(scene);
  });

  it('finds a vote that somebody wrote into the database', async () => {
    const [ann, bob, cyd] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, bob!, proposal.id, 'reject');
    const [vote] = await scene.house.ctx.db
      .selectFrom('quorum_votes')
      .selectAll()
      .where('proposal_id', '=', proposal.id)
      .execute();
    await scene.house.ctx.db
      .insertInto('quorum_votes')
      .values({ ...vote!, voter_id: cyd!.id, decision: 'approve' })
      .execute();
    const place = `votes/${proposal.id}/${cyd!.id}`;
    expect(await verified(scene)).toMatchObject({ valid: false, faults: [`${place} was never recorded`] });
    expect((await scene.ask('GET', `/proposals/${proposal.id}`)).tally).toMatchObject({ approve: 0, reject: 1 });
    await scene.house.ctx.db
      .deleteFrom('quorum_votes')
      .where('voter_id', '=', cyd!.id)
      .where('proposal_id', '=', proposal.id)
      .execute();
    await auditIsValid(scene);
  });

  it('finds a vote that the trail has, and that nobody signed', async () => {
    const { ctx } = scene.house;
    const [ann] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, ann!, proposal.id, 'reject');
    // Only somebody who has the secrets of the node can record it.
    const recorded = async (decision: 'approve' | 'reject') =>
      await transaction(ctx, async (tx) => {
        await tx.db.updateTable('quorum_votes').set({ decision }).where('proposal_id', '=', proposal.id).execute();
        const event = { action: 'VOTE_CAST', subject: `proposal/${proposal.id}` };
        await record(tx, operatorId, event, [['quorum_votes', proposal.id, ann!.id]]);
      });
    await recorded('approve');
    const unsigned = `votes/${proposal.id}/${ann!.id} has a wrong signature`;
    expect((await verified(scene)).faults).toEqual([unsigned]);
    expect((await verified(scene)).faults).toEqual([unsigned]);
    await recorded('reject');
    await auditIsValid(scene);
  });

  it('begins anew when somebody changed what it knows, or put an older row and its digest back', async () => {
    const { db } = scene.house.ctx;
    const all = (await verified(scene)).entriesVerified;
    const anew = 'what was noted of earlier verifications was changed, so everything was verified anew';
    const [ann] = scene.people;
    const place = `members/${ann!.id}`;
    const digest = async () =>
      await db.selectFrom('quorum_verified_rows').selectAll().where('place', '=', place).executeTakeFirstOrThrow();
    const member = async () =>
      await db.selectFrom('quorum_members').selectAll().where('id', '=', ann!.id).executeTakeFirstOrThrow();
    const before = { digest: await digest(), row: await member() };
    for (const statement of [
      sql`update quorum_verified set records = records + 1`,
      sql`update quorum_verified set size = size - 1`,
      sql`update quorum_verified_rows set digest = ${'0'.repeat(64)} where place = ${place}`,
      sql`delete from quorum_verified_rows where place = ${place}`,
      sql`insert into quorum_verified_rows (place, digest) values ('zebra', 'x')`,
    ]) {
      await run(statement);
      expect(await verified(scene)).toMatchObject({
        valid: false,
        faults: [anew],
        newEntries: all,
        entriesVerified: all,
      });
      await auditIsValid(scene);
    }
    await scene.ask('DELETE', `/members/${ann!.id}`);
    await auditIsValid(scene);
    await db.updateTable('quorum_members').set(before.row).where('id', '=', ann!.id).execute();
    await db.updateTable('quorum_verified_rows').set(before.digest).where('place', '=', place).execute();
    expect((await verified(scene)).faults).toEqual([anew, `${place} is not as it was recorded`]);
  });

  it('is part of the verification of the ledger', async () => {
    const { db, ...ctx } = scene.house.ctx;
    // With PostgreSQL entries are placed a moment after they are committed.
    await integrateWaiting(scene.house.ctx);
    const check = async () => {
      const { checks, faults } = await verifyLedger({ db, ...ctx }, { full: true });
      return [checks.find(({ name }) => name === 'quorum')?.ok, faults.map(({ what }) => what)];
    };
    expect(await check()).toEqual([true, []]);
    // One that the change below does change; PostgreSQL has them in no order.
    const rows = (await rowsOf('quorum_audit')) as unknown as QuorumAuditRow[];
    const row = rows.find(({ details }) => details !== '{}')!;
    const { leaf_index: index } = await db
      .selectFrom('ledger_entries')
      .select('leaf_index')
      .where('entry_id', '=', row.ledger_entry)
      .executeTakeFirstOrThrow();
    const missing = `the record of the audit trail to which entry ${index} of the ledger commits is not in the store`;
    const audit = db.updateTable('quorum_audit').where('id', '=', row.id);
    await audit.set({ details: '{}' }).execute();
    expect(await check()).toEqual([false, [missing]]);
    await audit.set(row).execute();
    const stray = 'records of the audit trail that have no entry in the ledger: 1';
    for (const ledgerEntry of [row.ledger_entry, 'ab'.repeat(16)]) {
      const other = { ...row, id: 'cd'.repeat(16), ledger_entry: ledgerEntry };
      await db.insertInto('quorum_audit').values(other).execute();
      expect(await check()).toEqual([false, [stray]]);
      await db.deleteFrom('quorum_audit').where('id', '=', other.id).execute();
    }
    expect(await check()).toEqual([true, []]);
  });

  it('is for members and administrators alone', async () => {
    const stranger = await scene.house.register();
    expect(said(await scene.call('GET', '/audit/verify', undefined, stranger.token))).toBe('403 FORBIDDEN');
  });
});

describe.each(engines)('the ledger below the audit trail on %s', (engine) => {
  it('may not be changed where no verification has read it', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const { db } = scene.house.ctx;
    await verified(scene);
    await db.updateTable('quorum_verified').set({ seal: new Uint8Array() }).execute();
    const [first, second] = await db
      .selectFrom('quorum_audit as a')
      .innerJoin('ledger_entries as e', 'e.entry_id', 'a.ledger_entry')
      .selectAll('e')
      .orderBy('e.leaf_index')
      .execute();
    const entry = (at: number) => db.updateTable('ledger_entries').where('leaf_index', '=', at);
    const body = (text: string, [from, to]: [RegExp, string]) => Buffer.from(text.replace(from, to));
    const text = Buffer.from(second!.body).toString('utf8');
    const changes: readonly [RegExp, string, string][] = [
      [/QUORUM_AUDIT/, 'LEDGER_EVIDENCE', 'the entries of the ledger do not lead to its head'],
      [/"v":1/, '"v": 1', `entry ${second!.leaf_index} of the ledger is not canonical JSON`],
      [/"commit":"./, '"commit":"g', `entry ${second!.leaf_index} of the ledger has a commitment that is not a hash`],
    ];
    for (const [from, to, what] of changes) {
      await entry(second!.leaf_index)
        .set({ body: body(text, [from, to]) })
        .execute();
      expect((await verified(scene)).faults).toContain(what);
      await entry(second!.leaf_index).set({ body: second!.body }).execute();
      await auditIsValid(scene);
      await db.updateTable('quorum_verified').set({ seal: new Uint8Array() }).execute();
    }
    const opening = db.selectFrom('ledger_openings').selectAll().where('leaf_index', '=', first!.leaf_index);
    const { salt } = await opening.executeTakeFirstOrThrow();
    const openings = db.updateTable('ledger_openings').where('leaf_index', '=', first!.leaf_index);
    await openings.set({ salt: new Uint8Array(32) }).execute();
    const gone = `what entry ${first!.leaf_index} of the ledger commits to is not in the store`;
    expect((await verified(scene)).faults).toContain(gone);
    // Nothing is known as verified that was not.
    expect((await verified(scene)).faults).toContain(gone);
    await openings.set({ salt }).execute();
    await auditIsValid(scene);
    const { size, frontier } = await db.selectFrom('ledger_head').selectAll().executeTakeFirstOrThrow();
    await db
      .updateTable('ledger_head')
      .set({ frontier: new Uint8Array(frontier.length) })
      .execute();
    expect((await verified(scene)).faults).toEqual(['the head of the ledger was not written by this node']);
    await db.updateTable('ledger_head').set({ frontier }).execute();
    await auditIsValid(scene);
    expect(size).toBeGreaterThan(first!.leaf_index);
  });

  it('may grow while it is verified, and two may verify it', async () => {
    await using scene = await openQuorum(engine, 5);
    const [ann] = scene.people;
    await verified(scene);
    const changes = scene.people.map(async (person) => {
      const { id } = await proposed(scene, ann!, 'CUSTOM', { of: person.id });
      for (const voter of scene.people.slice(0, 2)) await voting(scene, voter, id);
    });
    const looks = Array.from({ length: 12 }, async () => await verified(scene));
    await Promise.all(changes);
    for (const look of await Promise.all(looks)) expect(look).toMatchObject({ valid: true, faults: [] });
    expect(await verified(scene)).toMatchObject({ valid: true, entriesVerified: 25 });
  });

  it('is verified anew after a verification that stopped halfway, once that is silent', async () => {
    await using scene = await openQuorum(engine, 2);
    const { ctx, clock } = scene.house;
    await verified(scene);
    const lease = await takeLease(ctx);
    await lease.startAnew();
    clock.advance(29_999);
    let waits = true;
    const waiting = verified(scene).finally(() => (waits = false));
    await staysSo(() => expect(waits).toBe(true), 200);
    clock.advance(1);
    expect(await waiting).toMatchObject({ valid: true, newEntries: 2, entriesVerified: 2 });
    // The first one is not dead, and finds that another one took over.
    await expect(lease.end(nothingVerified, new Uint8Array(32))).rejects.toMatchObject({ code: 'AUDIT_BUSY' });
    expect(await verified(scene)).toMatchObject({ valid: true, newEntries: 0 });
  });

  it('may take long, as long as it says that it is alive, and leaves the next one free when it fails', async () => {
    await using scene = await openQuorum(engine, 2);
    const { ctx, clock } = scene.house;
    const slow = await takeLease(ctx);
    await slow.startAnew();
    clock.advance(20_000);
    await slow.alive();
    clock.advance(20_000);
    let waits = true;
    const waiting = verified(scene).finally(() => (waits = false));
    await staysSo(() => expect(waits).toBe(true), 200);
    await slow.end(nothingVerified, undefined);
    expect(await waiting).toMatchObject({ valid: true, newEntries: 2 });
    const now = async () => await Promise.reject(new Error('made by a test'));
    const failing = verifyAudit({ ...ctx, ledger: { ...ctx.ledger, now } }, operator);
    await expect(failing).rejects.toThrow('made by a test');
    // The clock stands still: what had not been given back would be waited for.
    expect(await verified(scene)).toMatchObject({ valid: true, newEntries: 2 });
  });
});
