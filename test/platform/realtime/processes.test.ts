import { createInterface } from 'node:readline';
import { execaNode } from 'execa';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { publish, publishToMany } from '../../../src/platform/realtime/publish.ts';
import {
  dropSignals,
  movedSignals,
  passingSignal,
  readSignal,
  spreadSignals,
} from '../../../src/platform/realtime/signals.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { eventually } from '../../support/eventually.ts';
import { bothEngines, createPostgresDatabase } from '../../support/stores.ts';
import { hearingOn, listenerOf, type Heard } from './hearing.ts';
import { sampleEvents } from './sample-topic.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function start(url: string) {
  const child = execaNode(await sharedBundle('test/platform/realtime/events-process.ts'), {
    env: { TEST_DATABASE: url },
    reject: false,
    buffer: false,
  });
  const heard: Heard[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line) as Heard));
  await eventually(() => expect(heard[0]).toEqual({ type: 'here' }));
  return {
    heard,
    numbers: () => heard.filter(({ type }) => type === 'room:said').map(({ data }) => data.number as number),
    tell: (...line: unknown[]) => child.stdin.write(`${JSON.stringify(line)}\n`),
    gone: child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child;
    },
  };
}

describe.runIf(bothEngines.includes('postgres'))('several processes on one PostgreSQL', () => {
  it('hear of what each publishes, in order, also of what one published and died', { timeout: 180_000 }, async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using store = await openPostgresDatabase(database.url);
    const { hub, ctx } = hearingOn(store);
    await using following = await hub.followOthers();
    expect(following).toBeDefined();
    const ann = listenerOf('ann');
    await hub.topics.subscribe(ann, 'rooms:1');
    await using child = await start(database.url);

    for (const number of range(1, 10)) child.tell('say', number);
    for (const number of range(11, 20))
      await transaction(ctx, (tx) => publish(tx, 'rooms:1', sampleEvents.said, { number }));
    child.tell('type');
    const seqs = (heard: readonly Heard[]) => heard.flatMap(({ seq }) => (seq === undefined ? [] : [seq as number]));
    await eventually(() => expect(seqs(ann.heard)).toEqual(range(1, 20)));
    await eventually(() => expect(seqs(child.heard)).toEqual(range(1, 20)));
    await eventually(() => expect(ann.heard.filter(({ type }) => type === 'room:typing')).toHaveLength(1));
    await eventually(() => expect(child.heard.filter(({ type }) => type === 'room:typing')).toHaveLength(1));
    await transaction(ctx, async (tx) =>
      publishToMany(tx, ['rooms:0', 'rooms:1', 'rooms:2'], sampleEvents.typing, { username: 'all' }),
    );
    await eventually(() => expect(ann.heard.filter(({ type }) => type === 'room:typing')).toHaveLength(2));
    await eventually(() => expect(child.heard.filter(({ type }) => type === 'room:typing')).toHaveLength(2));

    // Nobody is told of this one by whoever published it.
    child.tell('die', 21);
    await child.gone;
    await eventually(() => expect(seqs(ann.heard)).toEqual(range(1, 21)));
    expect(ann.numbers.at(-1)).toBe(21);

    // Whoever was connected there comes here, and says what they heard.
    await transaction(ctx, (tx) => publish(tx, 'rooms:1', sampleEvents.said, { number: 22 }));
    const moved = listenerOf('child');
    await hub.topics.subscribe(moved, 'rooms:1', seqs(child.heard).at(-1));
    expect(seqs(moved.heard)).toEqual([21, 22]);
  });

  it('take a topic away in the other process, before anything that comes later', { timeout: 180_000 }, async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using store = await openPostgresDatabase(database.url);
    const { hub } = hearingOn(store);
    await using following = await hub.followOthers();
    expect(following).toBeDefined();
    const [ann, bob] = [listenerOf('ann'), listenerOf('bob')];
    for (const listener of [ann, bob]) await hub.topics.subscribe(listener, 'rooms:1');
    await using child = await start(database.url);
    child.tell('say', 1);
    child.tell('drop', 2);
    child.tell('type');
    child.tell('say', 3);
    await eventually(() => expect(bob.numbers).toEqual([1, 2, 3]));
    await eventually(() => expect(bob.heard).toHaveLength(4));
    expect(hub.topics.subscriptionsOf(ann)).toBe(0);
    expect(ann.heard.every(({ data }) => data.number === 1)).toBe(true);
  });

  it('look everything up when the connection that listens was lost', { timeout: 180_000 }, async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using store = await openPostgresDatabase(database.url);
    await using elsewhere = await openPostgresDatabase(database.url);
    // Long ago by its clock: the looks at what is new see nothing of it.
    const publisher = hearingOn(elsewhere, { now: () => 0 });
    const { hub } = hearingOn(store);
    await using following = await hub.followOthers();
    expect(following).toBeDefined();
    const ann = listenerOf('ann');
    await hub.topics.subscribe(ann, 'rooms:1');
    Object.assign(publisher.ctx, { realtime: { ...publisher.hub, deliver: () => undefined } });
    await transaction(publisher.ctx, (tx) => publish(tx, 'rooms:1', sampleEvents.said, { number: 1 }));
    const { sql } = await import('kysely');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`.execute(elsewhere.db);
    await eventually(() => expect(ann.numbers).toEqual([1]));
  });
});

describe('signals between processes', () => {
  it('are read as they were written, and fit', () => {
    const moved = range(1, 500).map((number) => [`rooms:${'x'.repeat(100)}${number}`, number] as const);
    const signals = [...movedSignals('me', moved)];
    expect(signals.length).toBeGreaterThan(5);
    const read = signals.map(readSignal);
    expect(read.flatMap((signal) => (signal?.kind === 'moved' ? signal.topics : []))).toEqual(moved);
    const event = {
      kind: 'event',
      topic: 'rooms:1',
      seq: undefined,
      text: '{"type":"x","data":["a b\\n","ä"]}',
    } as const;
    expect(readSignal(passingSignal('me', event) ?? '')).toEqual({ kind: 'passing', from: 'me', event });
    const withheld = { ...event, withheldFrom: ['ann', 'bob'] };
    expect(readSignal(passingSignal('me', withheld) ?? '')).toEqual({ kind: 'passing', from: 'me', event: withheld });
    const whom = range(1, 600).map((number) => String(number).padStart(24, '0'));
    const drops = [...dropSignals('me', { topic: 'rooms:1', seq: 7, whom })];
    expect(drops.map(readSignal).flatMap((signal) => (signal?.kind === 'drop' ? signal.drop.whom : []))).toEqual(whom);
    expect(readSignal([...dropSignals('me', { topic: 'rooms:1', seq: 7, whom: 'everybody' })][0]!)).toEqual({
      kind: 'drop',
      from: 'me',
      drop: { kind: 'drop', topic: 'rooms:1', seq: 7, whom: 'everybody' },
    });
    const topics = range(1, 600).map((number) => `rooms:${number}`);
    const spread = { topics, name: 'rooms:told', data: '{"text":"a b\\n ä"}', created_at: 7 };
    const spreads = [...spreadSignals('me', spread)];
    const heard = spreads.map(readSignal).map((signal) => (signal?.kind === 'spread' ? signal.event : undefined));
    expect(heard.flatMap((told) => told?.topics)).toEqual(topics);
    expect(heard[0]).toEqual({ ...spread, topics: heard[0]?.topics });
    expect([...spreadSignals('me', { ...spread, topics: [] })]).toEqual([]);
    for (const signal of [...signals, ...drops, ...spreads]) expect(Buffer.byteLength(signal)).toBeLessThan(8_000);
  });

  it.each(['', 'x', '{}', '[]', '["new","me"]'])('that are none are nothing: %s', (payload) => {
    expect(readSignal(payload)).toBeUndefined();
  });
});
