import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { receiver, said, saidTogether, take } from './announcement-scene.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

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
    await house.ctx.db.updateTable('gossip_envelopes').set({ envelope: null }).execute();
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
    expect(await house.ctx.db.selectFrom('gossip_envelopes').select('id').execute()).toEqual([]);
  });

  it('are refused by time, author, type, signature and number, and each is counted', async () => {
    await using house = await openHouse(engine);
    const [author, stranger] = [generateKeyPair(), generateKeyPair()];
    const { announcements, metrics, heard } = await receiver(house, [author], { topic: { burst: 3, perSecond: 0 } });
    const now = house.clock.now();
    const forged = said(author, now);
    forged[5] = (forged[5] ?? 0) ^ 1;
    expect(await take(announcements, said(author, now - 11 * MINUTE))).toBe('refused_clock');
    expect(await take(announcements, said(author, now + 11 * MINUTE))).toBe('refused_clock');
    expect(await take(announcements, said(author, now - DAY - 1), 'reconciled')).toBe('refused_clock');
    expect(await take(announcements, said(stranger, now))).toBe('refused_author');
    expect(await take(announcements, said(author, now, null, 'unheard_of'))).toBe('refused_type');
    expect(await take(announcements, forged)).toBe('refused_signature');
    expect(await take(announcements, said(author, now, 'x'.repeat(131_072)))).toBe('refused_size');
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
    const rows = async (): Promise<{ seen: number; kept: number; indexed: number }> => {
      const all = await house.ctx.db.selectFrom('gossip_envelopes').select('envelope').execute();
      const kept = all.filter(({ envelope }) => envelope !== null).length;
      return { seen: all.length, kept, indexed: announcements.index.size };
    };
    expect(await rows()).toEqual({ seen: 5, kept: 5, indexed: 5 });
    await announcements.purge();
    expect(await rows()).toEqual({ seen: 5, kept: 2, indexed: 2 });
    house.clock.advance(DAY + 11 * MINUTE);
    await announcements.purge();
    expect(await rows()).toEqual({ seen: 0, kept: 0, indexed: 0 });
  });

  it('of this node are recorded before they are sent, and refused above 64 KiB', async () => {
    await using house = await openHouse(engine);
    const { announcements, heard, sent } = await receiver(house, []);
    const announced = announcements.announce('test', { n: 1 });
    expect(sent).toEqual([]);
    await announced;
    expect([sent.length, announcements.index.size]).toEqual([1, 1]);
    await announcements.announce('test', 'x'.repeat(65_534));
    await expect(announcements.announce('test', 'x'.repeat(65_535))).rejects.toMatchObject({
      code: 'ANNOUNCEMENT_TOO_LARGE',
    });
    await expect(announcements.announce('unheard_of', 1)).rejects.toThrow('nobody declared the topic');
    expect(heard).toEqual([]);
  });

  it(
    'of this node can be made one after another, whenever the one before is recorded',
    { tags: 'thorough' },
    async () => {
      await using house = await openHouse(engine);
      const { announcements } = await receiver(house, []);
      // The next one is made in the very moment in which the one before is done.
      for (let n = 0; n < 20; n += 1) await announcements.announce('test', { n });
      expect(announcements.index.size).toBe(20);
    },
  );

  it('of this node travel together, in one row and under one signature, and arrive in the order of their topic', async () => {
    await using house = await openHouse(engine);
    await using other = await openHouse(engine);
    const from = await receiver(house, [], {}, { second: {} });
    const to = await receiver(other, [house.ctx.keys.identity], {}, { second: {} });
    const all = Array.from({ length: 300 }, (_, n) => ({ type: n % 2 === 0 ? 'test' : 'second', payload: { n } }));
    await Promise.all(all.map(async ({ type, payload }) => await from.announcements.announce(type, payload)));
    // 256 fit into one.
    expect([from.sent.length, from.announcements.index.size, from.metrics.read('announced')]).toEqual([2, 2, 300]);
    for (const bytes of from.sent) expect(await take(to.announcements, bytes)).toBe(true);
    await to.announcements.idle();
    for (const topic of ['test', 'second'])
      expect(to.heard.flatMap(({ type, payload }) => (type === topic ? [{ type, payload }] : []))).toEqual(
        all.filter(({ type }) => type === topic),
      );
    expect(new Set(to.heard.map(({ id }) => id)).size).toBe(300);
    expect(to.metrics.read('received')).toBe(300);
    expect(await other.ctx.db.selectFrom('gossip_envelopes').select('id').execute()).toHaveLength(2);
    expect(await take(to.announcements, from.sent[0]!)).toBe('refused_replay');
    // By their bytes, too: none is larger than others take.
    from.sent.length = 0;
    const large = Array.from({ length: 5 }, async () => await from.announcements.announce('test', 'x'.repeat(50_000)));
    await Promise.all(large);
    expect(from.sent).toHaveLength(3);
    for (const bytes of from.sent) expect(await take(to.announcements, bytes)).toBe(true);
  });

  it('of this node beyond the rate of their topic do not hold up the others', async () => {
    await using house = await openHouse(engine);
    await using other = await openHouse(engine);
    const declared = { busy: { rate: { burst: 2, perSecond: 1 } } };
    const from = await receiver(house, [], {}, declared);
    const to = await receiver(other, [house.ctx.keys.identity], {}, declared);
    const types = ['busy', 'busy', 'busy', 'test', 'busy', 'test'];
    await Promise.all(types.map(async (type, n) => await from.announcements.announce(type, n)));
    const became = [];
    for (const bytes of from.sent) became.push(await take(to.announcements, bytes));
    expect(became).toEqual([true, 'refused_rate']);
    await to.announcements.idle();
    expect(to.heard.map(({ payload }) => payload)).toEqual([0, 1, 3, 5]);
    // What was beyond it comes later, and nothing is lost.
    other.clock.advance(1_000);
    expect(await take(to.announcements, from.sent[1]!, 'reconciled')).toBe(true);
    await to.announcements.idle();
    expect(to.heard.map(({ payload }) => payload)).toEqual([0, 1, 3, 5, 2, 4]);
  });

  it('may be made by a receiver that waits for them', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { topics, open } = await receiver(house, [author]);
    const echoed: unknown[] = [];
    topics.set('test', {
      topic: {},
      async receive({ payload }) {
        await announcements.announce('test', { echo: payload });
        echoed.push(payload);
      },
    });
    const announcements = await open();
    for (const n of [1, 2]) expect(await take(announcements, said(author, house.clock.now(), n))).toBe(true);
    await announcements.idle();
    expect(echoed).toEqual([1, 2]);
    expect(announcements.index.size).toBeGreaterThanOrEqual(3);
  });
});

