import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Init from '../../commands/init.ts';
import Login from '../../commands/login.ts';
import Logout from '../../commands/logout.ts';
import Forget from '../../commands/server/forget.ts';
import List from '../../commands/server/list.ts';
import Use from '../../commands/server/use.ts';
import Status from '../../commands/status.ts';
import Whoami from '../../commands/whoami.ts';
import { openHome, rootPassword, type Home } from './home.ts';

describe('the server that commands use', () => {
  let home: Home;
  let url: string;
  /** somebody's own machine, which has no store */
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    home = await openHome('socket');
    url = home.ready!.url.replace(/\/$/, '');
    env = {
      CONCLAVE_DATA_DIR: undefined,
      XDG_DATA_HOME: join(home.folder, 'nothing'),
      XDG_CONFIG_HOME: join(home.folder, 'elsewhere'),
    };
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const signIn = async (more: readonly string[] = ['--server', url]) =>
    await home.run(Login, ['root', ...more], { env: { ...env, CONCLAVE_PASSWORD: rootPassword } });
  const listed = async () => (await home.run(List, ['--json'], { env })).json().servers as Record<string, unknown>[];

  it('is this machine, until somebody signs in at another', async () => {
    expect(await listed()).toEqual([{ server: 'local', current: true, username: null, ca: null, nodeId: null }]);
    const run = await home.run(Whoami, [], { env });
    expect(run).toMatchObject({ code: 6 });
    expect(run.stderr).toContain('conclave init');
  });

  it('is the one of login --server from then on', async () => {
    const run = await signIn();
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('Later commands use this server.');
    expect((await home.run(Whoami, ['--json'], { env })).json()).toMatchObject({ username: 'root' });
    expect(await listed()).toMatchObject([
      { server: 'local', current: false },
      { server: url, current: true, username: 'root' },
    ]);
  });

  it('gives way to flags and variables that name another place', async () => {
    const here = ['--data-dir', home.dataDir];
    expect((await home.run(Status, [...here, '--json'], { env })).json()).toMatchObject({ dataDir: home.dataDir });
    const variable = { env: { ...env, CONCLAVE_DATA_DIR: home.dataDir } };
    expect((await home.run(Status, ['--json'], variable)).json()).toMatchObject({ dataDir: home.dataDir });
    const other = { env: { ...env, CONCLAVE_SERVER: 'http://127.0.0.1:1' } };
    expect((await home.run(Status, [], other)).stderr).toContain('http://127.0.0.1:1');
  });

  it('has nothing to do with what is done on this machine alone', async () => {
    const made = join(home.folder, 'made');
    const argv = ['--username', 'ada', '--email', 'ada@home.test', '--json'];
    const run = await home.run(Init, argv, {
      env: { ...env, XDG_DATA_HOME: made, CONCLAVE_ADMIN_PASSWORD: 'another long secret' },
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.json().dataDir).toBe(join(made, 'conclave'));
  });

  it('is not taken away by signing out there, and is by choosing this machine', async () => {
    expect(await home.run(Logout, [], { env })).toMatchObject({ code: 0 });
    const out = await home.run(Whoami, [], { env });
    expect(out).toMatchObject({ code: 4 });
    expect(out.stderr).toContain(`Not signed in to ${url}.`);
    // Without --server: it is the one in use.
    expect(await signIn([])).toMatchObject({ code: 0 });
    expect(await home.run(Use, ['local'], { env })).toMatchObject({ code: 0 });
    const run = await home.run(Whoami, [], { env });
    expect(run).toMatchObject({ code: 6 });
    expect(run.stderr).toContain(`There is no store on this machine. You are signed in to ${url} as root.`);
    expect(run.stderr).toContain('conclave server use URL');
    expect(run.stderr).not.toContain('conclave init');
  });

  it('is chosen again, also without a sign-in there', async () => {
    expect((await home.run(Use, [`${url}/`, '--json'], { env })).json()).toEqual({ server: url, username: 'root' });
    expect(await home.run(Whoami, [], { env })).toMatchObject({ code: 0 });
    const unknown = await home.run(Use, ['https://nobody.example'], { env });
    expect(unknown.stderr).toContain('Not signed in there yet. Sign in with: conclave login NAME');
    expect(await home.run(Use, ['ftp://odd'], { env })).toMatchObject({ code: 2 });
    const noCertificate = await home.run(Use, [url, '--ca', join(home.folder, 'missing.pem')], { env });
    expect(noCertificate).toMatchObject({ code: 2 });
    expect(noCertificate.stderr).toContain('cannot be read');
    expect((await home.run(Use, ['local', '--ca', 'x'], { env })).stderr).toContain('--ca works only with a server');
  });

  it('keeps how a server is known, whole', async () => {
    const fingerprint = `sha256:${'ab'.repeat(32)}`;
    await home.run(Use, ['https://nobody.example', '--ca', fingerprint], { env });
    await home.run(Use, [url], { env });
    expect(await listed()).toContainEqual({
      server: 'https://nobody.example',
      current: false,
      username: null,
      ca: fingerprint,
      nodeId: null,
    });
  });

  it('is listed with the node that it was at the first sign-in, also where nothing else is known of it', async () => {
    const { nodeId } = (await home.run(Status, ['--json'], { env })).json();
    expect(nodeId).toMatch(/^[0-9a-f]{40}$/);
    expect(await listed()).toContainEqual(expect.objectContaining({ server: url, nodeId }));
    expect((await home.run(List, [], { env, person: [] })).stdout).toContain(nodeId);
    const path = join(home.folder, 'elsewhere/conclave/server-keys.json');
    const kept = JSON.parse(await readFile(path, 'utf8')) as { servers: Record<string, unknown> };
    kept.servers['https://once.example'] = kept.servers[url];
    await writeFile(path, JSON.stringify(kept));
    expect(await listed()).toContainEqual({
      server: 'https://once.example',
      current: false,
      username: null,
      ca: null,
      nodeId,
    });
    const forgotten = await home.run(Forget, ['https://once.example', '--json'], { env });
    expect(forgotten.json()).toEqual({ server: 'https://once.example', signedOut: false });
    expect((await listed()).map(({ server }) => server)).not.toContain('https://once.example');
    expect(await readFile(path, 'utf8')).not.toContain('once.example');
    expect(await readFile(path, 'utf8')).toContain(url);
  });

  it('is forgotten with its session', async () => {
    const { token } = (
      JSON.parse(await readFile(join(home.folder, 'elsewhere/conclave/sign-ins.json'), 'utf8')) as {
        signIns: Record<string, { token: string }>;
      }
    ).signIns[url]!;
    const forgotten = await home.run(Forget, [url, '--json'], { env });
    expect(forgotten.json()).toEqual({ server: url, signedOut: true });
    expect((await listed()).map(({ server }) => server)).toEqual(['local', 'https://nobody.example']);
    const late = { env: { ...env, CONCLAVE_SERVER: url, CONCLAVE_TOKEN: token } };
    expect(await home.run(Whoami, [], late)).toMatchObject({ code: 4 });
    expect(await readFile(join(home.folder, 'elsewhere/conclave/server-keys.json'), 'utf8')).not.toContain(url);
    const again = await home.run(Forget, [url], { env });
    expect(again).toMatchObject({ code: 6 });
    expect(again.stderr).toContain('conclave server list');
  });

  it('is forgotten where it cannot be reached, and says that the session goes on', async () => {
    const gone = 'http://127.0.0.1:1';
    await signIn();
    const path = join(home.folder, 'elsewhere/conclave/sign-ins.json');
    const kept = JSON.parse(await readFile(path, 'utf8')) as { signIns: Record<string, unknown> };
    kept.signIns[gone] = kept.signIns[url];
    await writeFile(path, JSON.stringify(kept));
    const run = await home.run(Forget, [gone], { env });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain(`Could not end the session at ${gone}`);
    expect((await listed()).map(({ server }) => server)).not.toContain(gone);
  });

  it('is named where what is kept about servers is damaged', async () => {
    const path = join(home.folder, 'elsewhere/conclave/servers.json');
    await writeFile(path, '{"servers":');
    const run = await home.run(Whoami, [], { env });
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toContain(`${path} is damaged. Delete it`);
  });
});
