import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { receiver, said, saidTogether, take } from './announcement-scene.ts';
import { slowly } from '../../support/real-time.ts';

const HOUR = 3_600_000;

describe.each(engines)('announcements on %s', (engine) => {
  it('that a receiver fails to handle come again, later each time, without the others of their envelope', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { open, topics, metrics } = await receiver(house, [author]);
    const tried: [unknown, number][] = [];
    const began = house.clock.now();
    let failures = 4;
    topics.set('test', {
      topic: {},
      receive: async ({ payload }) => {
        tried.push([payload, (house.clock.now() - began) / 1_000]);
        if (payload === 'bad' && failures > 0) throw new Error(`failure ${(failures -= 1)}`);
      },
    });
    const announcements = await open();
    const together = ['good', 'bad', 'fine'].map((payload) => ({ type: 'test', payload }));
    await take(announcements, saidTogether(author, began, together));
    await announcements.idle();
    for (const seconds of [5, 10, 20, 40, 80]) {
      house.clock.advance(seconds * 1_000 - 1);
      await announcements.handOutAgain();
      house.clock.advance(1);
      await announcements.handOutAgain();
    }
    const first = ['good', 'bad', 'fine'].map((payload) => [payload, 0]);
    expect(tried).toEqual([...first, ...[5, 15, 35, 75].map((at) => ['bad', at])]);
    await announcements.idle();
    expect(await house.ctx.db.selectFrom('gossip_unhandled').selectAll().execute()).toEqual([]);
    expect(metrics.read('handling_failed')).toBe(4);
    expect(metrics.read('given_up')).toBe(0);
  });

  it('that can never be handled are given up after 16 tries, also by several processes, and keep nobody waiting', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { open, topics, metrics, heard } = await receiver(house, [author]);
    let tries = 0;
    topics.set('test', {
      topic: {},
      receive: async (announcement) => {
        if (announcement.payload !== 'bad') return void heard.push(announcement);
        tries += 1;
        throw new TypeError('payload is bad');
      },
    });
    let announcements = await open();
    await take(announcements, said(author, house.clock.now(), 'bad'));
    for (let n = 0; n < 20; n += 1) {
      await take(announcements, said(author, house.clock.now(), n));
      await announcements.idle();
      house.clock.advance(HOUR);
      if (n % 5 === 0) announcements = await open();
      expect(await announcements.handOutAgain()).toBe(false);
    }
    expect(tries).toBe(16);
    expect(heard.map(({ payload }) => payload)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(metrics.read('given_up')).toBe(1);
    await announcements.idle();
    expect(await house.ctx.db.selectFrom('gossip_unhandled').selectAll().execute()).toEqual([]);
  });

  it('that end the process each time are given up too', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { open, topics, metrics } = await receiver(house, [author]);
    let tries = 0;
    let begun = (): void => undefined;
    topics.set('test', {
      topic: {},
      receive: async () => {
        tries += 1;
        begun();
        // As far as this process goes.
        await new Promise(() => undefined);
      },
    });
    expect(await take(await open(), said(author, house.clock.now()))).toBe(true);
    for (let restarts = 0; restarts < 20; restarts += 1) {
      const next = await open();
      const handing = new Promise<void>((resolve) => void (begun = resolve));
      await Promise.race([handing, next.handOutAgain()]);
      house.clock.advance(HOUR);
    }
    expect(tries).toBe(16);
    expect(metrics.read('given_up')).toBe(1);
  });

  it('that were recorded when the process ended are handled by the next one, if their author is still admitted', async () => {
    await using house = await openHouse(engine);
    const [author, removed] = [generateKeyPair(), generateKeyPair()];
    const { open, heard, topics, ids, admission } = await receiver(house, [author, removed]);
    topics.set('test', { topic: {}, receive: async () => await new Promise(() => undefined) });
    const killed = await open();
    expect(await take(killed, said(author, house.clock.now(), { n: 1 }))).toBe(true);
    expect(await take(killed, said(removed, house.clock.now(), { n: 2 }))).toBe(true);
    topics.set('test', { topic: {}, receive: async (announcement) => void heard.push(announcement) });
    ids.delete(nodeIdOf(removed.publicKey));
    admission.forget();
    const next = await open();
    await next.handOutAgain();
    await next.handOutAgain();
    expect(heard).toMatchObject([{ payload: { n: 1 } }]);
    expect(await house.ctx.db.selectFrom('gossip_unhandled').selectAll().execute()).toEqual([]);
  });

  it('of one topic do not wait for a slow receiver of another, neither new ones nor those that failed', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { open, topics, heard } = await receiver(house, [author], {}, { slow: {}, other: {} });
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => void (go = resolve));
    const slow: unknown[] = [];
    let failing = true;
    topics.set('slow', {
      topic: {},
      async receive({ payload }) {
        await held;
        slow.push(payload);
      },
    });
    topics.set('other', {
      topic: {},
      async receive(announcement) {
        if (announcement.payload === 'fails' && failing) throw new Error('not now');
        heard.push(announcement);
      },
    });
    const announcements = await open();
    const now = house.clock.now();
    const both = [
      { type: 'slow', payload: 1 },
      { type: 'other', payload: 'with the slow one' },
    ];
    await take(announcements, saidTogether(author, now, both));
    await take(announcements, said(author, now, 'fails', 'other'));
    await take(announcements, said(author, now, 2, 'slow'));
    const told = () => heard.map(({ payload }) => payload);
    await expect.poll(told).toEqual(['with the slow one']);
    const rows = async () => await house.ctx.db.selectFrom('gossip_unhandled').select(['next_at']).execute();
    await expect.poll(async () => (await rows()).filter(({ next_at: at }) => at > 0)).toHaveLength(1);
    failing = false;
    house.clock.advance(5_000);
    expect(await announcements.handOutAgain()).toBe(false);
    expect([told(), slow]).toEqual([['with the slow one', 'fails'], []]);

    // What is handed out again and slow keeps neither what is new nor what is due later.
    await take(announcements, said(author, house.clock.now(), 'new', 'other'));
    await expect.poll(told).toContain('new');
    let idle = false;
    const drained = announcements.idle().then(() => (idle = true));
    await take(announcements, said(author, house.clock.now(), 'newer', 'other'));
    await expect.poll(told).toContain('newer');
    expect(idle).toBe(false);
    go();
    await drained;
    expect(slow).toEqual([1, 2]);
    expect(await rows()).toEqual([]);
  });

  it('that are slow and handed out again are not handed out a second time meanwhile, and keep no others', async () => {
    await using house = await openHouse(engine);
    const author = generateKeyPair();
    const { open, topics } = await receiver(house, [author], {}, { slow: {}, other: {} });
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => void (go = resolve));
    const tried: unknown[] = [];
    let failing = true;
    const receive = async ({ type, payload }: { type: string; payload: unknown }) => {
      tried.push(payload);
      if (failing) throw new Error('not now');
      if (type === 'slow') await held;
    };
    topics.set('slow', { topic: {}, receive });
    topics.set('other', { topic: {}, receive });
    const announcements = await open();
    await take(announcements, said(author, house.clock.now(), 'slow', 'slow'));
    await announcements.idle();
    house.clock.advance(2_000);
    await take(announcements, said(author, house.clock.now(), 'other', 'other'));
    await announcements.idle();
    expect(tried).toEqual(['slow', 'other']);
    failing = false;
    house.clock.advance(3_000);
    const again = Promise.all([announcements.handOutAgain(), announcements.handOutAgain()]);
    await expect.poll(() => tried).toEqual(['slow', 'other', 'slow']);
    house.clock.advance(2_000);
    expect(await announcements.handOutAgain()).toBe(false);
    expect(tried).toEqual(['slow', 'other', 'slow', 'other']);
    house.clock.advance(HOUR);
    expect(await announcements.handOutAgain()).toBe(false);
    go();
    expect(await again).toEqual([false, false]);
    await announcements.idle();
    expect(tried).toHaveLength(4);
    expect(await house.ctx.db.selectFrom('gossip_unhandled').selectAll().execute()).toEqual([]);
  });

  it('of one author on one topic come in the order in which they were made, whatever comes between', async () => {
    await using house = await openHouse(engine);
    const authors = [generateKeyPair(), generateKeyPair()];
    const { open, heard, topics } = await receiver(house, authors, {}, { other: {} });
    for (const type of ['test', 'other'])
      topics.set(type, {
        topic: {},
        async receive(announcement) {
          // The first takes longer than the second.
          const slow = Math.floor(announcement.payload as number) % 2 === 0;
          await slowly(slow ? 10 : 0);
          heard.push(announcement);
        },
      });
    const announcements = await open();
    for (let n = 0; n < 10; n += 1)
      for (const author of authors)
        await take(
          announcements,
          saidTogether(author, house.clock.now(), [
            { type: 'other', payload: n },
            { type: 'test', payload: n },
            { type: 'test', payload: n + 0.5 },
          ]),
        );
    await announcements.idle();
    for (const { publicKey } of authors) {
      const of = (type: string) =>
        heard.filter((one) => one.type === type && one.nodeId === nodeIdOf(publicKey)).map(({ payload }) => payload);
      expect(of('other')).toEqual(Array.from({ length: 10 }, (_, n) => n));
      expect(of('test')).toEqual(Array.from({ length: 20 }, (_, n) => n / 2));
    }
  });
});
