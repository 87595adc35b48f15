import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { drop, publish } from '../../../src/platform/realtime/publish.ts';
import { eventsAfter, positionOf } from '../../../src/platform/store/event-rows.ts';
import { eventually } from '../../support/eventually.ts';
import { engines, openTestStore } from '../../support/stores.ts';
import { hearingOn, listenerOf } from './hearing.ts';
import { sampleEvents } from './sample-topic.ts';

const { said, typing } = sampleEvents;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe.each(engines)('publishing on %s', (engine) => {
  it('numbers the events of each topic without a gap, also at once and where transactions fail', async () => {
    await using store = await openTestStore(engine);
    const { ctx } = hearingOn(store);
    const outcomes = await Promise.all(
      range(1, 40).map((number) =>
        transaction(ctx, async (tx) => {
          await publish(tx, `rooms:${number % 2}`, said, { number });
          if (number % 5 === 0) throw new Error('refused');
        }).then(
          () => 'done',
          () => 'refused',
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(32);
    for (const topic of ['rooms:0', 'rooms:1']) {
      const rows = await eventsAfter(store.db, topic, 0, 100);
      expect(rows.map(({ seq }) => seq)).toEqual(range(1, 16));
      expect(await positionOf(store.db, topic)).toBe(16);
    }
  });

  it('goes to listeners in the order of the numbers, after the commit, in a turn of its own', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const ann = listenerOf('ann');
    expect(await hub.topics.subscribe(ann, 'rooms:1')).toEqual({ position: 0 });
    await transaction(ctx, async (tx) => {
      await publish(tx, 'rooms:1', said, { number: 1 });
      await nextTurn();
      expect(ann.heard).toEqual([]);
    });
    // Whoever published is done, and nobody has heard of it yet.
    expect(ann.heard).toEqual([]);
    await Promise.all(range(2, 30).map((number) => transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number }))));
    await eventually(() => expect(ann.heard).toHaveLength(30));
    expect(ann.heard.map(({ seq }) => seq)).toEqual(range(1, 30));
    expect(ann.numbers.toSorted((one, other) => one - other)).toEqual(range(1, 30));
    expect(ann.heard[0]).toMatchObject({ type: 'room:said', topic: 'rooms:1', data: { number: 1 } });
    expect(ann.heard[0]!['timestamp']).toMatch(/^\d{4}-.*Z$/);
  });

  it('withholds events from some of those who hear the topic, whether they can be replayed or not', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const [ann, bob] = [listenerOf('ann'), listenerOf('bob')];
    for (const listener of [ann, bob]) await hub.topics.subscribe(listener, 'rooms:1');
    const withheldFrom = ['bob'];
    const tell = async (work: (tx: Context) => Promise<void>) => await transaction(ctx, work);
    await tell(async (tx) => await publish(tx, 'rooms:1', typing, { username: 'bob' }, { withheldFrom }));
    await eventually(() => expect(ann.heard).toHaveLength(1));
    await tell(async (tx) => await publish(tx, 'rooms:1', said, { number: 1 }, { withheldFrom }));
    await tell(async (tx) => await publish(tx, 'rooms:1', said, { number: 2 }));
    await eventually(() => expect(ann.heard.map(({ type }) => type)).toEqual([typing.name, said.name, said.name]));
    expect(bob.heard).toMatchObject([{ type: said.name, data: { number: 2 } }]);
  });

  it('says nothing of what was not committed, and of nothing twice', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const ann = listenerOf('ann');
    await hub.topics.subscribe(ann, 'rooms:1');
    const failed = transaction(ctx, async (tx) => {
      await publish(tx, 'rooms:1', said, { number: 1 });
      await publish(tx, 'rooms:1', typing, { username: 'bob' });
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 2 }));
    hub.topics.lookUp();
    await publish(ctx, 'rooms:1', typing, { username: 'bob' });
    await eventually(() => expect(ann.heard).toHaveLength(2));
    for (let i = 0; i < 10; i += 1) await nextTurn();
    expect(ann.heard.map(({ type, seq }) => [type, seq])).toEqual([
      ['room:typing', undefined],
      ['room:said', 1],
    ]);
  });

  it('sends what the schema knows and refuses what does not fit', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const ann = listenerOf('ann');
    await hub.topics.subscribe(ann, 'rooms:1');
    const whole = { number: 1, passwordHash: 'x' };
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, whole));
    await eventually(() => expect(ann.heard).toHaveLength(1));
    expect(ann.heard[0]!['data']).toEqual({ number: 1 });
    const publishing = (topic: string, data: unknown) =>
      transaction(ctx, (tx) => publish(tx, topic, said, data as { number: number }));
    await expect(publishing('rooms:1', { number: 'one' })).rejects.toThrow('room:said does not fit its schema');
    await expect(publishing('vaults:1', { number: 1 })).rejects.toThrow('room:said is no event of vaults:1');
    await expect(publishing('rooms:a b', { number: 1 })).rejects.toThrow('is no event of');
    await expect(publishing('rooms', { number: 1 })).rejects.toThrow('is no event of');
    await expect(publishing('rooms:1', { number: 1, text: 'x'.repeat(65_536) })).rejects.toThrow(RangeError);
    await expect(publish(ctx, 'rooms:1', said, { number: 1 })).rejects.toThrow('needs a transaction');
    await expect(drop(ctx, 'rooms:1', 'everybody')).rejects.toThrow('needs a transaction');
    await expect(publish(ctx, 'rooms:1', typing, { username: 'x'.repeat(7_000) })).rejects.toThrow(RangeError);
    expect(await positionOf(store.db, 'rooms:1')).toBe(1);
  });

  it('keeps the newest 5,000 events of a topic', async () => {
    await using store = await openTestStore(engine);
    const { ctx } = hearingOn(store);
    const rows = range(1, 5_099).map((seq) => ({
      topic: 'rooms:1',
      seq,
      name: said.name,
      data: `{"number":${seq}}`,
      created_at: 0,
    }));
    await store.transaction(async (db) => {
      for (let at = 0; at < rows.length; at += 1_000)
        await db
          .insertInto('events')
          .values(rows.slice(at, at + 1_000))
          .execute();
      await db.insertInto('event_topics').values({ topic: 'rooms:1', last_seq: 5_099, touched_at: 0 }).execute();
    });
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 5_100 }));
    expect((await eventsAfter(store.db, 'rooms:1', 0, 1))[0]?.seq).toBe(101);
  });
});