describe.each(engines)('topics on %s', (engine) => {
  it('have their own authors, size and rate, and the rest of an envelope is delivered', async () => {
    await using house = await openHouse(engine);
    const [one, two] = [generateKeyPair(), generateKeyPair()];
    const { announcements, heard, metrics } = await receiver(
      house,
      [one, two],
      {},
      {
        owned: { mayAnnounce: async (nodeId) => nodeId === nodeIdOf(one.publicKey) },
        short: { maxBytes: 10 },
        rare: { rate: { burst: 1, perSecond: 0 } },
      },
    );
    const now = house.clock.now();
    const together = ['owned', 'short', 'unheard_of', 'test'].map((type) => ({ type, payload: 'x'.repeat(9) }));
    expect(await take(announcements, saidTogether(two, now, together))).toBe(true);
    await announcements.idle();
    expect(heard.map(({ type }) => type)).toEqual(['test']);
    expect([metrics.read('refused_topic'), metrics.read('refused_type')]).toEqual([2, 1]);
    heard.length = 0;
    expect(await take(announcements, saidTogether(one, now, [{ type: 'owned', payload: 1 }]))).toBe(true);
    expect(await take(announcements, said(one, now, 'x'.repeat(8), 'short'))).toBe(true);
    // The rate is of each author and topic.
    for (const author of [one, two]) expect(await take(announcements, said(author, now, 1, 'rare'))).toBe(true);
    expect(await take(announcements, said(one, now, 2, 'rare'))).toBe('refused_rate');
    expect(await take(announcements, said(one, now, 2))).toBe(true);
    await announcements.idle();
    expect(heard.map(({ type }) => type)).toEqual(['owned', 'short', 'rare', 'rare', 'test']);
  });

  it('are kept and accepted for as long as they want, over a restart', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { announcements, heard, open, metrics } = await receiver(
      house,
      [author],
      {},
      { brief: { retentionMs: 60 * MINUTE } },
    );
    const now = house.clock.now();
    expect(await take(announcements, said(author, now, 1, 'brief'))).toBe(true);
    const mixed = ['brief', 'test'].map((type) => ({ type, payload: 2 }));
    expect(await take(announcements, saidTogether(author, now, mixed))).toBe(true);
    await announcements.idle();
    const late = saidTogether(author, now, mixed);
    house.clock.advance(60 * MINUTE);
    const again = await open();
    await again.purge();
    expect(again.index.size).toBe(2);
    house.clock.advance(1);
    await again.purge();
    expect(again.index.size).toBe(1);
    heard.length = 0;
    expect(await take(again, late, 'reconciled')).toBe(true);
    await again.idle();
    expect(heard.map(({ type }) => type)).toEqual(['test']);
    expect(metrics.read('refused_clock')).toBe(1);
  });

  it('that a node may not announce on are refused before anything is sent', async () => {
    await using house = await openHouse(engine);
    const declared = { owned: { mayAnnounce: async () => false }, short: { maxBytes: 10 } };
    const { announcements, sent } = await receiver(house, [], {}, declared);
    await expect(announcements.announce('owned', 1)).rejects.toMatchObject({ code: 'NOT_ADMITTED' });
    await expect(announcements.announce('short', 'x'.repeat(9))).rejects.toMatchObject({
      code: 'ANNOUNCEMENT_TOO_LARGE',
    });
    expect(sent).toEqual([]);
  });
});
