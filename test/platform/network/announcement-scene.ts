import type { KeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';
import { openAnnouncements, type Announcements } from '../../../src/platform/network/announcements.ts';
import { sealableItem, sealEnvelope } from '../../../src/platform/network/envelope.ts';
import { defaultLimits, type NetworkLimits } from '../../../src/platform/network/limits.ts';
import type { Announcement, Topic } from '../../../src/service/ports/network.ts';
import { openTopics, type Receive } from '../../../src/platform/network/topics.ts';
import { createGossipMetrics } from '../../../src/platform/network/metrics.ts';
import type { House } from '../../support/house.ts';

let counter = 0;

/** @param declared topics beside `test` */
export async function receiver(
  house: House,
  admitted: readonly KeyPair[],
  changed: Partial<NetworkLimits> = {},
  declared: Readonly<Record<string, Topic>> = {},
) {
  const limits = { ...defaultLimits, ...changed };
  const ids = new Set(admitted.map(({ publicKey }) => nodeIdOf(publicKey)));
  const policy = { isAdmitted: async (nodeId: string) => ids.has(nodeId), members: async () => [] };
  const admission = rememberAdmission(policy, house.clock);
  const heard: Announcement[] = [];
  const metrics = createGossipMetrics();
  const hear = async (announcement: Announcement): Promise<void> => void heard.push(announcement);
  const topics = new Map<string, { receive: Receive; topic: Topic }>([['test', { receive: hear, topic: {} }]]);
  for (const [type, topic] of Object.entries(declared)) topics.set(type, { receive: hear, topic });
  const sent: Uint8Array[] = [];
  const publish = (bytes: Uint8Array): void => void sent.push(bytes);
  const open = async (): Promise<Announcements> =>
    await openAnnouncements(house.ctx, limits, { admission, metrics, topics: openTopics(topics, limits), publish });
  return { announcements: await open(), heard, metrics, ids, admission, topics, open, sent };
}

export function said(by: KeyPair, timestamp: number, payload: unknown = null, type = 'test'): Uint8Array {
  return saidTogether(by, timestamp, [{ type, payload }]);
}

export function saidTogether(
  by: KeyPair,
  timestamp: number,
  announcements: readonly { readonly type: string; readonly payload: unknown }[],
): Uint8Array {
  const nonce = new Uint8Array(16);
  new DataView(nonce.buffer).setUint32(0, (counter += 1));
  const items = announcements.map(({ type, payload }) => sealableItem(type, payload));
  return sealEnvelope(by, { items, timestamp, nonce }).bytes;
}

/** What becomes of it: the refusal, or whether it was recorded. */
export async function take(to: Announcements, bytes: Uint8Array, way: 'gossip' | 'reconciled' = 'gossip') {
  const checked = await to.check(bytes, way);
  return typeof checked === 'string' ? checked : await to.accept(checked);
}
