import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/platform/store/migrations.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { openSqljsDatabase } from '../../../../src/platform/store/sqljs/sqljs-database.ts';
import { testRandom } from '../../../support/seeded.ts';
import { askPragma } from '../../../support/store-tables.ts';
import { jobRow } from '../../../support/jobs.ts';
import { temporaryFolder } from '../../../support/stores.ts';
import { volatileDisk } from '../../../support/volatile-disk.ts';

interface Crash {
  readonly folder: string;
  /** transactions that were acknowledged by then */
  readonly acknowledged: readonly string[];
}

describe('a loss of power', () => {
  it('takes nothing that was acknowledged, and leaves no half of a transaction', async () => {
    await using folder = await temporaryFolder();
    const random = testRandom();
    const volatile = volatileDisk();
    const crashes: Crash[] = [];
    const acknowledged: string[] = [];
    let changes = 0;
    let next = 3;
    volatile.onChange = () => {
      changes += 1;
      if (changes < next) return;
      const at = join(folder.path, `crash-${crashes.length}`);
      volatile.loseInto(at, random);
      crashes.push({ folder: at, acknowledged: [...acknowledged] });
      // Every one while the store is made, then here and there.
      next = changes + 1 + Math.floor(random() * (crashes.length < 12 ? 8 : 60));
    };
    const database = await openSqljsDatabase(folder.path, volatile.disk);
    await migrate(database);
    for (let turn = 0; turn < 45; turn += 1) {
      await Promise.all(
        [0, 1, 2].map(async (writer) => {
          const kind = `${turn}-${writer}`;
          await database.transaction(async (db) => {
            for (let part = 0; part < 3; part += 1)
              await db
                .insertInto('jobs')
                .values(jobRow(`${kind}-${part}`, { kind, payload: 'x'.repeat(Math.floor(random() * 60_000)) }))
                .execute();
            if (turn > 10) await sql`delete from jobs where kind like ${`${turn - 10}-%`}`.execute(db);
          });
          acknowledged.push(kind);
        }),
      );
    }
    volatile.onChange = () => {};
    await database[Symbol.asyncDispose]();

    expect(crashes.length).toBeGreaterThan(20);
    for (const crash of crashes) {
      await using found = await openDatabase({ dataDir: crash.folder, migrate: true });
      const { rows } = await sql<{
        kind: string;
        parts: number;
      }>`select kind, count(*) as parts from jobs group by kind`.execute(found.db);
      for (const { kind, parts } of rows) expect([kind, parts]).toEqual([kind, 3]);
      const kinds = new Set(rows.map(({ kind }) => kind));
      const deletedBefore = Math.max(0, ...rows.map(({ kind }) => Number(kind.split('-')[0]))) - 10;
      for (const kind of crash.acknowledged)
        if (Number(kind.split('-')[0]) > deletedBefore) expect(kinds).toContain(kind);
      expect(await askPragma(found, 'integrity_check')).toEqual(['ok']);
    }
  });
});
