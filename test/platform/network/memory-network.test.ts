import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import type { AdmissionPolicy, GossipPort } from '../../../src/service/ports/network.ts';
import { Problem } from '../../../src/base/problem.ts';
import { memoryNetwork } from '../../support/memory-network.ts';
import type { MemoryNode } from '../../support/memory-node.ts';

function nodes() {
  const network = memoryNetwork();
  const admitted = new Set<string>();
  const policy: AdmissionPolicy = {
    isAdmitted: async (nodeId) => admitted.has(nodeId),
    members: async () => [...admitted].map((nodeId) => ({ nodeId, addresses: [] })),
  };
  const heard = new Map<string, unknown[]>();
  const met: string[] = [];
  async function join(name: string, register: (port: GossipPort) => void = () => undefined): Promise<MemoryNode> {
    const node = network.node(name, generateKeyPair());
    const own: unknown[] = [];
    heard.set(name, own);
    node.port.subscribe('test', async ({ payload }) => void own.push(payload));
    node.port.onConnect(async ({ nodeId }) => void met.push(`${name} meets ${nodeId.slice(0, 4)}`));
    register(node.port);
    await node.start(policy);
    return node;
  }
  return { network, admitted, heard, met, join };
}

describe('the network in memory', () => {
  it('passes announcements on around a cut, and catches up after it', async () => {
    const { network, admitted, heard, join } = nodes();
    const [a, b, c] = [await join('a'), await join('b'), await join('c')];
    for (const { nodeId } of [a, b, c]) admitted.add(nodeId);
    for (const { port } of [a, b, c]) await port.admissionChanged();
    network.cut('a', 'c');
    await a.port.announce('test', 1);
    await network.settled();
    expect([heard.get('a'), heard.get('b'), heard.get('c')]).toEqual([[], [1], [1]]);
    network.cut('b', 'c');
    await a.port.announce('test', 2);
    await network.settled();
    expect(heard.get('c')).toEqual([1]);
    expect(c.port.peers()).toEqual([]);
    await network.heal('b', 'c');
    await network.settled();
    expect(heard.get('c')).toEqual([1, 2]);
  });

  it('lets topics say who may announce and how much, as the real one', async () => {
    const { network, admitted, join } = nodes();
    const heard: unknown[] = [];
    const owners = new Set<string>();
    const register = (port: GossipPort): void =>
      port.subscribe('owned', async ({ payload }) => void heard.push(payload), {
        mayAnnounce: async (nodeId) => owners.has(nodeId),
        maxBytes: 10,
      });
    const [a, b] = [await join('a', register), await join('b', register)];
    for (const { nodeId } of [a, b]) admitted.add(nodeId);
    for (const { port } of [a, b]) await port.admissionChanged();
    owners.add(a.nodeId);
    await a.port.announce('owned', 1);
    await expect(b.port.announce('owned', 2)).rejects.toMatchObject({ code: 'NOT_ADMITTED' });
    await expect(a.port.announce('owned', 'x'.repeat(9))).rejects.toMatchObject({ code: 'ANNOUNCEMENT_TOO_LARGE' });
    await network.settled();
    expect(heard).toEqual([1]);
  });

  it('greets whom it admits, once a connection', async () => {
    const { network, admitted, met, join } = nodes();
    const [a, b] = [await join('a'), await join('b')];
    await network.settled();
    expect(met).toEqual([]);
    admitted.add(a.nodeId).add(b.nodeId);
    await a.port.admissionChanged();
    await b.port.admissionChanged();
    await network.settled();
    expect(met).toHaveLength(2);
    network.cut('a', 'b');
    await network.heal('a', 'b');
    await network.settled();
    expect(met).toHaveLength(4);
    admitted.delete(b.nodeId);
    await a.port.admissionChanged();
    expect(a.port.peers()).toMatchObject([{ nodeId: b.nodeId, admitted: false }]);
  });

  it('lets strangers ask where they may, and tells Problems', async () => {
    const { network, admitted, join } = nodes();
    const a = await join('a', (port) => {
      port.respond('open', { strangers: true, maxBytes: 20, answer: async (question) => ({ question }) });
      port.respond('closed', {
        strangers: false,
        answer: async () => Promise.reject(new Problem('gone', 'POOL_CLOSED', 'Over.')),
      });
    });
    const b = await join('b');
    expect(await b.port.request({ address: a.address }, 'open', 1)).toEqual({ question: 1 });
    const refused = { code: 'PEER_REFUSED' };
    await expect(b.port.request({ nodeId: a.nodeId }, 'open', 'x'.repeat(30))).rejects.toMatchObject(refused);
    await expect(b.port.request({ nodeId: a.nodeId }, 'closed', 1)).rejects.toMatchObject({
      message: 'This node is not admitted.',
    });
    admitted.add(b.nodeId);
    await expect(b.port.request({ nodeId: a.nodeId }, 'closed', 1)).rejects.toMatchObject({
      ...refused,
      message: 'Over.',
      cause: { code: 'POOL_CLOSED' },
    });
    network.cut('a', 'b');
    await expect(b.port.request({ nodeId: a.nodeId }, 'open', 1)).rejects.toMatchObject({ code: 'PEER_UNREACHABLE' });
  });
});
