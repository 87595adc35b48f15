import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { openBackup } from '../../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../../src/platform/store/backup/restore-backup.ts';
import { writeBackup, type BackupReport } from '../../../../src/platform/store/backup/write-backup.ts';
import type { BlockStore } from '../../../../src/platform/store/blocks/blocks.ts';
import { lentBlocks } from '../../../support/lent-blocks.ts';
import type { Database, EngineName } from '../../../../src/platform/store/database.ts';
import { latestVersion } from '../../../../src/platform/store/migrations.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import {
  blockIds,
  contentOf,
  fillBlocks,
  fillStore,
  hexId,
  memberRow,
  signedOut,
} from '../../../support/sample-store.ts';
import { inStage, stage } from '../../../support/stage.ts';
import {
  bothEngines,
  createPostgresDatabase,
  engines,
  openTestStore,
  temporaryFolder,
} from '../../../support/stores.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { slowly } from '../../../support/real-time.ts';

const { nodeId, identity } = deriveNodeKeys(new Uint8Array(32).fill(7));

async function back(database: Database, blocks: BlockStore, file: string): Promise<BackupReport> {
  return await writeBackup({ database, blocks }, { file, identity, version: '1.2.3', now: Date.UTC(2026, 0, 15) });
}

/** A place that a backup goes to: a data directory, and a database for PostgreSQL. */
async function openPlace(engine: EngineName) {
  const folder = await temporaryFolder();
  const created = engine === 'postgres' ? await createPostgresDatabase({ migrated: false }) : undefined;
  return {
    dataDir: folder.path,
    url: created?.url,
    async [Symbol.asyncDispose]() {
      await created?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function restore(file: string, place: { dataDir: string; url: string | undefined }, force = false) {
  await using backup = await openBackup(file);
  return await restoreBackup(backup, { dataDir: place.dataDir, url: place.url, force });
}

/** Each engine as source and as target, and the common case. */
const pairs = (
  [
    ['sqljs', 'sqljs'],
    ['sqljs', 'postgres'],
    ['postgres', 'sqljs'],
  ] as const
)
  .filter((pair) => pair.every((engine) => bothEngines.includes(engine)))
  // Where both engines are there, each is a source and a target of the two pairs of different ones.
  .filter(([from, to]) => stage !== 'all' || bothEngines.length === 1 || from !== to);

describe.each(pairs)('a backup of %s restored to %s', (from, to) => {
  it('has every row but those of sessions, and every block', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    await using source = await openTestStore(from);
    const blocks = lentBlocks(folder.path);
    const members = inStage(3, 3, 10);
    await fillStore(source, members);
    const ids = await fillBlocks(blocks, 12);
    const file = join(folder.path, 'backup.tar');
    const report = await back(source, blocks, file);
    expect(report).toMatchObject({ path: file, blocks: 12, damagedBlocks: [], withSecrets: false });
    expect(report.bytes).toBe((await stat(file)).size);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder.path)).sort()).toEqual(['backup.tar', 'blocks']);

    await using place = await openPlace(to);
    const restored = await restore(file, place);
    expect(restored.schemaVersion).toBe(latestVersion());
    expect(restored.endedSessions).toBe(members);
    await using copy = await openDatabase(place);
    const expected = signedOut(await contentOf(source));
    expect(await contentOf(copy)).toEqual(expected);
    expect(restored.tables).toEqual(Object.entries(expected).map(([name, { length: rows }]) => ({ name, rows })));
    // Without session, secret, replaced token and key of each member, and with where events begin anew.
    expect(restored.tables.reduce((sum, { rows }) => sum + rows, 0)).toBe(report.rows - 4 * members + 1);
    expect(await blockIds(lentBlocks(place.dataDir))).toEqual(ids.toSorted());
    for (const id of ids) expect(await lentBlocks(place.dataDir).get(id)).toEqual(await blocks.get(id));
    expect(await readdir(place.dataDir)).not.toContain('restore.partial');
  });
});

