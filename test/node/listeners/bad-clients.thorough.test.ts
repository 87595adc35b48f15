import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { socketMembers } from '../../platform/realtime/socket-members.ts';
import { eventually } from '../../support/eventually.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { connectWs } from '../../support/ws-client.ts';
import { elapses, staysSo } from '../../support/real-time.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode({
    env: {
      CONCLAVE_SERVER_HEADERS_TIMEOUT: elapses('700ms'),
      CONCLAVE_SERVER_REQUEST_TIMEOUT: elapses('900ms'),
      CONCLAVE_SERVER_CONNECTIONS_PER_ADDRESS: '2000',
    },
  });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const { register } = socketMembers(() => node);
const head = 'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

async function requestsUnderWay(): Promise<number> {
  const text = await (await node.control(new Request('http://localhost/metrics'))).text();
  return Number(/^conclave_connections (\d+)$/m.exec(text)?.[1]);
}

describe('a client that', () => {
  it('sends a body without end is answered 413 and cut', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
    const sending = (async () => {
      while (!client.socket.destroyed) await client.write(chunk);
    })();
    await client.waitFor('\r\n\r\n{');
    expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(client.received).toMatch(/PAYLOAD_TOO_LARGE/);
    await client.closed;
    await sending;
  });

  it('announces too large a body is answered before it sends it', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(`${head}content-length: 999999999\r\n\r\n{`);
    await client.closed;
    expect(client.received).toMatch(/^HTTP\/1\.1 413 .*PAYLOAD_TOO_LARGE/s);
  });

  it('never finishes its headers is cut', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
    await client.closed;
    expect(client.received).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  it('drips its body is cut', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(`${head}content-length: 1000\r\n\r\n`);
    const dripping = setInterval(() => client.socket.write('a'), 50);
    await client.closed;
    clearInterval(dripping);
    expect(node.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('goes away in the middle of its body leaves no trace of an error', async () => {
    const client = await connectRaw(node.ready.port);
    await client.write(`${head}content-length: 1000\r\n\r\n{"username":`);
    client.socket.resetAndDestroy();
    await client.closed;
    expect((await node.fetch('/health')).status).toBe(200);
    expect(node.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('speaks no HTTP is cut', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write('\u0016\u0003\u0001 not http at all\r\n\r\n');
    await client.closed;
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a client that takes no answers', () => {
  it('is cut, with all that waits for it', async () => {
    using client = await connectRaw(node.ready.port);
    client.socket.pause();
    await client.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(150));
    await expect.poll(requestsUnderWay).toBeGreaterThan(0);
    await expect.poll(requestsUnderWay).toBe(0);
  });

  it('is not one whose answer takes long to make', async () => {
    const { heavy } = node.engine;
    const release: (() => void)[] = [];
    const busy = Array.from({ length: 2 }, () =>
      heavy.run(() => new Promise<void>((resolve) => release.push(resolve))),
    );
    const answer = node.fetch('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'patient', password: 'seven green bottles' }),
    });
    await expect.poll(() => heavy.waiting).toBe(1);
    await staysSo(() => expect(heavy.waiting).toBe(1), 2_000);
    for (const finish of release) finish();
    await Promise.all(busy);
    expect((await answer).status).toBe(401);
  });

  it('is not a WebSocket on which nothing happens', async () => {
    // One that is not signed in has five seconds.
    const { token } = await register();
    using socket = await connectWs(node.ready.url, { authorization: `Bearer ${token}` });
    expect(await socket.next()).toMatchObject({ type: 'ready' });
    let isOpen = true;
    void socket.closed.then(() => (isOpen = false));
    await staysSo(() => expect(isOpen).toBe(true), 2_000);
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });
});

describe('a client that resets its connection', () => {
  it('is counted like everybody else', async () => {
    const body = '{"username":"somebody","password":"seven green bottles"}';
    await node.fetch('/api/user/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (let i = 0; i < 60; i += 1) {
      const client = await connectRaw(node.ready.port);
      client.socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      client.socket.resetAndDestroy();
    }
    const addresses = () =>
      node.log.lines.filter(({ operation }) => operation === 'account.login').map(({ address }) => address);
    const isCounted = () => expect([...new Set(addresses())]).toEqual(['127.0.0.1']);
    await eventually(isCounted);
    await staysSo(isCounted, 300);
  });
});

describe('a thousand half-open connections', () => {
  it('keep nobody else from being served, and end', async () => {
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => connectRaw(node.ready.port)));
    await Promise.all(
      clients.map((client, i) =>
        client.write(i % 2 === 0 ? 'GET / HTTP/1.1\r\nx: ' : `${head}content-length: 10\r\n\r\n{`),
      ),
    );
    for (let i = 0; i < 20; i += 1) expect((await node.fetch('/api/user/verify')).status).toBe(401);
    await Promise.all(clients.map(({ closed }) => closed));
    expect((await node.fetch('/health')).status).toBe(200);
  });
});
