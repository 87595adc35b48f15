import { chmod, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Login from '../../commands/login.ts';
import Logout from '../../commands/logout.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Get from '../../commands/vault/get.ts';
import List from '../../commands/vault/list.ts';
import Lock from '../../commands/vault/lock.ts';
import Open from '../../commands/vault/open.ts';
import { openHome, type Home } from './home.ts';

const password = 'a long enough secret';
const master = 'twelve green bottles hanging';

describe('the key that opens vaults together with the token', () => {
  let home: Home;
  let runtime: string;
  let env: NodeJS.ProcessEnv;
  let vaultId: string;
  beforeAll(async () => {
    home = await openHome('socket');
    runtime = join(home.folder, 'run');
    env = { XDG_RUNTIME_DIR: runtime };
    await mkdir(runtime, { mode: 0o700 });
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { ...env, CONCLAVE_PASSWORD: password } });
    const made = await home.run(Create, ['Work', '--json'], { env: { ...env, CONCLAVE_MASTER_PASSWORD: master } });
    vaultId = made.json().id;
    await home.run(Add, ['Work/wifi', 'password[file]=-'], { env, stdin: 'over the air' });
  });
  beforeEach(async () => {
    await rm(join(runtime, 'conclave'), { recursive: true, force: true });
    await login();
    expect(await open(env)).toMatchObject({ code: 0 });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const login = async () => await home.run(Login, ['alice'], { env: { ...env, CONCLAVE_PASSWORD: password } });
  const open = async (where: NodeJS.ProcessEnv) =>
    await home.run(Open, ['Work'], { env: { ...where, CONCLAVE_MASTER_PASSWORD: master } });
  const get = async (where = env) => await home.run(Get, ['Work/wifi'], { env: where });
  const keys = async (folder = join(runtime, 'conclave')) => await readdir(folder);
  const configFile = () => join(home.folder, 'config', 'conclave', 'sign-ins.json');
  const statusOf = async (headers: Record<string, string>) => {
    const url = new URL(`/api/passvault/vaults/${vaultId}/entries`, home.ready!.url);
    const { signIns } = JSON.parse(await readFile(configFile(), 'utf8')) as {
      signIns: Record<string, { token: string }>;
    };
    const token = Object.values(signIns)[0]?.token;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    return response.status;
  };

  it('is in a file of the runtime folder that its user alone can read', async () => {
    const [name, ...more] = await keys();
    expect(more).toEqual([]);
    const path = join(runtime, 'conclave', name!);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(runtime, 'conclave'))).mode & 0o777).toBe(0o700);
    const key = await readFile(path, 'utf8');
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(await readFile(configFile(), 'utf8')).not.toContain(key);
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ 'x-vault-unlock': key })).toBe(200);
    expect(await get()).toMatchObject({ code: 0, stdout: 'over the air\n', stderr: '' });
    expect(await open(env)).toMatchObject({ code: 0 });
    expect(await readFile(path, 'utf8')).toBe(key);
  });

  it('leaves vaults closed where it is missing, until they are opened', async () => {
    await rm(join(runtime, 'conclave'), { recursive: true });
    expect(await get()).toMatchObject({ code: 4, stdout: '' });
    expect((await home.run(List, [], { env })).stdout).toContain('locked');
    expect(await open(env)).toMatchObject({ code: 0 });
    expect(await get()).toMatchObject({ code: 0, stdout: 'over the air\n' });
  });

  it('goes with all vaults locked, and one alone locks without it', async () => {
    await home.run(Lock, ['Work'], { env });
    expect(await keys()).toHaveLength(1);
    expect(await get()).toMatchObject({ code: 4 });
    await open(env);
    expect(await home.run(Lock, [], { env })).toMatchObject({ code: 0, stdout: 'Work is locked.\n' });
    expect(await keys()).toEqual([]);
    expect(await get()).toMatchObject({ code: 4 });
  });

  it('goes with the session: a next one has another', { tags: 'soak' }, async () => {
    const [name = ''] = await keys();
    const path = join(runtime, 'conclave', name);
    const first = await readFile(path, 'utf8');
    await login();
    expect(await keys()).toEqual([]);
    await open(env);
    expect(await readFile(path, 'utf8')).not.toBe(first);
    expect(await home.run(Logout, [], { env })).toMatchObject({ code: 0 });
    expect(await keys()).toEqual([]);
  });

  it('lies in the temporary folder where there is no runtime folder, or one of others', { tags: 'soak' }, async () => {
    const shared = join(home.folder, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o755);
    const own = `conclave-${process.getuid!()}`;
    for (const [at, named] of [undefined, 'relative', join(home.folder, 'missing'), shared].entries()) {
      const temporary = join(home.folder, `tmp-${at}`);
      await mkdir(temporary);
      const where = { XDG_RUNTIME_DIR: named, TMPDIR: temporary };
      expect(await open(where), named).toMatchObject({ code: 0 });
      expect(await get(where), named).toMatchObject({ code: 0, stdout: 'over the air\n' });
      expect(await keys(join(temporary, own)), named).toHaveLength(1);
      expect((await stat(join(temporary, own))).mode & 0o777).toBe(0o700);
      expect(await get(), named).toMatchObject({ code: 4 });
    }
    expect(await readdir(shared)).toEqual([]);
  });

  it('is not put where others could read it, nor taken from there', async () => {
    const folder = join(runtime, 'conclave');
    const [name = ''] = await keys();
    await chmod(join(folder, name), 0o640);
    expect((await get()).stderr).toContain('only you can');
    await rename(join(folder, name), join(runtime, 'moved'));
    await chmod(join(runtime, 'moved'), 0o600);
    await symlink(join(runtime, 'moved'), join(folder, name));
    expect(await get()).toMatchObject({ code: 5, stdout: '' });
    await rm(join(folder, name));
    await chmod(folder, 0o755);
    expect(await open(env)).toMatchObject({ code: 5, stdout: '' });
    await rm(folder, { recursive: true });
    const elsewhere = join(home.folder, 'elsewhere');
    await mkdir(elsewhere, { mode: 0o700, recursive: true });
    await symlink(elsewhere, folder);
    expect(await open(env)).toMatchObject({ code: 5, stdout: '' });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('is made anew where the file is damaged, and once where two make it', { tags: 'soak' }, async () => {
    const [name = ''] = await keys();
    await writeFile(join(runtime, 'conclave', name), 'half');
    expect(await get()).toMatchObject({ code: 4 });
    expect(await Promise.all([open(env), open(env), open(env)])).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }]);
    expect(await keys()).toEqual([name]);
    expect(await get()).toMatchObject({ code: 0 });
  });
});
