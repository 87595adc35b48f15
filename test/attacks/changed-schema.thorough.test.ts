import { join } from 'node:path';
import { sql } from 'kysely';
import initSqlJs from 'sql.js';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { openBackup } from '../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../src/platform/store/backup/write-backup.ts';
import { lentBlocks } from '../support/lent-blocks.ts';
import type { EngineName } from '../../src/platform/store/database.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { verifyStore } from '../../src/platform/store/verify.ts';
import { fillStore } from '../support/sample-store.ts';
import { inStage } from '../support/stage.ts';
import { engines, openTestStore, putMigratedStore, temporaryFolder } from '../support/stores.ts';

const { identity } = deriveNodeKeys(new Uint8Array(32).fill(7));

/** What somebody who can write the database might do to it, by engine; and how that is named. */
const changes: Readonly<Record<EngineName, readonly (readonly [statements: readonly string[], fault: string])[]>> = {
  sqljs: [
    [
      ["create trigger evil after insert on members begin update members set type = 'Admin'; end"],
      'the trigger evil on members is not of Conclave',
    ],
    [['create view evil as select * from members'], 'the view evil is not of Conclave'],
    [['create table evil (id integer primary key)'], 'the table evil is not of Conclave'],
    [['alter table members add column evil text'], 'the table members is not as Conclave makes it'],
    [['drop index idempotency_keys_expires_at'], 'the index idempotency_keys_expires_at is missing'],
    [
      [
        'drop index idempotency_keys_expires_at',
        'create index idempotency_keys_expires_at on idempotency_keys (reply)',
      ],
      'the index idempotency_keys_expires_at is not as Conclave makes it',
    ],
    [['create unique index evil on members (id, type)'], 'the index evil is not of Conclave'],
  ],
  postgres: [
    [
      [
        "create function evil() returns trigger language plpgsql as 'begin return null; end'",
        'create trigger evil before insert on members for each row execute function evil()',
      ],
      'the trigger evil on members is not of Conclave',
    ],
    [['create view evil as select * from members'], 'the view evil is not of Conclave'],
    [['create table evil (id integer primary key)'], 'the table evil is not of Conclave'],
    [['alter table members add column evil text'], 'the column members.evil is not of Conclave'],
    [['alter table members alter column email drop not null'], 'the column members.email is not as Conclave makes it'],
    [['drop index idempotency_keys_expires_at'], 'the index idempotency_keys_expires_at is missing'],
    [
      [
        'drop index idempotency_keys_expires_at',
        'create index idempotency_keys_expires_at on idempotency_keys (reply)',
      ],
      'the index idempotency_keys_expires_at is not as Conclave makes it',
    ],
    [['create rule evil as on delete to members do instead nothing'], 'the rule evil on members is not of Conclave'],
  ],
};

describe.each(engines)('a changed schema on %s', (engine) => {
  it('is named by a verification, and nothing is named in a sound one', async () => {
    // Of each kind one, all in one store, which is compared once; in the last stage each alone.
    const some = changes[engine].filter(([, fault]) =>
      /trigger|the table evil|members(?:\.evil)? is not|missing/.test(fault),
    );
    const alone = changes[engine].map((change) => [change]);
    for (const made of [[], ...inStage([some], [some], alone)]) {
      await using folder = await temporaryFolder();
      await using database = await openTestStore(engine);
      for (const statement of made.flatMap(([statements]) => statements)) await sql.raw(statement).execute(database.db);
      const schema = (await verifyStore(database, lentBlocks(folder.path))).find(({ name }) => name === 'schema');
      expect([made, schema?.ok]).toEqual([made, made.length === 0]);
      for (const [, fault] of made) expect(schema?.detail).toContain(fault);
    }
  });
});

async function changeFile(file: string, statement: string): Promise<void> {
  const { Database } = await initSqlJs();
  const database = new Database(await readFile(file));
  database.exec(statement);
  await writeFile(file, database.export());
  database.close();
}

describe('a store file', () => {
  it.each(['create view evil as select 1', changes.sqljs[0]![0][0]!])('is not opened with %s', async (statement) => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    {
      await using made = await openDatabase({ dataDir: folder.path });
      await fillStore(made, 1);
    }
    await changeFile(join(folder.path, 'store.db'), statement);
    await expect(openDatabase({ dataDir: folder.path, migrate: true })).rejects.toMatchObject({
      code: 'STORE_CHANGED',
      message: expect.stringContaining('evil') as unknown,
    });
  });
});

describe('a backup', () => {
  it.each(changes.sqljs.filter((_, at) => (at + 1) % inStage(3, 3, 1) === 0))(
    'of a store with %s is not restored',
    async (statements, fault) => {
      await using folder = await temporaryFolder();
      await using source = await openTestStore('sqljs');
      await fillStore(source, 2);
      const file = join(folder.path, 'backup');
      for (const statement of statements) await sql.raw(statement).execute(source.db);
      const options = { file, identity, version: '1.0.0', now: 0 };
      const writing = writeBackup({ database: source, blocks: lentBlocks(folder.path) }, options);
      // A trigger or a view doesn't even get into one that we write.
      if (/^the (?:trigger|view)/.test(fault)) await expect(writing).rejects.toMatchObject({ code: 'STORE_CHANGED' });
      else {
        await writing;
        await using backup = await openBackup(file);
        const dataDir = join(folder.path, 'target');
        await mkdir(dataDir);
        await expect(restoreBackup(backup, { dataDir, force: true })).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
      }
    },
  );
});
