import { access, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import List from '../../commands/admin/members/list.ts';
import Backup from '../../commands/admin/store/backup.ts';
import Copy from '../../commands/admin/store/copy.ts';
import Migrate from '../../commands/admin/store/migrate.ts';
import Restore from '../../commands/admin/store/restore.ts';
import StoreStatus from '../../commands/admin/store/status.ts';
import Verify from '../../commands/admin/store/verify.ts';
import ShowConfig from '../../commands/config/show.ts';
import Login from '../../commands/login.ts';
import Logout from '../../commands/logout.ts';
import Whoami from '../../commands/whoami.ts';
import { markMoved } from '../../src/platform/store/moved.ts';
import { inStage } from '../support/stage.ts';
import { openHome, rootPassword } from './home.ts';

describe('commands on the store', () => {
  it('say what it holds and check it, beside a server and without', async () => {
    const both = ['socket', 'process'] as const;
    for (const way of both.slice(0, inStage(1, 1, 2))) {
      await using home = await openHome(way);
      const status = (await home.run(StoreStatus, ['--json'])).json();
      expect(status).toMatchObject({ engine: 'sqljs', location: join(home.dataDir, 'store.db') });
      expect(status.tables).toContainEqual({ name: 'members', rows: 1 });
      expect((await home.run(Verify, ['--json'])).json()).toMatchObject({ ok: true });
      const { stdout: shown } = await home.run(StoreStatus);
      expect(shown).toContain('members\t1');
      expect(shown).not.toMatch(/\t0$/m);
      // All of a small terminal but the line that the shell writes into next.
      expect(shown.trimEnd().split('\n').length).toBeLessThan(24);
      const { stdout: all } = await home.run(StoreStatus, ['--all']);
      for (const { name, rows } of status.tables) expect(all).toContain(`${name}\t${rows}`);
    }
  });

  it('are for the operator alone', async () => {
    await using home = await openHome('url');
    expect(await home.run(StoreStatus)).toMatchObject({ code: 4, stdout: '' });
  });

  it('back up beside a server, and restore elsewhere with the passphrase', async () => {
    await using home = await openHome('socket');
    const path = join(home.folder, 'home.backup');
    const env = { CONCLAVE_PASSPHRASE: 'one two three four' };
    const made = (await home.run(Backup, [path, '--with-secrets', '--json'], { env })).json();
    expect(made).toMatchObject({ path, withSecrets: true });
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect(await home.run(Backup, [path])).toMatchObject({ code: 7, stdout: '' });

    const elsewhere = ['--data-dir', join(home.folder, 'elsewhere')];
    const without = await home.run(Restore, [path, ...elsewhere]);
    expect(without).toMatchObject({ code: 2, stdout: '' });
    expect(without.stderr).toContain('--passphrase-file');
    expect(
      await home.run(Restore, [path, ...elsewhere], { env: { CONCLAVE_PASSPHRASE: 'wrong wrong wrong' } }),
    ).toMatchObject({ code: 2 });
    const restored = await home.run(Restore, [path, ...elsewhere, '--json'], { env });
    // One more says from where events are counted now.
    expect(restored.json()).toMatchObject({ secret: 'restored', rows: made.rows + 1, endedSessions: 0 });
    expect((await home.run(List, [...elsewhere, '--json'])).json().members).toMatchObject([{ username: 'root' }]);
    expect(await home.run(Restore, [path, ...elsewhere], { env })).toMatchObject({ code: 7 });
  });

  it('revive no session with a backup: a token that a logout ended stays ended, and the report says so', async () => {
    await using home = await openHome('process');
    const path = join(home.folder, 'home.backup');
    const signIn = async () => {
      const env = { CONCLAVE_PASSWORD: rootPassword };
      return (await home.run(Login, ['root', '--print-token'], { env })).stdout.trim();
    };
    const token = await signIn();
    await home.run(Backup, [path]);
    await home.run(Logout, [], { env: { CONCLAVE_TOKEN: token } });
    expect(await home.run(Whoami, [], { env: { CONCLAVE_TOKEN: token } })).toMatchObject({ code: 4 });
    const restored = await home.run(Restore, [path, '--force']);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain('1 ended; every member signs in again');
    expect(await home.run(Whoami, [], { env: { CONCLAVE_TOKEN: token } })).toMatchObject({ code: 4, stdout: '' });
    expect(await home.run(Whoami, [], { env: { CONCLAVE_TOKEN: await signIn() } })).toMatchObject({ code: 0 });
  });

  it('leave the node secret out of a backup unless asked', async () => {
    await using home = await openHome('process');
    const path = join(home.folder, 'home.backup');
    const env = { CONCLAVE_PASSPHRASE: 'one two three four' };
    expect((await home.run(Backup, [path, '--json'], { env })).json()).toMatchObject({ withSecrets: false });
    await rm(join(home.dataDir, 'store.db'));
    expect((await home.run(Restore, [path, '--json'])).json()).toMatchObject({ secret: 'kept' });
  });

  it('refuse to work beside a server where that would be wrong', async () => {
    await using home = await openHome('socket');
    for (const run of [await home.run(Migrate), await home.run(Copy, ['--to', join(home.folder, 'copy')])]) {
      expect(run).toMatchObject({ code: 7, stdout: '' });
      expect(run.stderr).toContain('conclave serve');
    }
  });

  it('copy to a folder, and migrate what is up to date already', { tags: 'soak' }, async () => {
    await using home = await openHome('process');
    const to = join(home.folder, 'copy');
    const report = (await home.run(Copy, ['--to', to, '--json'])).json();
    expect(report.tables).toContainEqual(expect.objectContaining({ name: 'members', rows: 1 }));
    await access(join(to, 'store.db'));
    expect((await home.run(Migrate, ['--json'])).json()).toMatchObject({ applied: [] });
  });

  it('say of a store that moved where it is now, until a backup takes its place', { tags: 'soak' }, async () => {
    await using home = await openHome('process');
    const path = join(home.folder, 'home.backup');
    expect(await home.run(Backup, [path])).toMatchObject({ code: 0 });
    await markMoved(home.dataDir, { to: 'postgres://me@db.test/conclave', at: 0 });
    const refused = await home.run(StoreStatus);
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toContain(
      'This store was moved to postgres://me@db.test/conclave at 1970-01-01T00:00:00.000Z',
    );
    expect(refused.stderr).toContain('CONCLAVE_DATABASE');
    expect(await home.run(Restore, [path, '--force'])).toMatchObject({ code: 0 });
    expect(await home.run(StoreStatus)).toMatchObject({ code: 0 });
  });

  it.each(['--stay', '--to-password-file=pw'])('refuse %s for a copy to a folder', async (flag) => {
    await using home = await openHome('process', { initialised: false });
    const run = await home.run(Copy, ['--to', join(home.folder, 'copy'), flag]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`${flag.split('=')[0]} works only for a copy to PostgreSQL`);
  });

  it('take no password in the URL of a copy', async () => {
    await using home = await openHome('process');
    const run = await home.run(Copy, ['--to', 'postgres://me:hunter2@db.test/conclave']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('--to-password-file');
    expect(run.stderr).not.toContain('hunter2');
  });
});

describe('conclave config show', () => {
  it('says each value and where it came from', async () => {
    await using home = await openHome('process', { initialised: false });
    const run = await home.run(ShowConfig, ['--host', '0.0.0.0', '--json'], { env: { CONCLAVE_PORT: '8080' } });
    expect(run.json().settings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'host', value: '0.0.0.0', source: '--host' }),
        expect.objectContaining({ name: 'port', value: '8080', source: 'CONCLAVE_PORT' }),
        expect.objectContaining({ name: 'tls', source: 'default' }),
      ]),
    );
    const wrong = await home.run(ShowConfig, ['--port', 'http']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
  });
});
