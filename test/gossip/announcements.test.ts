import { describe, expect, it } from 'vitest';
import { generateKeyPair, type KeyPair } from '../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { rememberAdmission } from '../../src/gossip/admission.ts';
import { openAnnouncements, type Announcements, type Receive } from '../../src/gossip/announcements.ts';
import { sealEnvelope } from '../../src/gossip/envelope.ts';
import { defaultLimits, type NetworkLimits } from '../../src/gossip/limits.ts';
import type { Announcement } from '../../src/gossip/port.ts';
import { createGossipMetrics } from '../../src/gossip/metrics.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
let counter = 0;

async function receiver(house: House, admitted: readonly KeyPair[], limits: Partial<NetworkLimits> = {}) {
  const ids = new Set(admitted.map(({ publicKey }) => nodeIdOf(publicKey)));
  const policy = { isAdmitted: async (nodeId: string) => ids.has(nodeId), members: async () => [] };
  const admission = rememberAdmission(policy, house.clock);
  const heard: Announcement[] = [];
  const metrics = createGossipMetrics();
  const receivers = new Map<string, Receive>([['test', async (announcement) => void heard.push(announcement)]]);
  const announcements = await openAnnouncements(
    house.ctx,
    { ...defaultLimits, ...limits },
    { admission, metrics, receivers },
  );
  return { announcements, heard, metrics, ids, admission, receivers };
}

function said(by: KeyPair, timestamp: number, payload: unknown = null, type = 'test'): Uint8Array {
  const nonce = new Uint8Array(16);
  new DataView(nonce.buffer).setUint32(0, (counter += 1));
  return sealEnvelope(by, { type, payload, timestamp, nonce }).bytes;
}

/** What becomes of it: the refusal, or whether it was recorded. */
async function take(to: Announcements, bytes: Uint8Array, way: 'gossip' | 'reconciled' = 'gossip') {
  const checked = await to.check(bytes, way);
  return typeof checked === 'string' ? checked : await to.accept(checked);
}

