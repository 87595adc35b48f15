import { closeCodes } from '../../../src/contract/realtime/close-codes.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { silentLog } from '../../../src/base/log.ts';
import { limits } from '../../../src/platform/realtime/limits.ts';
import type { EventSource } from '../../../src/platform/realtime/feed.ts';
import { drop, publish } from '../../../src/platform/realtime/publish.ts';
import { createTopics } from '../../../src/platform/realtime/topics.ts';
import { purgeRealtime } from '../../../src/platform/realtime/retention.ts';
import { endSessions } from '../../../src/platform/store/backup/restore-backup.ts';
import { positionOf } from '../../../src/platform/store/event-rows.ts';
import type { EventRow } from '../../../src/platform/store/tables/events.ts';
import { eventually } from '../../support/eventually.ts';
import { engines, openTestStore } from '../../support/stores.ts';
import { hearingOn, listenerOf } from './hearing.ts';
import { sampleEvents } from './sample-topic.ts';

const { said, typing } = sampleEvents;
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
const hour = 3_600_000;

describe.each(engines)('resuming on %s', (engine) => {
  it('sends what was missed, in order, and then what happens', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const say = (number: number) => transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number }));
    for (const number of range(1, 70)) await say(number);
    const ann = listenerOf('ann');
    expect(await hub.topics.subscribe(ann, 'rooms:1', 3)).toEqual({ position: 70 });
    expect(ann.numbers).toEqual(range(4, 70));
    await say(71);
    await publish(ctx, 'rooms:1', typing, { username: 'bob' });
    await eventually(() => expect(ann.heard).toHaveLength(69));
    expect(ann.numbers).toEqual(range(4, 71));
    const bob = listenerOf('bob');
    expect(await hub.topics.subscribe(bob, 'rooms:1', 71)).toEqual({ position: 71 });
    expect(await hub.topics.subscribe(bob, 'rooms:2', 0)).toEqual({ position: 0 });
    expect(bob.heard).toEqual([]);
  });

  it('has no gap and no repeat while others publish, whoever comes and goes', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    // A second process on the same rows, which is told late or never.
    const other = hearingOn(store);
    let published = 0;
    const publishing = async () => {
      for (let i = 0; i < 60; i += 1) {
        await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 0 }));
        published += 1;
        if (i % 7 === 0) other.hub.topics.lookUp();
      }
    };
    const listening = async (at: typeof hub, name: string) => {
      const heard: number[] = [];
      let last = 0;
      for (let round = 0; round < 15; round += 1) {
        const listener = listenerOf(`${name} ${round}`);
        await at.topics.subscribe(listener, 'rooms:1', last);
        for (let turn = 0; turn < (round * 7) % 11; turn += 1) await nextTurn();
        listener.open = false;
        at.topics.forget(listener);
        expect(listener.heard.every(({ type }) => type === 'room:said')).toBe(true);
        heard.push(...listener.heard.map(({ seq }) => seq as number));
        last = heard.at(-1) ?? 0;
      }
      return heard;
    };
    const [one, two] = await Promise.all([
      listening(hub, 'one'),
      listening(other.hub, 'two'),
      publishing(),
      publishing(),
    ]);
    expect(published).toBe(120);
    for (const heard of [one, two]) expect(heard).toEqual(range(1, heard.length));
    const last = listenerOf('last');
    await other.hub.topics.subscribe(last, 'rooms:1', 0);
    expect(last.heard.map(({ seq }) => seq)).toEqual(range(1, 120));
  });

  it('says where events are missing, and goes on from there', async () => {
    await using store = await openTestStore(engine);
    let now = 1_800_000_000_000;
    const { hub, ctx } = hearingOn(store, { now: () => now });
    const say = (number: number) => transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number }));
    for (const number of range(1, 5)) await say(number);
    now += 37 * hour;
    for (const number of range(6, 8)) await say(number);
    expect(await purgeRealtime(ctx)).toEqual({ events: 5, topics: 0 });
    const resumed = async (after: number) => {
      const listener = listenerOf('ann');
      const subscribed = await hub.topics.subscribe(listener, 'rooms:1', after);
      hub.topics.forget(listener);
      return [listener.heard.map(({ type, seq }) => `${type} ${seq}`), subscribed?.position];
    };
    expect(await resumed(4)).toEqual([['resync 8'], 8]);
    expect(await resumed(5)).toEqual([['room:said 6', 'room:said 7', 'room:said 8'], 8]);
    // From the future: of a store that was put back, or made up.
    expect(await resumed(9)).toEqual([['resync 8'], 8]);
    now += 37 * hour;
    expect(await purgeRealtime(ctx)).toEqual({ events: 3, topics: 0 });
    expect(await resumed(7)).toEqual([['resync 8'], 8]);
    expect(await resumed(8)).toEqual([[], 8]);
    now += 31 * 24 * hour;
    // The topic is forgotten, and its numbers are not given out again.
    expect(await purgeRealtime(ctx)).toEqual({ events: 0, topics: 1 });
    expect(await resumed(8)).toEqual([[], 8]);
    expect(await resumed(7)).toEqual([['resync 8'], 8]);
    await say(9);
    expect(await resumed(8)).toEqual([['room:said 9'], 9]);
    expect(await purgeRealtime(ctx)).toEqual({ events: 0, topics: 0 });
  });

  it('tells live listeners what they can not get any more, too', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const other = hearingOn(store);
    const ann = listenerOf('ann');
    await other.hub.topics.subscribe(ann, 'rooms:1');
    for (const number of range(1, 6)) await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number }));
    await store.db.deleteFrom('events').where('seq', '<=', 4).execute();
    other.hub.topics.reach('rooms:1', 6);
    await eventually(() => expect(ann.heard).toHaveLength(3));
    expect(ann.heard.map(({ type, seq }) => `${type} ${seq}`)).toEqual(['resync 4', 'room:said 5', 'room:said 6']);
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 7 }));
    await store.db.deleteFrom('events').execute();
    other.hub.topics.lookUp();
    await eventually(() => expect(ann.heard).toHaveLength(4));
    expect(ann.heard.at(-1)).toEqual({ type: 'resync', topic: 'rooms:1', seq: 7 });
    expect(hub.size).toBe(0);
  });

  it('of a store that was put back goes on with numbers that nobody has heard', async () => {
    await using store = await openTestStore(engine);
    const { hub, ctx } = hearingOn(store);
    const say = (topic: string) => transaction(ctx, (tx) => publish(tx, topic, said, { number: 1 }));
    for (let i = 0; i < 3; i += 1) await say('rooms:1');
    await endSessions(store);
    await say('rooms:1');
    await say('rooms:2');
    expect(await positionOf(store.db, 'rooms:1')).toBe(2 ** 32 + 4);
    for (const [topic, after] of [
      ['rooms:1', 3],
      ['rooms:1', 1_000],
      ['rooms:2', 0],
    ] as const) {
      const ann = listenerOf('ann');
      await hub.topics.subscribe(ann, topic, after);
      expect(ann.heard.map(({ type }) => type)).toEqual(['resync']);
    }
  });

  it('sends at most 1,000 events of a topic again', async () => {
    await using store = await openTestStore(engine);
    const { hub } = hearingOn(store);
    const rows = range(1, 1_001).map((seq) => ({
      topic: 'rooms:1',
      seq,
      name: said.name,
      data: `{"number":${seq}}`,
      created_at: 0,
      withheld: null,
    }));
    await store.transaction(async (db) => {
      await db.insertInto('events').values(rows).execute();
      await db.insertInto('event_topics').values({ topic: 'rooms:1', last_seq: 1_001, touched_at: 0 }).execute();
    });
    const [ann, bob] = [listenerOf('ann'), listenerOf('bob')];
    expect(await hub.topics.subscribe(ann, 'rooms:1', 1)).toEqual({ position: 1_001 });
    expect(ann.numbers).toEqual(range(2, 1_001));
    expect(await hub.topics.subscribe(bob, 'rooms:1', 0)).toEqual({ position: 1_001 });
    expect([bob.numbers, bob.heard.at(-1)]).toEqual([
      range(1, 1_000),
      { type: 'resync', topic: 'rooms:1', seq: 1_001 },
    ]);
  });

  it('ends where the right is taken in between', async () => {
    await using store = await openTestStore(engine);
    const { ctx } = hearingOn(store);
    for (const number of range(1, 3)) await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number }));
    // In another process, which reads of the drop before it hears of it.
    const other = hearingOn(store, {
      allows: async () => {
        await transaction(ctx, (tx) => drop(tx, 'rooms:1', ['ann']));
        await transaction(ctx, (tx) => publish(tx, 'rooms:1', said, { number: 5 }));
        return true;
      },
    });
    const ann = listenerOf('ann');
    expect(await other.hub.topics.subscribe(ann, 'rooms:1', 0)).toBeUndefined();
    expect(ann.numbers).toEqual([1, 2, 3]);
    expect(other.hub.topics.subscriptionsOf(ann)).toBe(0);
  });
});

