import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../src/platform/realtime/limits.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { staysSo } from '../../support/real-time.ts';
import { eventually } from '../../support/eventually.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

function upgradeTo(path: string): string {
  const key = randomBytes(16).toString('base64');
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`;
}

/** Without what a WebSocket needs. */
const refused = upgradeTo('/ws').replace(/sec-websocket-key: .*\r\n/, '');

/** A client that doesn't close its side when the server has closed the other. */
async function halfOpen(): Promise<Socket> {
  const socket = connect({ port: node.ready.port, host: '127.0.0.1', allowHalfOpen: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket.on('error', () => undefined);
}

/** Of this process: both ends of a connection to a server in it. */
const connections = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

const h2c = 'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';

describe('an upgrade to what is not spoken here', () => {
  it.each([
    ['of a page', 'GET', '/health', h2c, '', 200],
    ['of a path where nothing is', 'GET', '/nowhere', h2c, '', 404],
    ['of the path of WebSockets', 'GET', '/ws', h2c, '', 404],
    ['to a WebSocket elsewhere', 'GET', '/api/user/verify', 'connection: upgrade\r\nupgrade: websocket\r\n', '', 401],
    ['with a body', 'POST', '/api/user/login', h2c, '{"username":"nobody","password":"seven green bottles"}', 401],
    ['with a body that is no JSON', 'POST', '/api/user/login', h2c, '{"username":', 400],
  ])('is ignored, and what was asked is answered: %s', async (_, method, path, wish, body, status) => {
    using client = await connectRaw(node.ready.port);
    const length = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    await client.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${wish}${length}\r\n${body}`);
    await client.waitFor('\r\n\r\n{');
    expect(client.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(client.received).toMatch(/\r\nx-request-id: |"status":"ok"/i);
    // The connection serves on, with and without such a wish.
    for (const more of ['', wish]) {
      const before = client.received.length;
      await client.write(`GET /health HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
      await expect.poll(() => client.received.slice(before)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it('comes in its turn, after the requests before it, with a body that comes later', async () => {
    using client = await connectRaw(node.ready.port);
    const body = '{"username":"nobody","password":"seven green bottles"}';
    const login = `POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const page = 'GET /health HTTP/1.1\r\nhost: x\r\n';
    await client.write(`${page}\r\n${page}\r\n${login}${h2c}\r\n${body.slice(0, 10)}`);
    await client.waitFor('HTTP/1.1 200 ');
    await client.write(`${body.slice(10)}${page}${h2c}\r\n`);
    const statuses = () => [...client.received.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
    await expect.poll(statuses).toEqual([200, 200, 401, 200]);
  });

  it('is ignored over TLS and over the control socket as well', async () => {
    await using secure = await startNode({ env: { CONCLAVE_TLS: 'self-signed' } });
    const request = `GET /health HTTP/1.1\r\nhost: x\r\n${h2c}\r\n`;
    const sockets = [
      connectTls({ port: secure.ready.port, host: '127.0.0.1', rejectUnauthorized: false }),
      connect(secure.ready.controlSocket ?? ''),
    ];
    for (const socket of sockets) {
      socket.write(request);
      const answer = await new Promise<Buffer>((resolve) => void socket.once('data', resolve));
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    }
  });
});

describe('a refused upgrade', () => {
  it.each([['without what a WebSocket needs', refused]])(
    '%s leaves no connection behind when the client goes on sending',
    async (_what, request) => {
      const before = connections();
      const socket = await halfOpen();
      socket.write(request);
      await new Promise((resolve) => socket.once('end', resolve).resume());
      // One more byte, and the end: where nobody reads, the byte stands before the end for good.
      socket.end('x');
      await expect.poll(connections).toBeLessThanOrEqual(before);
      socket.destroy();
    },
  );

  it('leaves no connection behind when the client never closes', async () => {
    const socket = await halfOpen();
    const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
    socket.resume().write(refused);
    await new Promise((resolve) => socket.once('end', resolve));
    // What comes to a connection that is no more is answered with a reset.
    const writing = setInterval(() => socket.write('x'), 50);
    try {
      expect(await closed).toBe(true);
    } finally {
      clearInterval(writing);
    }
  });

  it('leaves no connection behind when the client never reads', async () => {
    const before = connections();
    const socket = await halfOpen();
    socket.pause();
    // So many answers that the refusal after them can't go out.
    socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(150) + refused);
    const isLeft = () => expect(connections()).toBeLessThanOrEqual(before + 1);
    await eventually(isLeft);
    await staysSo(isLeft, 300);
    socket.destroy();
  });
});

/** A frame of a client, under a mask of zeros. */
function ping(data: string): Buffer {
  return Buffer.concat([Buffer.from([0x89, 0x80 | data.length, 0, 0, 0, 0]), Buffer.from(data)]);
}

describe('pings of the protocol', () => {
  it('are answered with what they hold', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(upgradeTo('/ws'));
    await client.waitFor('\r\n\r\n');
    await client.write(ping('are you there?'));
    await client.waitFor('are you there?');
    expect(client.received.slice(-16)).toBe('\u008a\u000eare you there?');
  });

  it('without end are not answered, signed in or not: the connection is cut', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(upgradeTo('/ws'));
    await client.waitFor('\r\n\r\n');
    const flood = ping('x'.repeat(125))
      .toString('latin1')
      .repeat(limits.controlFrames * 2);
    await client.write(Buffer.from(flood, 'latin1'));
    await client.closed;
    expect(client.received.split('x'.repeat(125)).length - 1).toBeLessThanOrEqual(limits.controlFrames);
  });
});
