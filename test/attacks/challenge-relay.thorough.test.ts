import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Settings from '../../commands/account/settings.ts';
import Register from '../../commands/account/register.ts';
import Login from '../../commands/login.ts';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../src/crypto/key-pair.ts';
import { sign } from '../../src/crypto/signature.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { runCommand, type Run } from '../cli/run-command.ts';

/** What a hostile server was sent, and how it answers. */
interface Hostile extends AsyncDisposable {
  readonly url: string;
  readonly seen: {
    readonly path: string;
    readonly body: Record<string, string>;
    readonly device: string | undefined;
  }[];
}

type Reply = (path: string, body: Record<string, string>) => Promise<object>;

async function hostile(reply: Reply): Promise<Hostile> {
  const seen: Hostile['seen'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, string>;
      const path = request.url ?? '';
      seen.push({ path, body, device: request.headers['x-device'] as string | undefined });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ message: 'as you like', ...(await reply(path, body)) }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const password = 'a long enough secret';

let node: RunningNode;
let folder: string;
let phrase: string;
beforeAll(async () => {
  node = await startNode({ env: { CONCLAVE_RATE_LIMITS: 'off' } });
  folder = await mkdtemp(join(tmpdir(), 'conclave-relay-'));
  const argv = ['--username', 'alice', '--email', 'alice@home.test'];
  const registered = await run(Register, node.ready.url, argv, { CONCLAVE_PASSWORD: password });
  expect(registered.code).toBe(0);
  phrase = registered.json().mnemonic;
  expect((await run(Settings, node.ready.url, ['--direct-challenge'])).code).toBe(0);
}, 120_000);
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({ HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), TMPDIR: folder, TZ: 'UTC' });

