import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { elapses } from '../support/real-time.ts';

/** 20 of 25 MiB at once took 4.4 GB; these are larger than what the system's own buffers hold. */
const file = Buffer.alloc(12 * 1024 ** 2, 'conclave');
const inBase64 = Math.ceil(file.length / 3) * 4;
const env = {
  CONCLAVE_LIMITS_BYTES_PER_ADDRESS: '33MiB',
  CONCLAVE_LIMITS_BYTES_PER_ACCOUNT: '1GiB',
  CONCLAVE_LIMITS_BYTES_TOTAL: '67MiB',
};

interface Served {
  readonly node: RunningNode;
  readonly ask: string;
}

let patient: Served;
let strict: Served;
beforeAll(async () => {
  patient = await withFile({ ...env, CONCLAVE_SERVER_BODY_GRACE: '1h' });
  strict = await withFile({ ...env, CONCLAVE_SERVER_BODY_GRACE: elapses('1s') });
});
afterAll(async () => {
  await Promise.all([patient, strict].map(async ({ node }) => await node[Symbol.asyncDispose]()));
});

/** A node with a member whose vault has a file. */
async function withFile(settings: Record<string, string>): Promise<Served> {
  const node = await startNode({ env: settings });
  async function post(path: string, body: unknown, token?: string) {
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: token }) };
    const answer = await node.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const said = JSON.parse(await answer.text());
    expect(answer.ok, JSON.stringify(said)).toBe(true);
    return said;
  }
  const registered = await post('/api/user/register', {
    username: 'ada',
    email: 'ada@example.org',
    password: 'analytical engines',
  });
  const { token } = registered.data;
  const vaults = '/api/passvault/vaults';
  const { vault } = (await post(vaults, { name: 'Home', masterPassword: 'a master password' }, token)).data;
  const note = { type: 'login', title: 'Note', username: 'ada', password: 'x' };
  const { entry } = (await post(`${vaults}/${vault.id}/entries`, note, token)).data;
  const files = `${vaults}/${vault.id}/entries/${entry.id}/attachments`;
  const { attachment } = (await post(files, { filename: 'a.bin', content: file.toString('base64') }, token)).data;
  return { node, ask: `GET ${files}/${attachment.id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n` };
}

async function bytesHeld({ node }: Served): Promise<number> {
  const text = await (await node.control(new Request('http://localhost/metrics'))).text();
  return Number(/^conclave_body_bytes (\d+)$/m.exec(text)?.[1]);
}

/** Asks and takes nothing of the answer. */
async function unread({ node, ask }: Served, from: string): Promise<RawClient> {
  const client = await connectRaw(node.ready.port, '127.0.0.1', from);
  client.socket.pause();
  await client.write(ask);
  return client;
}

async function refused({ node, ask }: Served, from: string, code: string): Promise<void> {
  using client = await connectRaw(node.ready.port, '127.0.0.1', from);
  await client.write(ask);
  await client.waitFor(`"${code}"`);
}

describe('answers that nobody takes', () => {
  it('count for their address and in all until they are out or their connection is gone', async () => {
    using first = await unread(patient, '127.0.0.1');
    await expect.poll(async () => await bytesHeld(patient)).toBeGreaterThan(inBase64);
    using second = await unread(patient, '127.0.0.1');
    await expect.poll(async () => await bytesHeld(patient)).toBeGreaterThan(2 * inBase64);
    await refused(patient, '127.0.0.1', 'RATE_LIMITED');
    using third = await unread(patient, '127.0.0.2');
    await expect.poll(async () => await bytesHeld(patient)).toBeGreaterThan(3 * inBase64);
    await refused(patient, '127.0.0.3', 'OVERLOADED');

    // One is read after all, whole, and its connection goes on; the others go away.
    first.socket.resume();
    await first.waitFor(file.subarray(-24).toString('base64'));
    await expect.poll(async () => await bytesHeld(patient)).toBeLessThan(3 * inBase64);
    await first.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await first.waitFor('"status":"ok"');
    second.socket.resetAndDestroy();
    third.socket.destroy();
    await expect.poll(async () => await bytesHeld(patient)).toBe(0);
  }, 120_000);

  it('are given up when they are taken too slowly, and their connections closed', async () => {
    using idle = await unread(strict, '127.0.0.1');
    await expect.poll(async () => await bytesHeld(strict)).toBeGreaterThan(inBase64);
    await expect.poll(async () => await bytesHeld(strict)).toBe(0);
    idle.socket.resume();
    await idle.closed;
    expect(idle.received.length).toBeLessThan(inBase64);
  }, 120_000);

  it('of somebody who has gone already count for nobody', async () => {
    for (let at = 0; at < 5; at += 1) {
      const client = await unread(patient, '127.0.0.4');
      client.socket.resetAndDestroy();
    }
    using reader = await connectRaw(patient.node.ready.port, '127.0.0.1', '127.0.0.5');
    await reader.write(patient.ask);
    await reader.waitFor(file.subarray(-24).toString('base64'));
    await expect.poll(async () => await bytesHeld(patient)).toBe(0);
  }, 120_000);
});
