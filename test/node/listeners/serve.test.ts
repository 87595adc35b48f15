import { createServer } from 'node:net';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAccountScenario } from '../../services/accounts/account-scenario.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const local = (path: string, init?: RequestInit): Request => new Request(`http://localhost${path}`, init);

describe('the ways in', () => {
  it('lets an account live over a URL', async () => {
    await expect(runAccountScenario(fetch, node.ready.url, 'over-a-url')).resolves.toBeUndefined();
  });

  it('lets an account live over the control socket', async () => {
    await expect(runAccountScenario(node.control, 'http://localhost', 'over-the-socket')).resolves.toBeUndefined();
  });

  it('lets an account live in process', { tags: 'soak' }, async () => {
    const scenario = runAccountScenario((request) => node.engine.fetch(request), 'http://localhost', 'in-process');
    await expect(scenario).resolves.toBeUndefined();
  });

  it('knows the operator in process and on the control socket alone', async () => {
    const init = { headers: { authorization: `Bearer ${await node.engine.operatorToken()}` } };
    expect((await node.engine.fetch(local('/api/admin/status', init))).status).toBe(200);
    const overSocket = await node.control(local('/api/admin/status', init));
    expect(await overSocket.json()).toMatchObject({ addresses: [node.ready.url] });
    expect((await node.fetch('/api/admin/status', init)).status).toBe(401);
  });
});

describe('the control socket', () => {
  it('is for its owner alone', async () => {
    expect((await stat(node.ready.controlSocket!)).mode & 0o777).toBe(0o600);
  });

  it('takes the place of one that a killed server left behind, and goes with its server', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'control.sock');
    const dead = createServer();
    await new Promise<void>((resolve) => void dead.listen(join(folder.path, 'dead'), resolve));
    await rename(join(folder.path, 'dead'), path);
    await new Promise((resolve) => dead.close(resolve));
    const { ino } = await stat(path);

    const successor = await startNode({ dataDir: folder.path });
    expect((await stat(path)).ino).not.toBe(ino);
    expect((await successor.control(local('/health'))).status).toBe(200);
    await successor[Symbol.asyncDispose]();
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('works where the path of the data directory is too long for a socket', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'x'.repeat(120));
    const deep = await startNode({ dataDir });
    expect((await stat(join(dataDir, 'control.sock'))).isSocket()).toBe(true);
    await deep[Symbol.asyncDispose]();
  });
});

describe('health', () => {
  it('says that the process lives and that its store answers', async () => {
    for (const path of ['/health', '/health/live', '/health/ready']) {
      const response = await node.fetch(path);
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('can be asked as often as anything can be read, from each address', async () => {
    await using asked = await startNode({ env: { CONCLAVE_LIMITS_READ_PER_ADDRESS: '2/5m' } });
    const statuses: number[] = [];
    for (const path of ['/health', '/health/live', '/health/ready']) statuses.push((await asked.fetch(path)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await asked.control(local('/health'))).status).toBe(200);
  });

  it('tells a store that is gone from a process that is', async () => {
    await using sick = await startNode();
    await sick.engine.context.store[Symbol.asyncDispose]();
    expect((await sick.fetch('/health/live')).status).toBe(200);
    const response = await sick.fetch('/health/ready');
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable' }]);
  });
});

describe('metrics', () => {
  it('are on the control socket, by operation and status, and not on TCP', async () => {
    await node.fetch('/api/user/verify');
    await node.fetch('/api/nothing/here');
    const response = await node.control(local('/metrics'));
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toMatch(/^conclave_http_requests_total\{operation="account\.verify",status="401"\} [1-9]/m);
    expect(text).toMatch(/^conclave_http_requests_total\{operation="none",status="404"\} [1-9]/m);
    expect(text).toMatch(
      /^conclave_http_request_duration_seconds_bucket\{le="\+Inf",operation="account\.verify"\} [1-9]/m,
    );
    for (const name of [
      'conclave_sockets',
      'conclave_heavy_work_waiting',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ]) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
    expect((await node.fetch('/metrics')).status).toBe(404);
  });

  it('are on TCP when that is asked for', async () => {
    await using open = await startNode({ env: { CONCLAVE_METRICS: 'on' } });
    expect(await (await open.fetch('/metrics')).text()).toMatch(/^process_start_time_seconds /m);
  });
});

describe('headers', () => {
  it('forbid what an API has no use for, on every kind of answer', async () => {
    for (const path of ['/api/user/verify', '/api/nothing', '/health']) {
      const { headers } = await node.fetch(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('access-control-allow-origin')).toBe(false);
    }
  });

  it('carry a request id of the node’s own, which stands in the log', async () => {
    const mine = 'chosen-by-the-client';
    const response = await node.fetch('/api/user/verify', { headers: { 'x-request-id': mine } });
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(/^[\w-]{16,}$/);
    expect(id).not.toBe(mine);
    const lines = node.log.lines.filter((line) => line['requestId'] === id);
    expect(lines).toMatchObject([
      { message: 'request', operation: 'account.verify', method: 'GET', path: '/api/user/verify', status: 401 },
    ]);
  });
});

describe('the log', () => {
  it('holds nothing secret of a whole life, at its most talkative', async () => {
    const password = 'canary password 77';
    const json = { 'content-type': 'application/json' };
    const post = async (path: string, body: unknown, more: Record<string, string> = {}) =>
      (await (
        await node.fetch(path, { method: 'POST', headers: { ...json, ...more }, body: JSON.stringify(body) })
      ).json()) as {
        data: { token: string; mnemonic: string };
      };
    const { data } = await post('/api/user/register', { username: 'quiet', email: 'quiet@example.org', password });
    const authorization = { authorization: `Bearer ${data.token}` };
    await post('/api/user/login', { username: 'quiet', password: `${password} wrong` });
    await post('/api/user/settings', { timezone: 'Mars/Canary' }, authorization);
    await node.fetch('/api/user/verify?token=canary-in-a-query', { headers: authorization });
    await node.fetch('/api/canary-in-a-path', { headers: { ...authorization, cookie: 'canary-cookie' } });
    await post('/api/user/recover', { email: 'quiet@example.org', mnemonic: data.mnemonic, newPassword: password });
    const log = JSON.stringify(node.log.lines);
    expect(log).toContain('account.login');
    const [, payload, signature] = data.token.split('.');
    for (const secret of ['canary', 'Canary', data.mnemonic, payload!, signature!]) expect(log).not.toContain(secret);
  });
});
