import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';
import { connectWs } from '../../support/ws-client.ts';

const json = { 'content-type': 'application/json' };

async function post(node: RunningNode, path: string, body: unknown, token?: string): Promise<Response> {
  const headers = { ...json, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return await node.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };

describe.runIf(bothEngines.includes('postgres'))('two servers on one postgres', () => {
  it('serve the same sessions, close each other’s sockets, and count together', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url, CONCLAVE_NODE_SECRET_FILE: join(folder.path, 'secret') };
    await using one = await startNode({ env });
    await using two = await startNode({ env, dataDir: one.dataDir });
    const { data } = (await (await post(one, '/api/user/register', account)).json()) as {
      data: { token: string; memberId: string };
    };
    const bearer = { authorization: `Bearer ${data.token}` };
    expect((await two.fetch('/api/user/verify', { headers: bearer })).status).toBe(200);

    using socket = await connectWs(two.ready.url, bearer);
    expect(await socket.next()).toMatchObject({ type: 'ready' });
    expect((await post(one, '/api/user/logout', {}, data.token)).status).toBe(200);
    expect(await socket.closed).toMatchObject({ code: 4002 });
    expect((await two.fetch('/api/user/verify', { headers: bearer })).status).toBe(401);

    const statuses: number[] = [];
    let last: Response | undefined;
    for (let i = 0; i < 12; i += 1) {
      last = await post(i % 2 === 0 ? one : two, '/api/user/login', { ...account, password: 'not this one' });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(await last!.json()).toMatchObject({ error: 'RATE_LIMITED' });
    expect(Number(last!.headers.get('retry-after'))).toBeGreaterThan(600);

    // A success at one of them frees the account at the other.
    const bob = { username: 'bob', email: 'bob@example.org', password: 'six green bottles' };
    expect((await post(two, '/api/user/register', bob)).status).toBe(201);
    const tries: number[] = [];
    for (const password of [
      ...Array<string>(8).fill('not this one'),
      bob.password,
      ...Array<string>(8).fill('nor this'),
    ])
      tries.push((await post(tries.length % 2 === 0 ? one : two, '/api/user/login', { ...bob, password })).status);
    expect(tries).toEqual([...Array<number>(8).fill(401), 200, ...Array<number>(8).fill(401)]);
  });

  it('give all that refresh at once, at either, one newest token', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url, CONCLAVE_NODE_SECRET_FILE: join(folder.path, 'secret') };
    await using one = await startNode({ env });
    await using two = await startNode({ env, dataDir: one.dataDir });
    const { data } = (await (await post(one, '/api/user/register', account)).json()) as { data: { token: string } };
    const headers = { authorization: `Bearer ${data.token}` };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, tab) => {
        const answer = await (tab % 2 === 0 ? one : two).fetch('/api/user/refresh-token', { headers });
        return [answer.status, ((await answer.json()) as { token: string }).token] as const;
      }),
    );
    const [, token] = answers[0]!;
    expect(answers).toEqual(answers.map(() => [200, token]));
    expect(token).not.toBe(data.token);
    for (const node of [one, two]) {
      const verified = await node.fetch('/api/user/verify', { headers: { authorization: `Bearer ${token}` } });
      expect(verified.status).toBe(200);
    }
  });

  it('end the sessions and sockets of whoever is suspended at the other', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url, CONCLAVE_NODE_SECRET_FILE: join(folder.path, 'secret') };
    await using one = await startNode({ env });
    await using two = await startNode({ env, dataDir: one.dataDir });
    const { data } = (await (await post(one, '/api/user/register', account)).json()) as {
      data: { token: string; memberId: string };
    };
    const bearer = { authorization: `Bearer ${data.token}` };
    using mine = await connectWs(one.ready.url, bearer);
    using theirs = await connectWs(two.ready.url, bearer);
    for (const socket of [mine, theirs]) expect(await socket.next()).toMatchObject({ type: 'ready' });
    const init = {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${await one.engine.operatorToken()}` },
      body: '{}',
    };
    const suspended = await one.control(
      new Request(`http://localhost/api/admin/members/${data.memberId}/suspend`, init),
    );
    expect(suspended.status).toBe(200);
    for (const socket of [mine, theirs]) expect(await socket.closed).toMatchObject({ code: 4002 });
    for (const node of [one, two]) expect((await node.fetch('/api/user/verify', { headers: bearer })).status).toBe(401);
  });

  it('share a data directory, whose control socket the first one keeps', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url };
    await using one = await startNode({ env, dataDir: folder.path });
    await using two = await startNode({ env, dataDir: folder.path });
    expect([one.ready.controlSocket, two.ready.controlSocket]).toEqual([join(folder.path, 'control.sock'), undefined]);
    await two.stop();
    expect((await one.control(new Request('http://localhost/health'))).status).toBe(200);
  });
});
