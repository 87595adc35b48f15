import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import { copyTables, type CopiedTable } from '../../../../src/platform/store/transfer/copy-tables.ts';
import { contentOf, fillStore, hexId, memberRow } from '../../../support/sample-store.ts';
import { runs, stage } from '../../../support/stage.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';

async function copy(source: Database, target: Database, replace = false): Promise<CopiedTable[]> {
  return await target.exclusively(
    async (db) => await copyTables(source, { db, engine: target.engine }, { replace, onProgress: () => {} }),
  );
}

const pairs = (
  [
    ['sqljs', 'postgres'],
    ['postgres', 'sqljs'],
    ['sqljs', 'sqljs'],
  ] as const
)
  .filter((pair) => pair.every((engine) => bothEngines.includes(engine)))
  .filter(([from, to]) => stage !== 'all' || bothEngines.length === 1 || from !== to);

describe.each(pairs)('copying tables from %s to %s', (from, to) => {
  it('keeps every value, and finds the same counts and hashes on both sides', async () => {
    await using source = await openTestStore(from);
    await using target = await openTestStore(to);
    await fillStore(source, 10);
    const tables = await copy(source, target);
    expect(await contentOf(target)).toEqual(await contentOf(source));
    expect(tables.find(({ name }) => name === 'members')?.rows).toBe(10);
    await using back = await openTestStore(from);
    expect(await copy(target, back)).toEqual(tables);
  });

  it('refuses a target with rows, and replaces them when told to', async () => {
    await using source = await openTestStore(from);
    await using target = await openTestStore(to);
    await fillStore(source, 3);
    await fillStore(target, 5, 'other');
    const before = await contentOf(target);
    await expect(copy(source, target)).rejects.toMatchObject({ kind: 'conflict', code: 'STORE_EXISTS' });
    expect(await contentOf(target)).toEqual(before);
    await copy(source, target, true);
    expect(await contentOf(target)).toEqual(await contentOf(source));
    // Its references are guarded as before.
    await expect(
      target.db
        .insertInto('energy_accounts')
        .values(accountOf(hexId('nobody', 24)))
        .execute(),
    ).rejects.toThrow(/foreign key/i);
  });
});

describe.each(bothEngines)('copying tables to %s', (to) => {
  it('keeps arbitrary texts, numbers and bytes', { tags: 'thorough' }, async () => {
    await using source = await openTestStore('sqljs');
    await using target = await openTestStore(to);
    const row = fc.record({
      text: fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\0', '')),
      integer: fc.maxSafeInteger(),
      bytes: fc.option(fc.uint8Array({ maxLength: 80 }), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
        await source.transaction(async (db) => {
          await db.deleteFrom('members').execute();
          for (const [index, { text, integer, bytes }] of rows.entries()) {
            const member = memberRow(`m${index}`, { username: text, updated_at: integer });
            await db.insertInto('members').values(member).execute();
            const keys = { member_id: member.id, key_hash: text, request_hash: text };
            await db
              .insertInto('idempotency_keys')
              .values({ ...keys, reply: bytes, expires_at: integer })
              .execute();
          }
        });
        await copy(source, target, true);
        expect(await contentOf(target)).toEqual(await contentOf(source));
      }),
      { numRuns: runs(8) },
    );
  });

  it('copies tables of many pages', { tags: 'thorough' }, async () => {
    await using source = await openTestStore('sqljs');
    await using target = await openTestStore(to);
    const nonces = Array.from({ length: 2_345 }, (_, index) => ({ nonce: hexId(`${index}`, 64), expires_at: index }));
    await source.transaction(async (db) => {
      for (let first = 0; first < nonces.length; first += 500)
        await db
          .insertInto('used_direct_login_tokens')
          .values(nonces.slice(first, first + 500))
          .execute();
    });
    const seen: number[] = [];
    await target.exclusively(
      async (db) =>
        await copyTables(
          source,
          { db, engine: target.engine },
          {
            replace: false,
            onProgress: ({ what, done }) => what === 'copying used_direct_login_tokens' && seen.push(done),
          },
        ),
    );
    expect(await contentOf(target)).toEqual(await contentOf(source));
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.at(-1)).toBe(nonces.length);
  });

  it.each([
    ['another value of a row', 'change', /other values/],
    ['a row less', 'drop', /\d rows instead of \d/],
  ] as const)('finds %s on the other side, and keeps nothing', async (_, what, said) => {
    await using source = await openTestStore('sqljs');
    await using target = await openTestStore(to);
    await fillStore(source, 3);
    await meddle(target, what, hexId('sample job 1', 32));
    const copying = copy(source, target);
    await expect(copying).rejects.toMatchObject({ kind: 'internal', code: 'COPY_DIFFERS' });
    await expect(copying).rejects.toThrow(/the table jobs has/);
    await expect(copying).rejects.toThrow(said);
    expect(Object.values(await contentOf(target)).flat()).toEqual([]);
  });

  it('refuses rows that refer to nobody, and keeps nothing', async () => {
    await using source = await openTestStore('sqljs');
    await using target = await openTestStore(to);
    await fillStore(source, 3);
    await orphan(source);
    await expect(copy(source, target)).rejects.toMatchObject({ code: 'COPY_DIFFERS' });
    expect(Object.values(await contentOf(target)).flat()).toEqual([]);
  });
});

describe.runIf(bothEngines.includes('postgres'))('copying tables to PostgreSQL', () => {
  it('names the row with a NUL character, which it cannot hold', async () => {
    await using source = await openTestStore('sqljs');
    await using target = await openTestStore('postgres');
    const member = memberRow('nul', { username: 'a\0b' });
    await source.db.insertInto('members').values(member).execute();
    const copying = copy(source, target);
    await expect(copying).rejects.toMatchObject({ kind: 'invalid', code: 'COPY_UNFIT' });
    await expect(copying).rejects.toThrow(`members.username of the row with id ${member.id}`);
  });
});

function accountOf(memberId: string) {
  const numbers = { balance: 0, earned: 0, spent: 0, reserved: 0, reputation: 0, created_at: 0, updated_at: 0 };
  return { member_id: memberId, ...numbers };
}

/** A database that keeps one job otherwise than it was told to, or not at all. */
async function meddle({ db, engine }: Database, what: 'change' | 'drop', id: string): Promise<void> {
  if (engine === 'sqljs') {
    const deed =
      what === 'drop' ? 'delete from jobs where id = new.id' : "update jobs set kind = 'x' where id = new.id";
    const trigger = `create trigger meddling after insert on jobs when new.id = '${id}' begin ${deed}; end`;
    await sql.raw(trigger).execute(db);
    return;
  }
  const deed = what === 'drop' ? 'return null' : "new.kind = 'x'; return new";
  const body = `begin if new.id = '${id}' then ${deed}; end if; return new; end`;
  await sql.raw(`create function meddling() returns trigger language plpgsql as $$ ${body} $$`).execute(db);
  await sql.raw('create trigger meddling before insert on jobs for each row execute function meddling()').execute(db);
  // Whoever copies switches ordinary triggers off.
  await sql.raw('alter table jobs enable always trigger meddling').execute(db);
}

/** What only damage or another program can do: an account of a member that isn't there. */
async function orphan(source: Database): Promise<void> {
  await sql`pragma foreign_keys = off`.execute(source.db);
  await source.db
    .insertInto('energy_accounts')
    .values(accountOf(hexId('nobody', 24)))
    .execute();
  await sql`pragma foreign_keys = on`.execute(source.db);
}
