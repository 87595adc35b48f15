import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { lentBlocks } from '../../support/lent-blocks.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { verifyStore, type Check } from '../../../src/platform/store/verify.ts';
import { fillBlocks, fillStore, hexId, memberRow, referToBlock } from '../../support/sample-store.ts';
import { bothEngines, engines, openTestStore, putMigratedStore, temporaryFolder } from '../../support/stores.ts';

const named = (checks: readonly Check[], name: string) => checks.find((check) => check.name === name);

describe.each(bothEngines)('verifying a store on %s', (engine) => {
  it('finds nothing wrong with a sound one', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engine);
    const blocks = lentBlocks(folder.path);
    await fillStore(database, 5);
    await fillBlocks(blocks, 4);
    const seen: string[] = [];
    const checks = await verifyStore(database, blocks, ({ what }) => seen.push(what));
    expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['schema', true],
      ['tables', true],
      ['references', true],
      ['blocks', true],
      ['referred blocks', true],
    ]);
    expect(named(checks, 'blocks')?.detail).toBe('4 blocks');
    expect(new Set(seen)).toEqual(new Set(['checking tables', 'checking blocks']));
  });
});

describe.each(engines)('verifying a store on %s', (engine) => {
  it('names blocks that rows refer to and that are missing', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engine);
    const blocks = lentBlocks(folder.path);
    await fillStore(database, 1);
    const [id = ''] = await fillBlocks(blocks, 2);
    await referToBlock(database, id);
    const referred = async () => named(await verifyStore(database, blocks), 'referred blocks');
    expect(await referred()).toMatchObject({ ok: true, detail: '1 blocks that rows refer to' });
    await blocks.delete(id);
    expect(await referred()).toMatchObject({ ok: false, detail: `${id} is missing` });
  });

  it('finds rows that refer to nobody', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engine);
    await fillStore(database, 2);
    await addOrphan(database);
    const checks = await verifyStore(database, lentBlocks(folder.path));
    expect(named(checks, 'references')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('energy_accounts'),
    });
    expect(named(checks, 'references')?.detail).toContain('members');
  });

  it('names damaged blocks', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engine);
    const [, one = '', other = ''] = await fillBlocks(lentBlocks(folder.path), 4);
    for (const [id, change] of [
      [one, 'longer'],
      [other, ''],
    ] as const) {
      const path = join(folder.path, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
      await writeFile(path, change === '' ? '' : Buffer.concat([await readFile(path), Buffer.from(change)]));
    }
    const found = named(await verifyStore(database, lentBlocks(folder.path)), 'blocks');
    expect(found?.ok).toBe(false);
    expect(found?.detail.split('; ').sort()).toEqual([`${one} is damaged`, `${other} is damaged`].toSorted());
  });

  it('finds a schema of another version', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engine);
    await database.transaction(async (db) => {
      await sql`delete from schema_migrations where version > 1`.execute(db);
    });
    const checks = await verifyStore(database, lentBlocks(folder.path));
    expect(named(checks, 'schema')).toMatchObject({ ok: false, detail: expect.stringContaining('version 1') });
  });
});

describe.runIf(bothEngines.includes('sqljs'))('verifying an embedded store', () => {
  it('finds an index that differs from its table', async () => {
    await using folder = await temporaryFolder();
    const name = 'needle-in-the-index';
    await putMigratedStore(folder.path);
    {
      await using database = await openDatabase({ dataDir: folder.path, command: 'a test' });
      await database.db
        .insertInto('members')
        .values(memberRow(name, { username: 'x', email: 'x', email_key: 'x' }))
        .execute();
    }
    const file = join(folder.path, 'store.db');
    const content = await readFile(file);
    // Once in the row, once in the index of the unique column.
    content[content.lastIndexOf(name)] = 'N'.charCodeAt(0);
    await writeFile(file, content);
    await using database = await openDatabase({ dataDir: folder.path, command: 'a test' });
    const found = named(await verifyStore(database, lentBlocks(folder.path)), 'tables');
    expect(found?.ok).toBe(false);
    expect(found?.detail).toMatch(/index|order/);
  });
});

/** What only damage or another program can do: an account of a member that isn't there. */
async function addOrphan(database: Database): Promise<void> {
  const row = { balance: 0, earned: 0, spent: 0, reserved: 0, reputation: 0, created_at: 0, updated_at: 0 };
  const add = async (): Promise<unknown> =>
    await database.db
      .insertInto('energy_accounts')
      .values({ member_id: hexId('nobody', 24), ...row })
      .execute();
  if (database.engine === 'sqljs') {
    await sql`pragma foreign_keys = off`.execute(database.db);
    await add();
    await sql`pragma foreign_keys = on`.execute(database.db);
    return;
  }
  const { rows } = await sql<{ name: string }>`
    select conname::text as name from pg_constraint where conrelid = 'energy_accounts'::regclass and contype = 'f'`.execute(
    database.db,
  );
  const constraint = sql.ref(rows[0]!.name);
  await sql`alter table energy_accounts drop constraint ${constraint}`.execute(database.db);
  await add();
  await sql`alter table energy_accounts add constraint ${constraint} foreign key (member_id) references members (id) not valid`.execute(
    database.db,
  );
}