async function run(
  command: Parameters<typeof runCommand>[0],
  server: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Run> {
  return await runCommand(command, [...argv, '--server', server, '--json'], { env: { ...environment(), ...env } });
}

const byPassword = (server: string, argv: readonly string[] = []) =>
  run(Login, server, ['alice', ...argv], { CONCLAVE_PASSWORD: password });
const byKey = (server: string, argv: readonly string[] = []) =>
  run(Login, server, ['alice', '--key', ...argv], { CONCLAVE_KEY: phrase });

/** What a failed command says of itself. */
function failure({ code, stderr }: Run): string {
  const said = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return `${code} ${said[0]?.error?.code ?? said[0]?.code}`;
}

/** A node's own part, with another key. */
function provesAs({ privateKey, publicKey }: KeyPair): (nonce: string) => object {
  return (nonce) => ({
    serverPublicKey: toHex(publicKey),
    signature: toHex(sign(privateKey, concat(utf8('conclave/server-proof/v1\n'), publicKey, fromHex(nonce)))),
  });
}

async function ask(path: string, body: object): Promise<{ status: number; body: Record<string, string> }> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await node.fetch(path, init);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

describe('a hostile server', () => {
  it.each([
    ['a password', byPassword],
    ['a key', byKey],
  ])('that passes everything on to a server that is known gets nothing of a sign-in with %s', async (_what, signIn) => {
    await using relay = await hostile(async (path, body) => (await ask(path, body)).body);
    expect(failure(await signIn(relay.url))).toBe('8 SERVER_KEY_ELSEWHERE');
    expect(relay.seen.map(({ path }) => path)).toEqual(['/api/user/prove-server']);
    expect(relay.seen[0]?.device).toBeUndefined();
  });

  it('that passes on the challenge of another node gets no signature', async () => {
    const proof = provesAs(generateKeyPair());
    await using relay = await hostile(async (path, body) =>
      path.endsWith('/prove-server') ? proof(body['nonce']!) : (await ask(path, body)).body,
    );
    expect(failure(await byKey(relay.url))).toBe('8 CHALLENGE_FOREIGN');
    expect(relay.seen.map(({ path }) => path)).toEqual(['/api/user/prove-server', '/api/user/request-direct-login']);
  });

  it('that makes a challenge out of another node’s gets a signature that is worth nothing there', async () => {
    const own = generateKeyPair();
    const proof = provesAs(own);
    const theirs = (await ask('/api/user/request-direct-login', {})).body['challenge']!;
    const head = fromHex(theirs).subarray(0, 40);
    const challenge = toHex(concat(head, sign(own.privateKey, head)));
    await using relay = await hostile(async (path, body) => {
      if (path.endsWith('/prove-server')) return proof(body['nonce']!);
      return { challenge, serverPublicKey: toHex(own.publicKey) };
    });
    await byKey(relay.url);
    const got = relay.seen.find(({ path }) => path.endsWith('/direct-challenge'))?.body;
    expect(got?.['signature']).toMatch(/^[0-9a-f]{128}$/);
    for (const [sent, error] of [
      [challenge, 'INVALID_CHALLENGE'],
      [theirs, 'INVALID_CREDENTIALS'],
    ] as const) {
      const answer = await ask('/api/user/direct-challenge', { ...got, challenge: sent });
      expect(answer).toMatchObject({ status: 401, body: { error } });
    }
  });

  it('that shows a key without having it gets nothing', async () => {
    const { serverPublicKey, signature } = (await ask('/api/user/prove-server', { nonce: '00'.repeat(32) })).body;
    await using other = await hostile(async () => ({ serverPublicKey, signature }));
    for (const signIn of [byPassword, byKey]) expect(failure(await signIn(other.url))).toBe('8 SERVER_UNPROVEN');
    expect(other.seen.map(({ path }) => path)).toEqual(['/api/user/prove-server', '/api/user/prove-server']);
  });
});

describe('the key of a server', () => {
  const keysFile = () => join(folder, 'config', 'conclave', 'server-keys.json');
  const kept = async () =>
    JSON.parse(await readFile(keysFile(), 'utf8')).servers as Record<string, { publicKey: string; device: string }>;

  it('is shown and kept at the first sign-in, where only its owner can read it, and not mentioned again', async () => {
    await using home = await startNode({ env: { CONCLAVE_RATE_LIMITS: 'off' } });
    const { url } = home.ready;
    const argv = ['--username', 'bob', '--email', 'bob@home.test'];
    const first = await run(Register, url, argv, { CONCLAVE_PASSWORD: password });
    const { keys } = home.engine.context;
    expect(first.stderr).toContain(`which is node ${keys.nodeId}.`);
    expect((await kept())[url]).toEqual({
      publicKey: toHex(keys.identity.publicKey),
      device: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await stat(keysFile())).mode & 0o777).toBe(0o600);
    const again = await run(Login, url, ['bob'], { CONCLAVE_PASSWORD: password });
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('node ') });
    // Each server knows this machine by something else, and has only a hash of it.
    const devices = Object.values(await kept()).map(({ device }) => device);
    expect(new Set(devices).size).toBe(devices.length);
    const rows = await home.engine.context.db.selectFrom('known_devices').select('device').execute();
    expect(rows).toHaveLength(1);
    expect(devices).not.toContain(rows[0]?.device);
  });

  it('is not kept by a sign-in that keeps nothing', async () => {
    await using other = await startNode({ env: { CONCLAVE_RATE_LIMITS: 'off' } });
    const body = JSON.stringify({ username: 'alice', email: 'a@home.test', password });
    const headers = { 'content-type': 'application/json' };
    expect((await other.fetch('/api/user/register', { method: 'POST', headers, body })).status).toBe(201);
    expect((await byPassword(other.ready.url, ['--print-token'])).code).toBe(0);
    expect(await kept()).not.toHaveProperty([other.ready.url]);
  });

  it('that has changed ends a sign-in before anything is sent, until it is trusted', async () => {
    const keys = [generateKeyPair(), generateKeyPair()];
    let now = 0;
    const { body: login } = await ask('/api/user/login', { username: 'alice', password });
    await using server = await hostile(async (path, body) =>
      path.endsWith('/prove-server') ? provesAs(keys[now]!)(body['nonce']!) : login,
    );
    const sent = () => server.seen.filter(({ path }) => !path.endsWith('/prove-server')).map(({ path }) => path);
    expect((await byPassword(server.url)).code).toBe(0);
    // The settings say in which time zone times are shown.
    expect(sent()).toEqual(['/api/user/login', '/api/user/settings']);
    now = 1;
    for (const signIn of [byPassword, byKey]) expect(failure(await signIn(server.url))).toBe('8 SERVER_KEY_CHANGED');
    expect(sent()).toHaveLength(2);
    expect((await kept())[server.url]?.publicKey).toBe(toHex(keys[0]!.publicKey));

    const device = (await kept())[server.url]?.device;
    expect((await byPassword(server.url, ['--trust'])).code).toBe(0);
    expect((await kept())[server.url]).toEqual({ publicKey: toHex(keys[1]!.publicKey), device });
    expect((await byPassword(server.url)).code).toBe(0);
    expect(server.seen.findLast(({ path }) => path.endsWith('/login'))?.device).toBe(device);
  });

  it('is not forgotten because its file is damaged or open to others', async () => {
    const before = await readFile(keysFile(), 'utf8');
    await writeFile(keysFile(), '{"servers": {"x": 1}}');
    expect(failure(await byPassword(node.ready.url))).toBe('1 SERVER_KEYS_DAMAGED');
    await writeFile(keysFile(), before, { mode: 0o644 });
    await chmod(keysFile(), 0o644);
    expect(failure(await byPassword(node.ready.url))).toBe('5 SERVER_KEYS_EXPOSED');
    await chmod(keysFile(), 0o600);
    expect((await byPassword(node.ready.url)).code).toBe(0);
  });
});
