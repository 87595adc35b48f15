import { describe, expect, it } from 'vitest';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';
import { openAnnouncements } from '../../../src/platform/network/announcements.ts';
import { sealableItem, sealEnvelope, type Envelope } from '../../../src/platform/network/envelope.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import type { Announcement } from '../../../src/service/ports/network.ts';
import { fetchMissing, type ReconcileOptions } from '../../../src/platform/network/reconcile.ts';
import { createGossipMetrics } from '../../../src/platform/network/metrics.ts';
import { openTopics } from '../../../src/platform/network/topics.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

/** A peer that says it has `offered`, and gives `given` whatever it is asked for. */
interface Peer {
  readonly offered: readonly string[];
  readonly given: readonly Uint8Array[];
}

/** A node, and how often it asks a peer for announcements. */
async function fetcher(house: House, author: KeyPair) {
  const policy = { isAdmitted: async (id: string) => id === nodeIdOf(author.publicKey), members: async () => [] };
  const heard: Announcement[] = [];
  const receive = async (announcement: Announcement): Promise<void> => void heard.push(announcement);
  const topics = openTopics(new Map([['test', { receive, topic: {} }]]), defaultLimits);
  const [metrics, admission] = [createGossipMetrics(), rememberAdmission(policy, house.clock)];
  const others = { admission, metrics, topics, publish: () => undefined };
  const announcements = await openAnnouncements(house.ctx, defaultLimits, others);
  const refused = new Set<string>();
  const pulled: string[][] = [];
  const penalised: string[] = [];

  async function fetchFrom({ offered, given }: Peer): Promise<number> {
    const ask: ReconcileOptions['ask'] = async (question) => {
      if (question.step === 'digests') return { digests: { 1: 'not the own one' } };
      if (question.step === 'ids') return { ids: offered };
      pulled.push(question.ids);
      return { envelopes: given.map((bytes) => Buffer.from(bytes).toString('base64')) };
    };
    const penalise = () => void penalised.push('penalised');
    const came = await fetchMissing({ announcements, db: house.ctx.db, metrics, refused, ask, penalise });
    await announcements.idle();
    return came;
  }

  const saidBy = (payload: unknown): Envelope =>
    sealEnvelope(author, {
      items: [sealableItem('test', payload)],
      timestamp: house.clock.now(),
      nonce: house.ctx.random(16),
    });
  return { announcements, heard, metrics, refused, pulled, penalised, fetchFrom, saidBy };
}

describe.each(engines)('reconciliation on %s', (engine) => {
  it('takes what the peer offered and was asked for, and nothing else that it gives', async () => {
    await using house = await openHouse(engine);
    const node = await fetcher(house, generateKeyPair());
    const [asked, pushed] = [node.saidBy('asked'), node.saidBy('pushed')];
    // As good as the other one, and nobody asked for it: a peer says no more than what it is asked.
    const came = await node.fetchFrom({ offered: [asked.id], given: [pushed.bytes, asked.bytes, asked.bytes] });
    expect(came).toBe(1);
    expect(node.heard.map(({ payload }) => payload)).toEqual(['asked']);
    expect(node.announcements.index.has(pushed.id)).toBe(false);
    const seen = await house.ctx.db.selectFrom('gossip_envelopes').select('id').execute();
    expect(seen).toEqual([{ id: asked.id }]);
    expect(node.metrics.read('reconciled')).toBe(1);
    // It was no crime, and it is taken from whoever offers it.
    expect(node.penalised).toEqual([]);
    expect(await node.fetchFrom({ offered: [pushed.id], given: [pushed.bytes] })).toBe(1);
  });

  it('looks at nothing that it did not ask for: it is neither refused nor held against the peer', async () => {
    await using house = await openHouse(engine);
    const node = await fetcher(house, generateKeyPair());
    const asked = node.saidBy('asked');
    const junk = new Uint8Array(200);
    expect(await node.fetchFrom({ offered: [asked.id], given: [junk, asked.bytes] })).toBe(1);
    expect([node.metrics.read('refused_format'), node.penalised, node.refused.size]).toEqual([0, [], 0]);
  });

  it('asks no second time for what the peer said it has and did not give', async () => {
    await using house = await openHouse(engine);
    const node = await fetcher(house, generateKeyPair());
    const [given, missing] = [node.saidBy('given'), node.saidBy('missing')];
    const peer = { offered: [given.id, missing.id], given: [given.bytes] };
    expect(await node.fetchFrom(peer)).toBe(1);
    // Once more for the rest, since an answer holds only so much; then no more.
    expect(node.pulled).toEqual([[given.id, missing.id], [missing.id]]);
    expect(node.refused).toEqual(new Set([missing.id]));
    node.pulled.length = 0;
    expect(await node.fetchFrom(peer)).toBe(0);
    expect(node.pulled).toEqual([]);
  });
});
