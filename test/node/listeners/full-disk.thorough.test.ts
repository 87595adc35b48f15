import { once } from 'node:events';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import type { Ready } from '../../../src/node/listeners/serve.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { emptyStore } from '../../support/empty-store.ts';
import { inStage } from '../../support/stage.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';
import { putMigratedStore, temporaryFolder } from '../../support/stores.ts';

const mountable = await canMount();
const json = { 'content-type': 'application/json' };

interface Filled {
  readonly tokens: string[];
  readonly refusal: Registered;
}

interface Registered {
  readonly status: number;
  readonly body: { readonly data?: { readonly token: string } };
}

type Asked = Pick<RunningNode, 'fetch'>;

async function register(node: Asked, username: string): Promise<Registered> {
  const body = JSON.stringify({ username, email: `${username}@example.org`, password: 'seven green bottles' });
  const response = await node.fetch('/api/user/register', { method: 'POST', headers: json, body });
  return { status: response.status, body: (await response.json()) as Registered['body'] };
}

async function statusOf(node: Asked, path: string, token: string): Promise<number> {
  return (await node.fetch(path, { headers: { authorization: `Bearer ${token}` } })).status;
}

/** Registers members until there is no room for one more. @returns the tokens of those who were told that they are */
async function registerAll(node: Asked, before: (number: number) => Promise<void>): Promise<Filled> {
  const tokens: string[] = [];
  for (let number = 0; number < 2_000; number += 1) {
    await before(number);
    const { status, body } = await register(node, `member-${number}`);
    if (body.data === undefined) return { tokens, refusal: { status, body } };
    tokens.push(body.data.token);
  }
  throw new Error('the disk is larger than it should be');
}

/** The same on a disk that somebody else fills meanwhile. */
async function fill(node: Asked, ballast: string): Promise<Filled> {
  return await registerAll(node, async (number) => {
    if (number === 3) await expect(writeFile(ballast, new Uint8Array(8 * 2 ** 20))).rejects.toThrow('ENOSPC');
  });
}

const full = { status: 503, body: { message: expect.stringContaining('full') as unknown, error: 'STORE_FULL' } };

describe.runIf(mountable)('a server on a disk that is full', { tags: 'needs-mount' }, () => {
  it('refuses writes with 503 STORE_FULL, answers reads, and takes writes again when there is room', async () => {
    await using disk = await mountSmallDisk('6m');
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    await using node = await startNode({ dataDir: join(disk.path, 'data'), env: { CONCLAVE_RATE_LIMITS: 'off' } });
    const ballast = join(disk.path, 'ballast');
    const { tokens, refusal } = await fill(node, ballast);
    expect(tokens.length).toBeGreaterThanOrEqual(3);
    expect(refusal).toEqual(full);
    for (const token of tokens) {
      expect(await statusOf(node, '/api/user/verify', token)).toBe(200);
      expect(await statusOf(node, '/api/user/settings', token)).toBe(200);
    }
    expect((await node.fetch('/health/live')).status).toBe(200);
    await expect.poll(async () => (await node.fetch('/health/ready')).status).toBe(503);
    const headers = { authorization: `Bearer ${await node.engine.operatorToken()}` };
    const status = await node.control(new Request('http://localhost/api/admin/status', { headers }));
    expect(await status.json()).toMatchObject({
      problems: expect.arrayContaining(['The disk of the data directory is nearly full: 0 MiB are free.']) as unknown,
    });
    // It is what an administrator has to see to, and no mistake of the program.
    expect(node.log.lines.filter(({ message }) => message === 'unexpected error')).toEqual([]);

    await rm(ballast);
    const { body } = await register(node, 'later');
    for (const token of [...tokens, body.data?.token ?? 'none']) {
      expect(await statusOf(node, '/api/user/verify', token)).toBe(200);
    }
  });

  it('keeps what it acknowledged through a restart', { tags: 'soak' }, async () => {
    await using disk = await mountSmallDisk('6m');
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    const options = { dataDir: join(disk.path, 'data'), env: { CONCLAVE_RATE_LIMITS: 'off' } };
    let tokens: string[];
    {
      await using node = await startNode(options);
      ({ tokens } = await fill(node, join(disk.path, 'ballast')));
    }
    expect(tokens.length).toBeGreaterThanOrEqual(3);
    await using again = await startNode(options);
    for (const token of tokens) expect(await statusOf(again, '/api/user/verify', token)).toBe(200);
  });
});

describe('a server at a limit on the size of files', () => {
  it('refuses writes with 503 STORE_FULL, answers reads, and has all that it acknowledged when it is started again', async () => {
    await using folder = await temporaryFolder();
    const program = await sharedBundle('test/support/serve-process.ts');
    const start = async (command: string, parameters: readonly string[]) => {
      const env = { CONCLAVE_DATA_DIR: join(folder.path, 'data'), CONCLAVE_PORT: '0', CONCLAVE_RATE_LIMITS: 'off' };
      const child = execa(command, [...parameters, process.execPath, program], { env, reject: false });
      const [first] = (await once(child.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(first)) as Ready;
      const node: Asked = { fetch: async (path, init) => await fetch(url + path, init) };
      return {
        node,
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM');
          expect((await child).exitCode).toBe(0);
        },
      };
    };
    let tokens: string[];
    {
      // In units of 512 bytes: some members more than the tables take.
      const units = Math.ceil(((await emptyStore()) + 128 * 1024) / 512);
      await using limited = await start('/bin/sh', ['-c', `ulimit -S -f ${units}; exec "$0" "$@"`]);
      const filled = await registerAll(limited.node, async () => {});
      expect(filled.refusal).toEqual(full);
      ({ tokens } = filled);
      expect(tokens.length).toBeGreaterThan(0);
      for (const token of tokens) expect(await statusOf(limited.node, '/api/user/verify', token)).toBe(200);
    }
    await using free = await start('/usr/bin/env', []);
    for (const token of tokens) expect(await statusOf(free.node, '/api/user/verify', token)).toBe(200);
    expect((await register(free.node, 'later')).status).toBe(201);
  });
});

describe('a server whose store file is gone', () => {
  const ways = ['removed', 'replaced', 'without its log'];

  it.each(inStage(ways.slice(1), ways.slice(1), ways))('acknowledges no writes and is not ready: %s', async (how) => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    await using node = await startNode({ dataDir: folder.path });
    expect((await register(node, 'ann')).status).toBe(201);
    await expect.poll(async () => (await node.fetch('/health/ready')).status).toBe(200);
    const file = join(folder.path, 'store.db');
    if (how === 'replaced') await copyFile(file, `${file}.copy`).then(() => rename(`${file}.copy`, file));
    else await rm(how === 'removed' ? file : `${file}-wal`);
    const { status, body } = await register(node, 'bob');
    expect([status, body]).toEqual([503, expect.objectContaining({ error: 'STORE_GONE' })]);
    for (const path of ['/health', '/health/ready'])
      await expect.poll(async () => (await node.fetch(path)).status).toBe(503);
    expect((await node.fetch('/health/live')).status).toBe(200);
  });
});
