import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perEngine, type EngineStatements } from '../../src/platform/store/per-engine.ts';
import { registered, textsOf } from './engine-statements.ts';
import type { TestDatabase } from './lent-databases.ts';
import { refusedByPostgres } from './parsed-statements.ts';
import { prepareStatements, readStatements } from './prepared-statements.ts';
import { keepStatements, recordStatements, type RecordedStatement } from './recorded-statements.ts';
import { readSources } from './source-files.ts';
import { bothEngines, createPostgresDatabase, openTestStore } from './stores.ts';
import { unprepared, unregistered } from './unprepared-statements.ts';

const hasPostgres = bothEngines.includes('postgres');

/** Every text is new to the process, which records each once. */
let number = 0;
const fresh = () => sql.raw(`/* ${(number += 1)} of ${process.pid} */`);

async function recorded(body: (db: Awaited<ReturnType<typeof openTestStore>>['db']) => Promise<unknown>) {
  await using store = await openTestStore('sqljs');
  const end = recordStatements('a test');
  try {
    await body(store.db);
  } finally {
    end();
  }
  return end();
}

const none = new Map<string, string>();
const nobody = {};

let database: TestDatabase;
beforeAll(async () => {
  if (hasPostgres) database = await createPostgresDatabase({ migrated: true });
});
afterAll(async () => {
  if (hasPostgres) await database[Symbol.asyncDispose]();
});

describe.runIf(hasPostgres)('statements that ran on the embedded engine', () => {
  async function prepared(statements: readonly RecordedStatement[], excused: Record<string, string> = nobody) {
    return await prepareStatements(statements, database.url, { excused, embeddedOnly: none });
  }

  it('pass when PostgreSQL reads them too, whether kysely made them or they are text', async () => {
    const found = await recorded(async function asked(db) {
      await db
        .selectFrom('jobs')
        .select(sql`id ${fresh()}`.as('id'))
        .where('id', '=', 'x')
        .limit(1)
        .execute();
      await sql`select id ${fresh()} from jobs where id = ${'x'}`.execute(db);
      await db.executeQuery(CompiledQuery.raw(`select 1 /* ${(number += 1)} */ from jobs where id = $1`, ['x']));
    });
    expect(await prepared(found)).toMatchObject({ texts: 3, passed: 1, refused: [], idle: [] });
  });

  it('fail with the name of their place when SQLite alone can run them', async () => {
    const found = await recorded(async function onlyHere(db) {
      await sql`select instr(id, 'x') ${fresh()} from jobs`.execute(db);
    });
    const { passed, refused } = await prepared(found);
    expect(passed).toBe(0);
    expect(refused).toEqual([
      expect.objectContaining({
        place: 'test/support/prepared-statements.test.ts onlyHere',
        test: 'a test',
        refusal: expect.stringContaining('function instr(text, unknown) does not exist'),
      }),
    ]);
  });

  it('are compiled with the side of PostgreSQL where they have two', async () => {
    const found = await recorded(async (db) => {
      const both = perEngine({ sqljs: sql`instr(id, ${'x'})`, postgres: sql`strpos(id, ${'x'})` });
      await sql`select ${both} as at ${fresh()} from jobs where id <> ${'y'}`.execute(db);
    });
    expect(found.map(({ embedded, server }) => [embedded.includes('instr(id, ?)'), server])).toEqual([
      [true, expect.stringMatching(/strpos\(id, \$1\).*id <> \$2/)],
    ]);
    expect(await prepared(found)).toMatchObject({ texts: 1, passed: 1 });
  });

  it('are excused by place, for as long as that is needed', async () => {
    const found = await recorded(async function excusedHere(db) {
      await sql`select instr(id, 'x') ${fresh()} from jobs`.execute(db);
    });
    const excused = {
      'test/support/prepared-statements.test.ts excusedHere': 'a test',
      'src/nowhere.ts any': 'a test',
    };
    expect(await prepared(found, excused)).toMatchObject({ passed: 1, refused: [], idle: ['src/nowhere.ts any'] });
  });

  it('are read once, however often and in however many processes they ran', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conclave-recorded-'));
    try {
      const text = fresh();
      const found = await recorded(async (db) => {
        for (let time = 0; time < 3; time += 1) await sql`select id ${text} from jobs`.execute(db);
      });
      expect(found).toHaveLength(1);
      await keepStatements(folder, found);
      await keepStatements(folder, found);
      const kept = await readStatements(folder);
      expect(kept).toEqual([...found, ...found]);
      expect(await prepared(kept)).toMatchObject({ texts: 1, passed: 1 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('need not work there where they are registered for this engine', async () => {
    const here = `select instr(id, 'x') /* ${(number += 1)} */ from jobs`;
    const found = await recorded(async (db) => await db.executeQuery(CompiledQuery.raw(here)));
    const embeddedOnly = new Map([[here, 'src/some.ts']]);
    expect(await prepareStatements(found, database.url, { embeddedOnly, excused: nobody })).toMatchObject({ texts: 0 });
  });
});

/** SQLite reads a statement, and does not run it. */
async function refusedBySqlite(texts: Iterable<string>): Promise<Map<string, unknown>> {
  await using store = await openTestStore('sqljs');
  const refused = new Map<string, unknown>();
  for (const text of texts)
    await store.db
      .executeQuery(CompiledQuery.raw(`explain ${text}`))
      .catch((error: unknown) => refused.set(text, error));
  return refused;
}

/** The engines themselves, migrations, which both run whole, and what only says the name of an engine. */
const ownOf = /^src\/(?:cli\/|platform\/store\/(?:sqljs\/|postgres\/|migrations(?:\/|\.ts$)))/;
const choice = /\bengine\b\)? (?:===|!==) '|\[(?:\w+\.)*engine\]|instanceof (?:Postgres|Sqlite)Adapter/;

describe('statements of one engine', () => {
  const wrong: EngineStatements = {
    sqljs: () => [sql`select strpos(id, 'x') from jobs`],
    postgres: () => [{ sql: `select instr(id, 'x') from jobs` }],
  };

  it('are all read by SQLite', async () => {
    expect(await refusedBySqlite(textsOf('sqljs').keys())).toEqual(new Map());
    expect((await refusedBySqlite(textsOf('sqljs', { here: wrong }).keys())).size).toBe(1);
  });

  it.runIf(hasPostgres)('are all read by PostgreSQL', async () => {
    expect(await refusedByPostgres(database.url, textsOf('postgres').keys())).toEqual(new Map());
    expect((await refusedByPostgres(database.url, textsOf('postgres', { here: wrong }).keys())).size).toBe(1);
  });

  it('are registered by every file that chooses by the engine, but for those on a list', async () => {
    const sources = await readSources(['src']);
    const registering = sources.filter(({ text }) => /^export const engineStatements\b/m.test(text));
    expect(Object.keys(registered)).toEqual(registering.map(({ path }) => path));
    const choosing = sources.filter(({ path, text }) => !ownOf.test(path) && choice.test(text)).map(({ path }) => path);
    expect(choosing.filter((path) => !Object.hasOwn(registered, path))).toEqual(Object.keys(unregistered));
  });

  it('are on lists that have not grown', () => {
    expect(Object.keys(unregistered)).toHaveLength(14);
    expect(Object.keys(unprepared)).toHaveLength(17);
  });
});
