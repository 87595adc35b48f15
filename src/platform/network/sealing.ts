import type { Clock } from '../../service/context.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { Problem } from '../../base/problem.ts';
import {
  ENVELOPE_OVERHEAD,
  MAX_ITEMS,
  sealableItem,
  sealEnvelope,
  type Envelope,
  type SealableItem,
} from './envelope.ts';
import type { GossipMetrics } from './metrics.ts';
import type { OpenTopic } from './topics.ts';

export interface SealingOptions {
  readonly identity: KeyPair;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly envelopeBytes: number;
  readonly topics: ReadonlyMap<string, OpenTopic>;
  readonly metrics: GossipMetrics;
  /** false: it was not recorded */
  readonly record: (envelope: Envelope) => Promise<boolean>;
  readonly publish: (bytes: Uint8Array) => void;
}

/** Gathers what this node announces within a few milliseconds: one envelope, one signature, one frame for each peer, one row. */
export interface Sealing {
  /**
   * Resolves when the announcement is on disk and on its way.
   * @throws Problem tooLarge ANNOUNCEMENT_TOO_LARGE, forbidden NOT_ADMITTED, unavailable STORE_UNAVAILABLE
   */
  announce(type: string, payload: unknown): Promise<void>;
  idle(): Promise<void>;
}

/** While an envelope is recorded, the next announcements gather as well, so under load the batches grow by themselves. */
const GATHER_MS = 5;
/**
 * From one envelope to the next. Signing, sending, checking and recording an envelope costs every node of the pool far more than what is
 * in it. So a single announcement leaves at once, and what comes in a steady stream waits for a moment: for people who type to each other that
 * is at once, and the pool works half as much as with envelopes that are 50 ms apart.
 */
const APART_MS = 100;

interface Gathered {
  readonly items: SealableItem[];
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
  bytes: number;
}

export function createSealing(options: SealingOptions): Sealing {
  const { clock, topics, nodeId } = options;
  let ready: Gathered[] = [];
  /** by topic for what is beyond its rate: receivers take that later, and it must not hold up the rest (key '') */
  const open = new Map<string, Gathered>();
  let sealing: Promise<void> | undefined;
  /** by performance.now() */
  let nextAt = 0;

  function gather(item: SealableItem, topic: OpenTopic): Promise<void> {
    const key = topic.rate.take(nodeId, clock.now()) ? '' : item.type;
    const bytes = Buffer.byteLength(item.text) + 1;
    let group = open.get(key);
    const full = group !== undefined && group.bytes + bytes > options.envelopeBytes - ENVELOPE_OVERHEAD;
    if (group === undefined || full || group.items.length >= MAX_ITEMS) {
      group = { items: [], waiting: [], bytes: 0 };
      open.set(key, group);
      ready.push(group);
    }
    group.items.push(item);
    group.bytes += bytes;
    const { waiting } = group;
    const done = new Promise<void>((resolve, reject) => void waiting.push({ resolve, reject }));
    sealing ??= sealAll();
    return done;
  }

  async function sealAll(): Promise<void> {
    while (ready.length > 0) {
      const pause = Math.max(GATHER_MS, nextAt - performance.now());
      await new Promise((resolve) => setTimeout(resolve, pause));
      nextAt = performance.now() + APART_MS;
      const groups = ready;
      ready = [];
      open.clear();
      await Promise.all(groups.map(sealOne));
    }
    // In the same turn as the last look at what is ready.
    sealing = undefined;
  }

  async function sealOne({ items, waiting }: Gathered): Promise<void> {
    try {
      const content = { items, timestamp: clock.now(), nonce: options.random(16) };
      const envelope = sealEnvelope(options.identity, content, nodeId);
      if (!(await options.record(envelope)))
        throw new Problem('unavailable', 'STORE_UNAVAILABLE', 'The announcement was not recorded.');
      options.metrics.add('announced', items.length);
      options.publish(envelope.bytes);
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  return {
    async announce(type, payload) {
      const topic = topics.get(type);
      if (topic === undefined) throw new Error(`nobody declared the topic ${type}`);
      const item = sealableItem(type, payload);
      if (item.payloadBytes > topic.maxBytes)
        throw new Problem(
          'tooLarge',
          'ANNOUNCEMENT_TOO_LARGE',
          `The announcement is larger than ${topic.maxBytes} bytes.`,
        );
      if (!(await topic.mayAnnounce(nodeId)))
        throw new Problem('forbidden', 'NOT_ADMITTED', `This node may not announce on the topic ${type}.`);
      await gather(item, topic);
    },
    async idle() {
      for (let last = sealing; last !== undefined; last = sealing) await last;
    },
  };
}
