import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import type { GossipPort } from '../../../src/service/ports/network.ts';
import { createSharedParts } from '../../../src/platform/network/shared-parts.ts';
import { Problem } from '../../../src/base/problem.ts';
import { gossipNodes, until, untilConnected } from '../../support/gossip-nodes.ts';
import { memoryNetwork } from '../../support/memory-network.ts';

const peer = { nodeId: '00'.repeat(20), publicKey: '', admitted: true, addresses: [] };

describe('what connected nodes share', () => {
  it('is told when they connect and in every round, on both networks alike', async () => {
    const heard: unknown[][] = [[], [], []];
    let version = 1;
    const register = (port: GossipPort, at: number) =>
      port.share('test', { tell: async () => ({ at, version }), hear: async (told) => void heard[at]?.push(told) });
    let at = 0;
    await using pool = await gossipNodes(2, { onStart: (port) => register(port, at++) });
    await untilConnected(pool.nodes);
    await until('both heard', () => heard.slice(0, 2).every((one) => one.length > 0));
    version = 2;
    await pool.nodes[0]?.network().reconcile();
    expect(heard[0]?.at(-1)).toEqual({ at: 1, version: 2 });
    expect(heard[1]?.at(-1)).toEqual({ at: 0, version: 2 });

    const network = memoryNetwork();
    const policy = { isAdmitted: async () => true, members: async () => [] };
    heard[0] = [];
    heard[1] = [];
    for (const [index, name] of ['a', 'b'].entries()) {
      const node = network.node(name, generateKeyPair());
      register(node.port, index);
      await node.start(policy);
    }
    network.round();
    await network.settled();
    expect(heard[0]?.at(-1)).toEqual({ at: 1, version: 2 });
    expect(heard[1]?.at(-1)).toEqual({ at: 0, version: 2 });
  });

  it('reaches the part of its name, and nothing else does', async () => {
    const heard: unknown[] = [];
    const part = { tell: async () => undefined, hear: async (told: unknown) => void heard.push(told) };
    const shared = createSharedParts(new Map([['known', part]]));
    expect(await shared.tell(peer)).toEqual({ parts: {} });
    await shared.hear({ parts: { newer: 1, known: 2 } }, peer);
    expect(heard).toEqual([2]);
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`p${n}`, n]));
    for (const wrong of [undefined, null, 'known', {}, { parts: null }, { parts: many }]) {
      const refused = await shared.hear(wrong, peer).catch((error: unknown) => error);
      expect(refused instanceof Problem && refused.code, JSON.stringify(wrong)).toBe('QUESTION_MALFORMED');
    }
    expect(heard).toEqual([2]);
  });
});
