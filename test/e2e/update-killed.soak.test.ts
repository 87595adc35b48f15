import { watch } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { latestVersion, migrate, migrations, schemaVersion } from '../../src/platform/store/migrations.ts';
import { openSqljsDatabase, storeFile } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { askPragma } from '../support/store-tables.ts';
import { insertJobOfBefore } from '../support/jobs.ts';
import { lendHome } from '../support/prepared-home.ts';
import { program } from '../support/program.ts';
import { serveProgram } from '../support/served-program.ts';
import { temporaryFolder } from '../support/stores.ts';
import { someMoment } from '../support/real-time.ts';

/** Far enough back that bringing it up to date takes a while. */
const old = 20;

/** A store as a program of long ago left it. */
async function makeOld(dataDir: string): Promise<void> {
  // For the secret of the node.
  await lendHome(dataDir);
  for (const name of await readdir(dataDir)) if (name.startsWith(storeFile)) await rm(join(dataDir, name));
  await using database = await openSqljsDatabase(dataDir);
  await migrate(database, () => 0, migrations.slice(0, old));
  await insertJobOfBefore(database.db, 'of before');
}

/** What a store is: its version, after every check of its pages, and whether it has what was in it. */
async function look(dataDir: string) {
  await using database = await openSqljsDatabase(dataDir);
  expect(await askPragma(database, 'integrity_check')).toEqual(['ok']);
  const jobs = await database.db.selectFrom('jobs').select('id').where('id', '=', 'of before').execute();
  return { version: await schemaVersion(database), jobs: jobs.length };
}

/** The same of each copy, which is looked at where nothing else is. */
async function lookAtCopies(dataDir: string, elsewhere: string) {
  const names = (await readdir(join(dataDir, 'before-update'))).filter((name) => name.endsWith('.db'));
  return await Promise.all(
    names.map(async (name) => {
      await mkdir(join(elsewhere, name), { recursive: true });
      await copyFile(join(dataDir, 'before-update', name), join(elsewhere, name, storeFile));
      return await look(join(elsewhere, name));
    }),
  );
}

/** Serves, and kills the server so long after the copy got its name. */
async function killAfterCopy(env: NodeJS.ProcessEnv, dataDir: string, afterMs: number): Promise<void> {
  const copies = join(dataDir, 'before-update');
  await mkdir(copies, { mode: 0o700, recursive: true });
  const child = execa(...program('serve', '--port', '0'), { env, extendEnv: false, reject: false });
  const copied = new Promise<void>((resolve) => {
    const watcher = watch(copies, (_, name) => {
      if (name?.endsWith('.db') !== true) return;
      watcher.close();
      resolve();
    });
  });
  await Promise.race([copied, child.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  if (afterMs > 0) await someMoment(afterMs);
  child.kill('SIGKILL');
  await child;
}

describe('a server that brings an older store up to date', () => {
  it('may be killed at any moment after its copy: the next start does it, and a copy of the old store is whole', async () => {
    for (const afterMs of [0, 5, 30, 150, 700]) {
      await using folder = await temporaryFolder();
      const dataDir = join(folder.path, 'data');
      const env = { CONCLAVE_DATA_DIR: dataDir, HOME: folder.path, PATH: process.env['PATH'] };
      await makeOld(dataDir);
      await killAfterCopy(env, dataDir, afterMs);
      const trial = join(folder.path, 'trial');
      expect(await lookAtCopies(dataDir, join(trial, 'killed'))).toEqual([{ version: old, jobs: 1 }]);
      {
        await using server = await serveProgram(env);
        expect((await fetch(`${server.ready.url}/health/ready`)).status).toBe(200);
        expect(await server.stop()).toBe(0);
      }
      expect(await look(dataDir)).toMatchObject({ version: latestVersion() });
      expect(await lookAtCopies(dataDir, join(trial, 'served'))).toEqual([{ version: old, jobs: 1 }]);
    }
  });

  it('refuses a store of a newer version, which it names, and so does every command', async () => {
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATA_DIR: join(folder.path, 'data'), HOME: folder.path, PATH: process.env['PATH'] };
    const run = async (...words: string[]) =>
      await execa(...program(...words), { env, extendEnv: false, reject: false, stdin: 'ignore' });
    expect(await run('init', '--generate-password')).toMatchObject({ exitCode: 0 });
    {
      await using database = await openSqljsDatabase(env.CONCLAVE_DATA_DIR);
      const future = sql`insert into schema_migrations (version, name, applied_at) values (999, 'future', 0)`;
      await future.execute(database.db);
    }
    const refusal = {
      exitCode: 7,
      stdout: '',
      stderr: expect.stringContaining(
        `The store has version 999, and this program supports versions up to ${latestVersion()}. Use a newer program`,
      ),
    };
    for (const words of [
      ['serve', '--port', '0'],
      ['admin', 'members', 'list'],
      ['admin', 'store', 'migrate'],
    ])
      expect(await run(...words)).toMatchObject(refusal);
    expect(await readdir(env.CONCLAVE_DATA_DIR)).not.toContain('before-update');
  });
});
