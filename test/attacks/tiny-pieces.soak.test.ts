import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryKept } from '../support/memory-kept.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { limits } from '../../src/platform/realtime/limits.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';

/** Of each connection: in chunks of one byte they once took 200 times as much. */
const size = 256 * 1024;
const connections = 4;
const head =
  'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode({ env: { CONCLAVE_SERVER_BODY_GRACE: '1h' } });
}, 60_000);
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

async function bytesHeld(): Promise<number> {
  const text = await (await node.control(new Request('http://localhost/metrics'))).text();
  return Number(/^conclave_body_bytes (\d+)$/m.exec(text)?.[1]);
}

describe('bodies that come byte by byte', () => {
  it('take up about what is counted for them, and arrive as they were sent', async () => {
    const before = memoryKept();
    const clients: RawClient[] = [];
    const text = '1\r\n \r\n'.repeat(size);
    for (let at = 0; at < connections; at += 1) {
      const client = await connectRaw(node.ready.port);
      clients.push(client);
      await client.write(head + text);
    }
    await expect.poll(bytesHeld).toBe(connections * size);
    expect(memoryKept() - before).toBeLessThan(24 * connections * size);

    const body = '{"username":"nobody","password":"not the one"}';
    await clients[0]?.write(`${body.replaceAll(/./g, (one) => `1\r\n${one}\r\n`)}0\r\n\r\n`);
    await clients[0]?.waitFor('"INVALID_CREDENTIALS"');
    for (const { socket } of clients) socket.destroy();
    await expect.poll(bytesHeld).toBe(0);
  }, 240_000);
});

/** Masked, as clients have to, with a key that changes nothing. */
const fragment = (opcode: number, text: string) =>
  Buffer.concat([Buffer.from([opcode, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);
/** The opcode of a closing frame, and its code: 1008, "policy violation". */
const closing = Buffer.from([0x88]).toString('latin1');
const violation = Buffer.from([1008 >> 8, 1008 & 0xff]).toString('latin1');

async function upgraded(): Promise<RawClient> {
  const client = await connectRaw(node.ready.port);
  await client.write(
    'GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n' +
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await client.waitFor('\r\n\r\n');
  return client;
}

describe('a frame that comes in parts', () => {
  it('is read of as many as programs make', async () => {
    using client = await upgraded();
    await client.write(fragment(0x01, '{"type":'));
    for (let part = 2; part < limits.fragments; part += 1) await client.write(fragment(0x00, ' '));
    await client.write(fragment(0x80, '"auth"}'));
    await client.waitFor('the first frame must be auth');
    expect(client.received).not.toContain(violation);
  });

  it('ends its socket where they are more', async () => {
    using client = await upgraded();
    await client.write(fragment(0x01, '{"type":'));
    await client.write(Buffer.concat(Array.from({ length: limits.fragments }, () => fragment(0x00, ' '))));
    await client.closed;
    const end = client.received.slice(client.received.indexOf('\r\n\r\n') + 4);
    expect([end.slice(0, 1), end.slice(2, 4)]).toEqual([closing, violation]);
  });
});