describe.each(engines)('dropping on %s', (engine) => {
  it('ends what a member hears, with what was published before and nothing after', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const [ann, bob] = [listenerOf('ann'), listenerOf('bob')];
    for (const listener of [ann, bob]) await hub.topics.subscribe(listener, 'rooms:1');
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 1 }));
    await eventually(() => expect(bob.numbers).toEqual([1]));
    await transaction(ctx, async (tx) => {
      await drop(tx, 'rooms:1', ['bob']);
      expect(hub.topics.subscriptionsOf(bob)).toBe(1);
    });
    // In the moment of the commit.
    expect(hub.topics.subscriptionsOf(bob)).toBe(0);
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 2 }));
    await publish(ctx, 'rooms:1', typing, { username: 'carl' });
    await eventually(() => expect(ann.numbers).toEqual([1, 2]));
    await eventually(() => expect(ann.heard).toHaveLength(3));
    expect(bob.heard).toHaveLength(1);
    await transaction(ctx, (tx) => drop(tx, 'rooms:1', 'everybody'));
    expect(hub.topics.subscriptionsOf(ann)).toBe(0);
  });

  it('of a transaction that fails drops nobody', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const ann = listenerOf('ann');
    await hub.topics.subscribe(ann, 'rooms:1');
    const failed = transaction(ctx, async (tx) => {
      await drop(tx, 'rooms:1', ['ann']);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(hub.topics.subscriptionsOf(ann)).toBe(1);
  });

  it('does not touch whoever came back, also for those who read of it later', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    // Another process, which is told of nothing and reads.
    const other = hearingOn(store);
    const [ann, bob] = [listenerOf('ann'), listenerOf('bob')];
    await other.hub.topics.subscribe(ann, 'rooms:1');
    await transaction(ctx, (tx) => drop(tx, 'rooms:1', ['bob', 'ann']));
    // Bob may again, and says that he heard nothing yet.
    expect(await other.hub.topics.subscribe(bob, 'rooms:1', 0)).toEqual({ position: 1 });
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 1 }));
    other.hub.topics.lookUp();
    await eventually(() => expect(bob.numbers).toEqual([1]));
    expect([ann.heard, other.hub.topics.subscriptionsOf(ann)]).toEqual([[], 0]);
    expect(hub.size).toBe(0);
  });
});
