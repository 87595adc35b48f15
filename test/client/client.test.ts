import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { openClient, type Client } from '../../src/client/client.ts';
import { perform, type Caller } from '../../src/client/perform.ts';
import { refreshed } from '../../src/client/refresh.ts';
import { readSignIn, saveSignIn } from '../../src/client/sign-ins.ts';
import { findConnection, chooseTarget } from '../../src/client/connection.ts';
import { claimsOf, givenSignIn, signInOf } from '../../src/client/token-claims.ts';
import Login from '../../commands/login.ts';
import Register from '../../commands/account/register.ts';
import { openHome, rootPassword, type Home } from '../cli/home.ts';

const hour = 3600;

function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part(claims)}.c2ln`;
}

function sessionToken(agedHours: number, lifeHours: number, username = 'alice'): string {
  const now = Math.floor(Date.now() / 1000);
  return tokenOf({ memberId: 'm', username, iat: now - agedHours * hour, exp: now + (lifeHours - agedHours) * hour });
}

describe('where calls go', () => {
  const env = { HOME: '/home/me' };
  it('is said by flags, then by variables, then by default', async () => {
    const server = { CONCLAVE_SERVER: 'far.example', CONCLAVE_CA: 'ca.pem', CONCLAVE_DATA_DIR: '/var/a' };
    expect(await chooseTarget({ env: { ...env, ...server } })).toMatchObject({
      kind: 'remote',
      ca: 'ca.pem',
      address: new URL('https://far.example'),
    });
    expect(await chooseTarget({ env: { ...env, ...server }, dataDir: '/var/b' })).toEqual({
      kind: 'local',
      dataDir: '/var/b',
    });
    expect(await chooseTarget({ env: { ...env, ...server }, server: 'near.example', ca: 'x' })).toMatchObject({
      ca: 'x',
      address: new URL('https://near.example'),
    });
    expect(await chooseTarget({ env: { ...env, CONCLAVE_DATA_DIR: '/var/a' } })).toEqual({
      kind: 'local',
      dataDir: '/var/a',
    });
    expect(await chooseTarget({ env: { ...env, XDG_DATA_HOME: '/var/x' } })).toEqual({
      kind: 'local',
      dataDir: '/var/x/conclave',
    });
  });

  it('is said by a configuration file as well', async () => {
    await using home = await openHome('process', { initialised: false });
    const config = await home.file('c.toml', 'data_dir = "there"\n');
    const local = { kind: 'local', dataDir: join(home.folder, 'there') };
    expect(await chooseTarget({ env, config })).toEqual(local);
    expect(await chooseTarget({ env: { ...env, CONCLAVE_CONFIG: config } })).toEqual(local);
  });
});

describe('a server far away', () => {
  it.each([
    ['http://10.0.0.1', true],
    ['https://10.0.0.1', false],
    ['http://127.0.0.1:1', false],
  ])('%s is called unsafe: %s', async (server, exposed) => {
    expect(await findConnection({ server, env: {}, command: 'test' })).toMatchObject({
      kind: 'remote',
      exposed,
      operatorToken: undefined,
    });
  });
});

describe('session tokens', () => {
  it('say who and how long; what says less is none', () => {
    expect(claimsOf(sessionToken(1, 2))).toMatchObject({ memberId: 'm', username: 'alice' });
    for (const text of [
      '',
      'a.b.c',
      'x',
      tokenOf({ memberId: 'm' }),
      tokenOf({ memberId: 1, username: 'a', iat: 1, exp: 2 }),
    ]) {
      expect(claimsOf(text)).toBeUndefined();
      expect(() => givenSignIn(text)).toThrow('CONCLAVE_TOKEN is no token of a session.');
    }
    expect(() => givenSignIn(`${sessionToken(1, 2)}\r\nx-evil: 1`)).toThrow('CONCLAVE_TOKEN is no token of a session.');
  });
});

describe('refreshing', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-refresh-'));
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const user = {
    id: 'a'.repeat(24),
    username: 'alice',
    email: 'a@b',
    roles: [],
    rolePrivileges: { admin: false, member: true, child: false, system: false },
    emailVerified: false,
    timezone: 'UTC',
    siteLanguage: 'en',
    darkMode: false,
    currency: 'USD',
    directChallenge: false,
  };
  const caller = (answer: () => { status: number; body: object }) => {
    const used: (string | undefined)[] = [];
    const transport: Caller['transport'] = {
      async send({ path, headers }) {
        expect(path).toBe('/api/user/refresh-token');
        used.push(headers['authorization']);
        const { status, body } = answer();
        return {
          status,
          headers: {},
          body: (async function* () {
            yield Buffer.from(JSON.stringify(body));
          })(),
        };
      },
      [Symbol.asyncDispose]: async () => {},
    };
    return { used, transport, place: 'test', userAgent: 'test', tokenFor: async () => undefined, folder, server: 's' };
  };
  const fresh = sessionToken(0, 10);
  const refreshes = () => ({ status: 200, body: { message: 'm', user, token: fresh, serverPublicKey: '02' } });

  it('happens in the second half of a life, once for all who ask at once', async () => {
    const young = signInOf(sessionToken(4, 10));
    const never = caller(refreshes);
    expect(await refreshed(never, young)).toBe(young.token);
    expect(never.used).toEqual([]);

    const old = signInOf(sessionToken(6, 10));
    await saveSignIn(folder, 's', old);
    const once = caller(refreshes);
    expect(await Promise.all([refreshed(once, old), refreshed(once, old), refreshed(once, old)])).toEqual([
      fresh,
      fresh,
      fresh,
    ]);
    expect(once.used).toEqual([`Bearer ${old.token}`]);
    expect(await readSignIn(folder, 's')).toEqual(signInOf(fresh));
  });

  it('leaves things as they were where it fails', async () => {
    const old = signInOf(sessionToken(6, 10));
    await saveSignIn(folder, 's', old);
    expect(
      await refreshed(
        caller(() => ({ status: 503, body: { message: 'm', error: 'OVERLOADED' } })),
        old,
      ),
    ).toBe(old.token);
    const down = caller(() => {
      throw new Error('down');
    });
    expect(await refreshed(down, old)).toBe(old.token);
    expect(await readSignIn(folder, 's')).toEqual(old);
    const ended = signInOf(sessionToken(11, 10));
    const none = caller(refreshes);
    expect(await refreshed(none, ended)).toBe(ended.token);
    expect(none.used).toEqual([]);
  });
});

describe('whom calls are from', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    await home.run(Register, ['--username', 'bob', '--email', 'bob@home.test'], {
      env: { CONCLAVE_PASSWORD: 'a long enough secret' },
    });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const client = async (env: NodeJS.ProcessEnv = {}): Promise<Client> =>
    await openClient({ env: { ...home.env, ...env }, userAgent: 'test', command: 'test' });

  it('is the operator for what needs a role, and who is signed in for the rest', async () => {
    await using bob = await client();
    expect((await perform(bob, members.list, {})).members).toHaveLength(2);
    expect((await perform(bob, accounts.verify, {})).user.username).toBe('bob');
  });

  it('is the one of CONCLAVE_TOKEN for everything, who is never kept or forgotten', async () => {
    const { stdout } = await home.run(Login, ['root', '--print-token'], { env: { CONCLAVE_PASSWORD: rootPassword } });
    await using root = await client({ CONCLAVE_TOKEN: stdout.trim() });
    expect((await perform(root, accounts.verify, {})).user.username).toBe('root');
    await perform(root, accounts.logout, {});
    await expect(perform(root, members.list, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await root.kept())?.username).toBe('bob');
    await using nobody = await client({ CONCLAVE_TOKEN: 'hunter2' });
    await expect(perform(nobody, accounts.verify, {})).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'TOKEN_INVALID',
      message: 'CONCLAVE_TOKEN is no token of a session.',
    });
    // As a file has it that a script reads.
    await using again = await client({ CONCLAVE_TOKEN: ` ${stdout}\n` });
    await expect(perform(again, accounts.verify, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('is forgotten when the session has ended', async () => {
    await using bob = await client();
    const { sessions } = await perform(bob, accounts.listSessions, {});
    await perform(bob, accounts.endSession, { id: sessions[0]!.id });
    await expect(perform(bob, accounts.verify, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await bob.kept()).toBeUndefined();
    await expect(perform(bob, accounts.verify, {})).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });
});

describe('a store that another command has open', () => {
  it('is waited for', async () => {
    await using home = await openHome('process');
    const options = { env: home.env, userAgent: 'test', command: 'test' };
    const counts = await Promise.all(
      [1, 2, 3].map(async () => {
        await using client = await openClient(options);
        return (await perform(client, members.list, {})).members.length;
      }),
    );
    expect(counts).toEqual([1, 1, 1]);
  });
});