describe.each(engines)('announcements on %s', (engine) => {
  it('are handed out once, also when they come again after a restart', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const before = await receiver(house, [author]);
    const bytes = said(author, house.clock.now(), { n: 1 });
    const [first, twin] = await Promise.all([take(before.announcements, bytes), take(before.announcements, bytes)]);
    expect([first, twin]).toContain(true);
    expect(await take(before.announcements, bytes)).toBe('refused_replay');
    await before.announcements.idle();
    expect(before.heard).toHaveLength(1);
    expect(before.heard[0]).toMatchObject({ payload: { n: 1 }, nodeId: nodeIdOf(author.publicKey) });

    const after = await receiver(house, [author]);
    expect(await take(after.announcements, bytes)).toBe('refused_replay');
    // Not kept for others any more, but still seen.
    await house.ctx.db.deleteFrom('gossip_recent').execute();
    const later = await receiver(house, [author]);
    expect(await take(later.announcements, bytes, 'reconciled')).toBe(true);
    await later.announcements.idle();
    expect([after.heard, later.heard]).toEqual([[], []]);
    expect(later.metrics.read('refused_replay')).toBe(1);
  });

  it('are seen for as long as anybody would take them, and not handed out again', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    // Nothing is kept for others, so that nothing but what was seen knows them.
    const { announcements, heard } = await receiver(house, [author], { keptRows: 0 });
    const { keepMs, clockSkewMs } = defaultLimits;
    // As far in the future as it may be: it is taken for the longest time.
    const bytes = said(author, house.clock.now() + clockSkewMs);
    expect(await take(announcements, bytes)).toBe(true);
    for (const later of [clockSkewMs, keepMs - 1, 1]) {
      house.clock.advance(later);
      await announcements.purge();
      expect(announcements.index.size).toBe(0);
      expect(typeof (await announcements.check(bytes, 'reconciled'))).not.toBe('string');
      await take(announcements, bytes, 'reconciled');
      await announcements.idle();
      expect(heard).toHaveLength(1);
    }
    house.clock.advance(1);
    expect(await take(announcements, bytes, 'reconciled')).toBe('refused_clock');
    await announcements.purge();
    expect(await house.ctx.db.selectFrom('gossip_seen').select('id').execute()).toEqual([]);
  });

  it('are refused by time, author, type, signature and number, and each is counted', async () => {
    await using house = await openHouse(engine);
    const [author, stranger] = [generateKeyPair(), generateKeyPair()];
    const { announcements, metrics, heard } = await receiver(house, [author], { author: { burst: 3, perSecond: 0 } });
    const now = house.clock.now();
    const forged = said(author, now);
    forged[5] = (forged[5] ?? 0) ^ 1;
    expect(await take(announcements, said(author, now - 11 * MINUTE))).toBe('refused_clock');
    expect(await take(announcements, said(author, now + 11 * MINUTE))).toBe('refused_clock');
    expect(await take(announcements, said(author, now - DAY - 1), 'reconciled')).toBe('refused_clock');
    expect(await take(announcements, said(stranger, now))).toBe('refused_author');
    expect(await take(announcements, said(author, now, null, 'unheard_of'))).toBe('refused_type');
    expect(await take(announcements, forged)).toBe('refused_signature');
    expect(await take(announcements, said(author, now, 'x'.repeat(70_000)))).toBe('refused_size');
    expect(await take(announcements, new Uint8Array(100))).toBe('refused_format');
    expect(await take(announcements, said(author, now - 9 * MINUTE))).toBe(true);
    expect(await take(announcements, said(author, now - 23 * 60 * MINUTE), 'reconciled')).toBe(true);
    expect(await take(announcements, said(author, now))).toBe(true);
    expect(await take(announcements, said(author, now))).toBe('refused_rate');
    await announcements.idle();
    expect(heard).toHaveLength(3);
    const counted = ['clock', 'author', 'type', 'signature', 'size', 'format', 'rate'] as const;
    expect(counted.map((what) => metrics.read(`refused_${what}`))).toEqual([3, 1, 1, 1, 1, 1, 1]);
    expect(metrics.read('received')).toBe(3);
  });

  it('are accepted once their author is admitted', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { announcements, ids, admission } = await receiver(house, []);
    const bytes = said(author, house.clock.now());
    expect(await take(announcements, bytes)).toBe('refused_author');
    ids.add(nodeIdOf(author.publicKey));
    admission.forget();
    expect(await take(announcements, bytes)).toBe(true);
  });

  it('survive a receiver that fails', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { announcements, heard } = await receiver(house, [author]);
    heard.push = () => {
      delete (heard as { push?: unknown }).push;
      throw new Error('a receiver that fails');
    };
    await Promise.all([1, 2].map(async () => await take(announcements, said(author, house.clock.now()))));
    await announcements.idle();
    expect(heard).toHaveLength(1);
    expect(house.log.lines).toContainEqual(expect.objectContaining({ message: 'handling an announcement failed' }));
  });

  it('are forgotten after a day, and earlier when there are too many', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { announcements } = await receiver(house, [author], { keptRows: 2 });
    for (let at = 0; at < 5; at += 1) await take(announcements, said(author, house.clock.now() + at));
    const rows = async (table: 'gossip_recent' | 'gossip_seen'): Promise<number> =>
      (await house.ctx.db.selectFrom(table).select('id').execute()).length;
    expect([await rows('gossip_recent'), await rows('gossip_seen')]).toEqual([5, 5]);
    await announcements.purge();
    expect([await rows('gossip_recent'), await rows('gossip_seen'), announcements.index.size]).toEqual([2, 5, 2]);
    house.clock.advance(DAY + 11 * MINUTE);
    await announcements.purge();
    expect([await rows('gossip_recent'), await rows('gossip_seen'), announcements.index.size]).toEqual([0, 0, 0]);
  });

  it('of this node are recorded before they are sent, and refused above 64 KiB', async () => {
    await using house = await openHouse(engine);
    const { announcements, heard } = await receiver(house, []);
    const { id } = await announcements.seal('test', { n: 1 });
    expect(announcements.index.has(id)).toBe(true);
    await expect(announcements.seal('test', 'x'.repeat(65_536))).rejects.toMatchObject({
      code: 'ANNOUNCEMENT_TOO_LARGE',
    });
    expect(heard).toEqual([]);
  });

  it('of this node can be sealed one after another, whenever the one before is recorded', async () => {
    await using house = await openHouse(engine);
    const { announcements } = await receiver(house, []);
    // The next one is made in the very moment in which the one before is done.
    for (let n = 0; n < 20; n += 1) await announcements.seal('test', { n });
    expect(announcements.index.size).toBe(20);
  });

  it('may be made by a receiver that waits for them', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { announcements, receivers } = await receiver(house, [author]);
    const echoed: unknown[] = [];
    receivers.set('test', async ({ payload }) => {
      await announcements.seal('test', { echo: payload });
      echoed.push(payload);
    });
    for (const n of [1, 2]) expect(await take(announcements, said(author, house.clock.now(), n))).toBe(true);
    await announcements.idle();
    expect(echoed).toEqual([1, 2]);
    expect(announcements.index.size).toBe(4);
  });
});
