import { afterEach, describe, expect, it, vi } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import type { Envelope } from '../../../src/platform/network/envelope.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import { createGossipMetrics } from '../../../src/platform/network/metrics.ts';
import { createSealing } from '../../../src/platform/network/sealing.ts';
import { openTopics } from '../../../src/platform/network/topics.ts';

/** A node that records at once, and the payloads of its envelopes. */
function sealer() {
  const identity = generateKeyPair();
  const sealed: unknown[][] = [];
  const declared = new Map([['test', { receive: async () => undefined, topic: {} }]]);
  const sealing = createSealing({
    identity,
    nodeId: nodeIdOf(identity.publicKey),
    clock: { now: () => 1_000 },
    random: (size) => new Uint8Array(size),
    envelopeBytes: defaultLimits.envelopeBytes,
    topics: openTopics(declared, defaultLimits),
    metrics: createGossipMetrics(),
    record({ announcements }: Envelope) {
      sealed.push(announcements.map(({ payload }) => payload));
      return Promise.resolve(true);
    },
    publish: () => undefined,
  });
  return { sealing, sealed };
}

describe('announcements of this node', () => {
  afterEach(() => void vi.useRealTimers());

  it('leave at once when they are single, and together when they come in a steady stream', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { sealing, sealed } = sealer();
    const done: unknown[] = [];
    const announce = (payload: unknown) => void sealing.announce('test', payload).then(() => done.push(payload));
    announce('single');
    await vi.advanceTimersByTimeAsync(5);
    expect(sealed).toEqual([['single']]);

    for (let n = 0; n < 10; n += 1) {
      await vi.advanceTimersByTimeAsync(10);
      announce(n);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(sealed.slice(1).flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sealed.slice(1).length).toBeLessThanOrEqual(2);
    expect(done).toEqual(['single', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

    await vi.advanceTimersByTimeAsync(1_000);
    announce('single again');
    await vi.advanceTimersByTimeAsync(5);
    expect(sealed.at(-1)).toEqual(['single again']);
  });
});
