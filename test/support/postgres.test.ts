import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';

const url = inject('postgresUrl');
const module = fileURLToPath(new URL('./postgres.ts', import.meta.url));
const script = `
  import { startPostgres } from ${JSON.stringify(module)};
  const postgres = await startPostgres();
  console.log('started');
  setInterval(() => {}, 1000);
`;

describe.runIf(url !== undefined)('the PostgreSQL of the tests', () => {
  it('is version 18, compares text by bytes, and takes a superuser', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ version: string; super: string; order: boolean }>(
        `select current_setting('server_version_num') as version, current_setting('is_superuser') as super, 'B' < 'a' as order`,
      );
      expect(rows).toEqual([{ version: expect.stringMatching(/^18/), super: 'on', order: true }]);
    } finally {
      await client.end();
    }
  });

  it('lets nobody in without the password', async () => {
    const stranger = new URL(url ?? '');
    stranger.password = 'guess';
    await expect(new pg.Client({ connectionString: String(stranger) }).connect()).rejects.toThrow(/password/);
  });

  it('leaves nothing behind when whoever started it is killed', { tags: 'thorough' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conclave-killed-'));
    try {
      const temporary = join(folder, 'tmp');
      await mkdir(temporary);
      // Reachable for the unprivileged user that root hands the server to.
      for (const path of [folder, temporary]) await chmod(path, 0o755);
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      expect(await readdir(temporary)).toContainEqual(expect.stringMatching(/^conclave-postgres-/));
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(async () => await leftIn(temporary)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function leftIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? (await readdir(folder)).filter((name) => name.startsWith('conclave-postgres-')) : [];
}
