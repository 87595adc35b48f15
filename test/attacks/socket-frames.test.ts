import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/platform/realtime/limits.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { connectWs, type WsClient } from '../support/ws-client.ts';

/** 90 frames of 500 topics on each of ten sockets once kept a server from answering anybody for 6 s, and for 40 s when it went on. */
const framesASocket = 90;
const account = { username: 'flood', email: 'flood@example.org', password: 'seven green bottles' };

let node: RunningNode;
beforeAll(async () => {
  node = await startNode();
}, 60_000);
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

describe('a member who floods ten sockets with long lists', () => {
  it('is closed out with 4029, having been worked for no more than the allowance, while others are answered', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(account) };
    const registered = await node.fetch('/api/user/register', init);
    const { data } = (await registered.json()) as { data: { token: string } };
    let asked = 0;
    node.engine.hub.topics.register('flooded', { allows: async () => ((asked += 1), false) });
    const sockets: WsClient[] = [];
    for (let i = 0; i < limits.socketsPerMember; i += 1) {
      const socket = await connectWs(node.ready.url, { authorization: `Bearer ${data.token}` });
      expect(await socket.next()).toMatchObject({ type: 'ready' });
      sockets.push(socket);
    }
    const topics = Array.from({ length: 500 }, (_, index) => `flooded:${index}`);
    const text = JSON.stringify({ type: 'subscribe', topics });
    for (let i = 0; i < framesASocket; i += 1) for (const socket of sockets) socket.send(text);
    const [ends, health] = await Promise.all([
      Promise.all(sockets.map(async ({ closed }) => (await closed).code)),
      node.fetch('/health'),
    ]);
    expect(health.status).toBe(200);
    expect(ends).toEqual(sockets.map(() => 4029));
    expect(asked).toBeGreaterThan(0);
    // A machine under load may take several of the times for which the allowance is.
    expect(asked).toBeLessThan((framesASocket * 500 * limits.socketsPerMember) / 4);
  }, 120_000);
});
