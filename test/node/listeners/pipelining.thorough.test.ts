import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { inStage, runs } from '../../support/stage.ts';

let node: RunningNode;
let secure: RunningNode;
beforeAll(async () => {
  const env = { CONCLAVE_LIMITS_READ_PER_ADDRESS: '100000/5m' };
  [node, secure] = await Promise.all([startNode({ env }), startNode({ env: { ...env, CONCLAVE_TLS: 'self-signed' } })]);
});
afterAll(async () => {
  await Promise.all([node, secure].map((one) => one[Symbol.asyncDispose]()));
});

/** Long enough that a few fill whatever buffers stand between server and client. */
const large = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n';
/** More of them than the server reads at once. */
const many = inStage(1_000, 1_000, 4_000);

const ways: readonly (readonly [string, () => RunningNode, () => Socket])[] = [
  ['TCP', () => node, () => connect({ port: node.ready.port, host: '127.0.0.1' })],
  ['TLS', () => secure, () => connectTls({ port: secure.ready.port, host: '127.0.0.1', rejectUnauthorized: false })],
  ['the control socket', () => node, () => connect(node.ready.controlSocket ?? '')],
];

describe.each(ways)('requests that nobody reads the answers of, over %s', (_, served, open) => {
  const begun = (): number => served().log.lines.filter(({ path }) => path === '/openapi.json').length;

  it('are not worked on, and others are', async () => {
    const socket = open();
    socket.on('error', () => undefined);
    // A TLS socket that is paused sooner goes on with the end of its handshake.
    await new Promise((resolve) => socket.once('encrypted' in socket ? 'secureConnect' : 'connect', resolve));
    socket.pause();
    const before = begun();
    // All of it never gets away: nobody takes it.
    socket.write(large.repeat(many));
    await expect.poll(begun).toBeGreaterThan(before);
    for (let asked = 0; asked < inStage(20, 20, 50); asked += 1) {
      const answer = await served().control(new Request('http://localhost/health'));
      expect(answer.status).toBe(200);
    }
    expect(begun() - before).toBeLessThan(100);
    socket.destroy();
  });

  it('are all answered, in order, to one who reads them', async () => {
    const socket = open();
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    const paths = Array.from({ length: runs(inStage(1_000, 1_000, 3_000)) }, (__, at) =>
      at % 2 === 0 ? '/nowhere' : '/health',
    );
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1]);
    await expect.poll(() => statuses().length).toBe(paths.length);
    expect(statuses()).toEqual(paths.map((path) => (path === '/nowhere' ? '404' : '200')));
    socket.destroy();
  }, 120_000);
});

describe('a connection', () => {
  it('is read on for a body while requests before it are worked on', async () => {
    const socket = connect({ port: node.ready.port, host: '127.0.0.1' });
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    const body = `{"username":"nobody","password":"${'x'.repeat(500_000)}"}`;
    const head = `POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(`${large.repeat(3)}${head}${body}${large}`);
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1]);
    await expect.poll(statuses).toEqual(['200', '200', '200', '400', '200']);
    socket.destroy();
  }, 120_000);
});