describe.each(bothEngines)('a backup of %s', (engine) => {
  it('is consistent while others write, and holds nobody up', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    await using source = await openTestStore(engine);
    const blocks = lentBlocks(folder.path);
    await fillStore(source, 5);
    await fillBlocks(blocks, 8);
    // Each round moves one unit from one table to another: the sum over both never changes.
    const total = 1_000;
    const member = memberRow('mover', { updated_at: total });
    await source.db.insertInto('members').values(member).execute();
    const session = {
      id: hexId('moved', 32),
      run_at: 0,
      kind: 'sum',
      payload: '',
      attempts: 0,
      deaths: 0,
      claimed_until: null,
      last_error: null,
    };
    await source.db
      .insertInto('jobs')
      .values({ ...session, created_at: 0 })
      .execute();
    const stop = new AbortController();
    let moved = 0;
    const mover = (async () => {
      while (!stop.signal.aborted) {
        await source.transaction(async (db) => {
          await db
            .updateTable('members')
            .set((row) => ({ updated_at: row('updated_at', '-', 1) }))
            .where('id', '=', member.id)
            .execute();
          await db
            .updateTable('jobs')
            .set((row) => ({ run_at: row('run_at', '+', 1) }))
            .where('id', '=', session.id)
            .execute();
        });
        moved += 1;
        await slowly(2);
      }
    })();
    const churner = (async () => {
      for (let index = 0; !stop.signal.aborted; index += 1) {
        const { id } = await blocks.put(Buffer.from(`passing ${index}`));
        await blocks.delete(id);
        await slowly(2);
      }
    })();
    const sums: number[] = [];
    const positions: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const file = join(folder.path, `backup-${round}.tar`);
      await back(source, blocks, file);
      await using place = await openPlace('sqljs');
      await restore(file, place);
      await using copy = await openDatabase(place);
      const from = await copy.db
        .selectFrom('members')
        .select('updated_at')
        .where('id', '=', member.id)
        .executeTakeFirstOrThrow();
      const to = await copy.db
        .selectFrom('jobs')
        .select('run_at')
        .where('id', '=', session.id)
        .executeTakeFirstOrThrow();
      sums.push(from.updated_at + to.run_at);
      positions.push(to.run_at);
    }
    stop.abort();
    await Promise.all([mover, churner]);
    expect(sums).toEqual([total, total]);
    // Each backup shows a later moment than the one before, so the writer was never held for the length of one.
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    expect(new Set(positions).size).toBe(2);
    expect(moved).toBeGreaterThan(positions[1]!);
  });
});

describe.each(engines)('a backup of %s', (engine) => {
  it(
    'has the blocks that came while others were copied, up to the moment that it shows',
    { tags: 'thorough' },
    async () => {
      await using folder = await temporaryFolder();
      await using source = await openTestStore(engine);
      const blocks = lentBlocks(folder.path);
      await fillStore(source, 3);
      const ids = await fillBlocks(blocks, 4);
      const busy: Database = {
        ...source,
        snapshot: async (body) => {
          ids.push((await blocks.put(Buffer.from('came meanwhile'))).id);
          return await source.snapshot(body);
        },
      };
      const file = join(folder.path, 'backup.tar');
      expect(await back(busy, blocks, file)).toMatchObject({ blocks: 5 });
      await using place = await openPlace('sqljs');
      await restore(file, place);
      expect(await blockIds(lentBlocks(place.dataDir))).toEqual(ids.toSorted());
    },
  );

  it('leaves out damaged blocks and says which', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    await using source = await openTestStore(engine);
    const blocks = lentBlocks(folder.path);
    const [, damaged = ''] = await fillBlocks(blocks, 4);
    const path = join(folder.path, 'blocks', damaged.slice(0, 2), damaged.slice(2, 4), damaged);
    await chmod(path, 0o600);
    await writeFile(path, 'something else');
    const file = join(folder.path, 'backup.tar');
    const report = await back(source, blocks, file);
    expect(report).toMatchObject({ blocks: 3, damagedBlocks: [damaged] });
    await using place = await openPlace('sqljs');
    await restore(file, place);
    expect(await blockIds(lentBlocks(place.dataDir))).not.toContain(damaged);
  });

  it('never takes the place of a file, and leaves nothing behind when it fails', async () => {
    await using folder = await temporaryFolder();
    await using source = await openTestStore(engine);
    const file = join(folder.path, 'backup.tar');
    await writeFile(file, 'precious');
    await expect(back(source, lentBlocks(folder.path), file)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'BACKUP_TARGET_EXISTS',
    });
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await readdir(folder.path)).toEqual(['backup.tar']);
    const nowhere = join(folder.path, 'nowhere', 'backup.tar');
    await expect(back(source, lentBlocks(folder.path), nowhere)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'VALIDATION_ERROR',
      fields: [{ path: 'path' }],
    });
  });
});

describe('a backup', () => {
  it('is a tar with a manifest that ordinary tools read and verify', async () => {
    await using folder = await temporaryFolder();
    await using source = await openTestStore('sqljs');
    const blocks = lentBlocks(folder.path);
    await fillStore(source, 5);
    const ids = await fillBlocks(blocks, 3);
    const file = join(folder.path, 'backup.tar');
    const report = await back(source, blocks, file);
    await execa('tar', ['-xf', file, '-C', folder.path, '--one-top-level=out']);
    const out = join(folder.path, 'out');
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      format: 'conclave-backup',
      formatVersion: 2,
      createdAt: '2026-01-15T00:00:00.000Z',
      version: '1.2.3',
      nodeId,
      engine: 'sqljs',
      schemaVersion: latestVersion(),
      blocks: { count: 3 },
      secret: null,
    });
    expect(manifest.tables).toContainEqual({ name: 'members', rows: 5 });
    for (const { name, size, sha3_512 } of manifest.files) {
      const content = await readFile(join(out, name));
      expect([content.length, createHash('sha3-512').update(content).digest('hex')]).toEqual([size, sha3_512]);
    }
    expect((await readdir(join(out, 'blocks'))).sort()).toEqual(ids.toSorted());
    expect((await readdir(out)).sort()).toEqual([
      'README.txt',
      'blocks',
      'blocks.txt',
      'manifest.json',
      'manifest.json.sha3-512',
      'manifest.json.signature',
      'store.db',
    ]);
    expect(report.rows).toBe(manifest.tables.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0));
  });
});
