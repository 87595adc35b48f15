import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { createLedgerPort } from '../../../src/platform/ledger/port.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { openBackup } from '../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../../src/platform/store/backup/write-backup.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { collectLog } from '../../support/collected-log.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';

const secret = new Uint8Array(32).fill(7);

async function append(ctx: Context, count: number): Promise<void> {
  await transaction(ctx, async (tx) => void (await appendEntry(tx, { type: 'POOL_ACL', data: { count } })));
}

async function counts({ db }: Context): Promise<unknown[]> {
  const rows = await db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows.slice(1).map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { data: unknown }).data);
}

describe.runIf(bothEngines.includes('postgres'))(
  'a backup of entries that wait, on postgres',
  { tags: 'thorough' },
  () => {
    it.each(['sqljs', 'postgres'] as const)('gives them their places where it is restored, on %s', async (engine) => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'backup.tar');
      // This process dies right after its commits.
      const ledger = { ...createLedgerPort(collectLog()), soon: () => undefined };
      await using house = await openHouse('postgres', { secret, context: { ledger } });
      const { store, blocks, keys, clock } = house.ctx;
      for (const count of [0, 1, 2]) await append(house.ctx, count);
      expect(await counts(house.ctx)).toEqual([]);
      await writeBackup({ database: store, blocks }, { file, identity: keys.identity, version: '1', now: clock.now() });

      await using created = await createPostgresDatabase({ migrated: false });
      await using data = await temporaryFolder();
      const place = { dataDir: data.path, url: engine === 'postgres' ? created.url : undefined };
      {
        await using backup = await openBackup(file);
        await restoreBackup(backup, { ...place, force: false });
      }
      await using restored = await openDatabase(place);
      await using copy = await openHouse('sqljs', { secret, context: { store: restored, db: restored.db } });
      await append(copy.ctx, 3);
      await copy.ctx.ledger.settled();
      expect(await counts(copy.ctx)).toEqual([0, 1, 2, 3].map((count) => ({ count })));
      expect(await verifyLedger(copy.ctx, { full: true })).toMatchObject({ ok: true, size: 5 });
    });
  },
);
