import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { elapses } from '../support/real-time.ts';

/** 800 connections that each hold 1 MiB minus a byte took 900 MB; here as many as it takes for every bound. */
const size = 512 * 1024;
const head = 'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const env = {
  CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '10000/15m',
  CONCLAVE_LIMITS_BYTES_PER_ADDRESS: '4MiB',
  CONCLAVE_LIMITS_BYTES_TOTAL: '8MiB',
};

const nodes: RunningNode[] = [];
let patient: RunningNode;
let strict: RunningNode;
beforeAll(async () => {
  patient = await startNode({ env: { ...env, CONCLAVE_SERVER_BODY_GRACE: '1h' } });
  nodes.push(patient);
  strict = await startNode({ env: { ...env, CONCLAVE_SERVER_BODY_GRACE: elapses('200ms') } });
  nodes.push(strict);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
});

async function bytesHeld(node: RunningNode): Promise<number> {
  const text = await (await node.control(new Request('http://localhost/metrics'))).text();
  return Number(/^conclave_body_bytes (\d+)$/m.exec(text)?.[1]);
}

async function halfSent(node: RunningNode, from: string, count: number): Promise<RawClient[]> {
  const clients = await Promise.all(
    Array.from({ length: count }, () => connectRaw(node.ready.port, '127.0.0.1', from)),
  );
  await Promise.all(
    clients.map((client) => client.write(`${head}content-length: ${size}\r\n\r\n${' '.repeat(size / 8)}`)),
  );
  return clients;
}

function answersOf(clients: readonly RawClient[]): (string | undefined)[] {
  return clients.map(({ received }) => /^HTTP\/1\.1 (\d+) /.exec(received)?.[1]);
}

async function answered(clients: readonly RawClient[], code: string): Promise<void> {
  await Promise.all(clients.map((client) => client.waitFor(`"${code}"`)));
}

describe('bodies that are sent by half', () => {
  it('take up no more than the budgets of their address and of all, which they give back', async () => {
    const first = await halfSent(patient, '127.0.0.1', 8);
    await expect.poll(async () => await bytesHeld(patient)).toBe(8 * size);
    const greedy = await halfSent(patient, '127.0.0.1', 52);
    await answered(greedy, 'RATE_LIMITED');
    expect(new Set(answersOf(greedy))).toEqual(new Set(['429']));
    expect(greedy.every(({ received }) => /\r\nretry-after: 5\r\n/i.test(received))).toBe(true);

    const second = await halfSent(patient, '127.0.0.2', 4);
    await expect.poll(async () => await bytesHeld(patient)).toBe(12 * size);
    const late = await halfSent(patient, '127.0.0.3', 8);
    await answered(late, 'OVERLOADED');
    expect(new Set(answersOf(late))).toEqual(new Set(['503']));
    expect(await bytesHeld(patient)).toBe(12 * size);
    expect(answersOf([...first, ...second])).toEqual(Array.from({ length: 12 }));
    // For small ones there is room all the same.
    using small = await connectRaw(patient.ready.port, '127.0.0.1', '127.0.0.3');
    const body = '{"username":"nobody","password":"not the one"}';
    await small.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
    await answered([small], 'INVALID_CREDENTIALS');

    // One half is sent to its end, the other half is never.
    await Promise.all(first.map((client) => client.write(' '.repeat((size * 7) / 8))));
    await answered(first, 'VALIDATION_ERROR');
    expect(await bytesHeld(patient)).toBe(4 * size);
    for (const { socket } of second) socket.resetAndDestroy();
    await expect.poll(async () => await bytesHeld(patient)).toBe(0);

    // Who was refused is served when there is room again.
    const [again] = await halfSent(patient, '127.0.0.3', 1);
    await expect.poll(async () => await bytesHeld(patient)).toBe(size);
    for (const client of [...first, ...greedy, ...late, again!]) client.socket.destroy();
    await expect.poll(async () => await bytesHeld(patient)).toBe(0);
  }, 120_000);

  it('in chunks are refused on a connection that goes on', async () => {
    const held = await halfSent(patient, '127.0.0.4', 8);
    await expect.poll(async () => await bytesHeld(patient)).toBe(8 * size);
    using client = await connectRaw(patient.ready.port, '127.0.0.1', '127.0.0.4');
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    await client.write(`${head}transfer-encoding: chunked\r\n\r\n${chunk}`);
    await answered([client], 'RATE_LIMITED');
    expect(await bytesHeld(patient)).toBe(8 * size);
    await client.write(`${chunk.repeat(8)}0\r\n\r\nGET /health HTTP/1.1\r\nhost: x\r\n\r\n`);
    await client.waitFor('HTTP/1.1 200 ');
    for (const { socket } of held) socket.destroy();
    await expect.poll(async () => await bytesHeld(patient)).toBe(0);
  }, 120_000);

  it('are given up when nothing comes any more, and their connections closed', async () => {
    const clients = await halfSent(strict, '127.0.0.1', 8);
    await Promise.all(clients.map(({ closed }) => closed));
    expect(new Set(answersOf(clients))).toEqual(new Set(['408']));
    expect(clients.every(({ received }) => received.includes('"REQUEST_TIMEOUT"'))).toBe(true);
    expect(await bytesHeld(strict)).toBe(0);
  }, 120_000);
});