/** Rows in memory whose reading waits until the test lets it, so that every order of things can be had. */
function heldSource() {
  const rows: EventRow[] = [];
  const waiting: (() => void)[] = [];
  const held = async <T>(read: () => T): Promise<T> => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return read();
  };
  const source: EventSource = {
    positionOf: () => held(() => rows.length),
    eventsAfter: (_topic, seq, limit) => held(() => rows.slice(seq, seq + limit)),
  };
  return { rows, source, release: () => waiting.shift()?.() };
}

describe('every order of reading and publishing', () => {
  it('gives every listener each event once, in order, from where it came in', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant('publish' as const) },
      { weight: 3, arbitrary: fc.constant('tell' as const) },
      { weight: 6, arbitrary: fc.constant('read' as const) },
      { weight: 1, arbitrary: fc.constant('resume' as const) },
      { weight: 1, arbitrary: fc.constant('subscribe' as const) },
      { weight: 1, arbitrary: fc.constant('signal' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 120 }), fc.nat(40), async (steps, before) => {
        const { rows, source, release } = heldSource();
        const topics = createTopics({ source, log: silentLog });
        topics.register('rooms', { allows: async () => true }, true);
        const untold: EventRow[] = [];
        const add = () => {
          const seq = rows.length + 1;
          const row = {
            topic: 'rooms:1',
            seq,
            name: said.name,
            data: `{"number":${seq}}`,
            created_at: 0,
            withheld: null,
          };
          rows.push(row);
          return row;
        };
        for (let i = 0; i < before; i += 1) add();
        const listeners: { listener: ReturnType<typeof listenerOf>; subscribed: Promise<unknown>; after?: number }[] =
          [];
        for (const [at, what] of steps.entries()) {
          if (what === 'publish') untold.push(add());
          // Told in another order than they were written, as it happens after commits.
          const told = what === 'tell' ? untold.splice(at % Math.max(1, untold.length), 1)[0] : undefined;
          if (told !== undefined)
            topics.deliver({
              kind: 'event',
              topic: 'rooms:1',
              seq: told.seq,
              text: JSON.stringify({ type: said.name, seq: told.seq, data: { number: told.seq } }),
            });
          if (what === 'read') release();
          if (what === 'signal') topics.reach('rooms:1', rows.length);
          if (what === 'resume' || what === 'subscribe') {
            const listener = listenerOf(`${at}`);
            const after = what === 'resume' ? at % (rows.length + 1) : undefined;
            const subscribed = topics.subscribe(listener, 'rooms:1', after);
            listeners.push({ listener, subscribed, ...(after !== undefined && { after }) });
          }
          if (at % 3 === 0) await nextTurn();
        }
        topics.reach('rooms:1', rows.length);
        const all = Promise.all(listeners.map(({ subscribed }) => subscribed));
        const state = { done: false };
        void all.then(() => (state.done = true));
        for (let idle = 0; idle < 20 || !state.done; idle += 1) {
          release();
          topics.reach('rooms:1', rows.length);
          await nextTurn();
        }
        for (const { listener, after } of listeners) {
          const from = (after ?? listener.numbers[0]! - 1) + 1;
          if (after !== undefined || listener.numbers.length > 0)
            expect(listener.numbers).toEqual(range(from, rows.length));
          expect(listener.heard.every(({ type }) => type === said.name)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('signals that were lost while a topic was read', () => {
  it('have it read again', async () => {
    const rows: EventRow[] = [];
    const add = () => {
      const seq = rows.length + 1;
      rows.push({ topic: 'rooms:1', seq, name: said.name, data: `{"number":${seq}}`, created_at: 0, withheld: null });
    };
    const answers: (() => void)[] = [];
    const source: EventSource = {
      positionOf: async () => rows.length,
      // What there is when it is asked, however late the answer comes.
      eventsAfter: async (_topic, seq, limit) => {
        const found = rows.slice(seq, seq + limit);
        await new Promise<void>((resolve) => answers.push(resolve));
        return found;
      },
    };
    const topics = createTopics({ source, log: silentLog });
    topics.register('rooms', { allows: async () => true }, true);
    const ann = listenerOf('ann');
    await topics.subscribe(ann, 'rooms:1');
    add();
    topics.lookUp();
    await eventually(() => expect(answers).toHaveLength(1));
    add();
    topics.lookUp();
    answers[0]?.();
    await eventually(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    await eventually(() => expect(ann.numbers).toEqual([1, 2]));
  });
});

describe('a reader that does not drain', () => {
  function lineOf(total: number) {
    const rows = range(1, total).map((seq): EventRow => {
      const data = JSON.stringify({ number: seq, text: 'x'.repeat(30_000) });
      return { topic: 'rooms:1', seq, name: said.name, data, created_at: 0, withheld: null };
    });
    const pauses = { count: 0, each: () => {} };
    const topics = createTopics({
      source: {
        positionOf: async () => rows.length,
        eventsAfter: async (_topic, seq, limit) => rows.slice(seq, seq + limit),
      },
      log: silentLog,
      pause: async () => {
        pauses.count += 1;
        pauses.each();
      },
    });
    topics.register('rooms', { allows: async () => true }, true);
    return { topics, pauses };
  }

  it('is sent what it missed as it reads, and never much more than it has read', async () => {
    const { topics, pauses } = lineOf(500);
    const ann = listenerOf('ann');
    let most = 0;
    const { send } = ann;
    ann.send = (text) => {
      send(text);
      ann.waiting += text.length;
      most = Math.max(most, ann.waiting);
    };
    pauses.each = () => (ann.waiting = Math.max(0, ann.waiting - 50_000));
    expect(await topics.subscribe(ann, 'rooms:1', 0)).toEqual({ position: 500 });
    expect(ann.numbers).toEqual(range(1, 500));
    expect(most).toBeLessThan(limits.unsentBeforeMore + 2 * limits.event);
  });

  it('is closed as too slow when nothing moves', async () => {
    const { topics, pauses } = lineOf(500);
    const ann = listenerOf('ann');
    const { send } = ann;
    ann.send = (text) => {
      send(text);
      ann.waiting += text.length;
    };
    expect(await topics.subscribe(ann, 'rooms:1', 0)).toBeUndefined();
    expect(ann.closedWith).toBe(closeCodes.tryAgainLater);
    expect(pauses.count).toBe(limits.drainTries);
    expect(ann.numbers.length).toBeLessThan(20);
  });
});
