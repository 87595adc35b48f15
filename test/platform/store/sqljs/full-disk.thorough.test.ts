import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { askPragma } from '../../../support/store-tables.ts';
import { bundle, type Bundle } from '../../../support/bundle.ts';
import { emptyStore } from '../../../support/empty-store.ts';
import { jobRow } from '../../../support/jobs.ts';
import { canMount, mountSmallDisk } from '../../../support/small-disk.ts';
import { temporaryFolder } from '../../../support/stores.ts';

interface Filler extends AsyncDisposable {
  readonly pid: number;
  line(): Promise<string>;
  goOn(): void;
  ended(): Promise<number | null>;
}

function start(command: string, parameters: readonly string[]): Filler {
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async line() {
      const { value } = (await lines.next()) as { value: string | undefined };
      return value ?? '(the process ended)';
    },
    goOn: () => void child.stdin.write('go on\n'),
    async ended() {
      return (await exit)[0];
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function check(dataDir: string, rows: number): Promise<void> {
  await using database = await openDatabase({ dataDir });
  expect(await database.db.selectFrom('jobs').select('id').execute()).toHaveLength(rows);
  expect(await askPragma(database, 'integrity_check')).toEqual(['ok']);
}

/** A server that is started again on a full disk. */
async function expectReadableWhenFull(disk: string, dataDir: string, rows: number): Promise<void> {
  await expect(writeFile(join(disk, 'ballast'), new Uint8Array(16 * 1024 * 1024))).rejects.toThrow('ENOSPC');
  await using database = await openDatabase({ dataDir, migrate: true });
  expect(await database.db.selectFrom('jobs').select('id').execute()).toHaveLength(rows);
  const large = jobRow('large', { payload: 'x'.repeat(500_000) });
  await expect(database.db.insertInto('jobs').values(large).execute()).rejects.toMatchObject({ code: 'STORE_FULL' });
  await rm(join(disk, 'ballast'));
  await database.db.insertInto('jobs').values(large).execute();
  expect(await database.db.selectFrom('jobs').select('id').execute()).toHaveLength(rows + 1);
}

const mountable = await canMount();

describe('a full disk', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/support/store-filler.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
  });

  it('is a clear error at a limit on the size of files; reads go on, and writes when there is room', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    // In units of 512 bytes. The soft limit, which can be raised again from outside.
    await using filler = start('/bin/sh', [
      '-c',
      'ulimit -S -f 8000; exec "$0" "$@"',
      process.execPath,
      program.path,
      dataDir,
    ]);
    const rows = Number((await filler.line()).replace('full ', ''));
    expect(rows).toBeGreaterThan(20);
    expect(await filler.line()).toBe(`reads ${rows}`);
    expect((await stat(join(dataDir, 'store.db-wal'))).size).toBeLessThanOrEqual(8000 * 512);
    const raised = await execa('prlimit', ['--pid', String(filler.pid), '--fsize=unlimited'], { reject: false });
    if (raised.exitCode === 0) {
      filler.goOn();
      expect(await filler.line()).toBe(`works ${rows + 1}`);
      expect(await filler.ended()).toBe(0);
      await check(dataDir, rows + 1);
    } else {
      // Without prlimit, room comes with the next process.
      await filler[Symbol.asyncDispose]();
      await check(dataDir, rows);
    }
  });

  it.runIf(mountable)(
    'is a clear error on a small disk, and over when something is deleted from it',
    { tags: 'needs-mount' },
    async () => {
      // Room for the log of what the store has at first and of some rows; and without the ballast, for moving them into the file as well.
      const [empty, others] = [await emptyStore(), 1024 * 1024];
      await using disk = await mountSmallDisk(String(2 * (empty + others) + others));
      if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
      const ballast = join(disk.path, 'ballast');
      await writeFile(ballast, new Uint8Array(empty + 2 * others));
      const dataDir = join(disk.path, 'data');
      await using filler = start(process.execPath, [program.path, dataDir]);
      const rows = Number((await filler.line()).replace('full ', ''));
      expect(rows).toBeGreaterThan(20);
      expect(await filler.line()).toBe(`reads ${rows}`);
      await rm(ballast);
      filler.goOn();
      expect(await filler.line()).toBe(`works ${rows + 1}`);
      expect(await filler.ended()).toBe(0);
      await check(dataDir, rows + 1);
      await expectReadableWhenFull(disk.path, dataDir, rows + 1);
    },
  );
});
