import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../../src/service/context.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { settle } from '../../../../src/platform/network/outbox/settle.ts';
import { createPatience } from '../../../../src/platform/network/outbox/patience.ts';
import { firstMessages, markSent } from '../../../../src/platform/network/outbox/outbox-rows.ts';
import { bothEngines, engines } from '../../../support/stores.ts';
import type { PeerTarget } from '../../../../src/service/ports/network.ts';
import { openMailScene, type MailNode, type MailScene } from './mail-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hour after hour, in which everything that is due is tried. */
async function pass(scene: MailScene, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    scene.now.at += HOUR + 1;
    await scene.look();
  }
}

/** Nothing between this node and others says that messages come apart, as before there was such a thing. */
function forgetApart({ node: { port } }: MailNode): void {
  const { request } = port;
  const without = (value: unknown) => ({ ...(value as object), apart: undefined });
  Object.assign(port, {
    request: async (peer: PeerTarget, protocol: string, payload: unknown) =>
      without(await request(peer, protocol, without(payload))),
  });
}

it.each(bothEngines)('what is due of a queue is read in the order of an index, on %s', async (engine) => {
  await using scene = openMailScene(engine);
  const { parts } = await scene.open('a', false);
  const plan = await parts.store.transaction(async (db) => {
    const { sql: text, parameters } = firstMessages(db, { nodeId: '1'.repeat(40), channel: 'test' }, 128).compile();
    const isLocal = engine === 'sqljs';
    if (!isLocal) await sql`set local enable_seqscan = off`.execute(db);
    const asked = CompiledQuery.raw(`explain ${isLocal ? 'query plan ' : ''}${text}`, [...parameters]);
    const { rows } = await db.executeQuery<Record<string, string>>(asked);
    return rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('outbox_messages_due');
  expect(plan).not.toMatch(/TEMP B-TREE|Sort/u);
});

describe.each(engines)('a message on %s', (engine) => {
  it('that can not be handled for a day is refused, and those after it arrive', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({
      handle: async (_, { id }) => {
        if (id === 'm2') throw new TypeError('undefined is not a subject');
      },
    });
    await a.send(b, ['m1', 'm2', 'm3'], { expiresAt: scene.now.at + 20 * DAY });
    await scene.network.settled();
    await pass(scene, 23);
    expect([await b.handled(), await a.waiting()]).toEqual([['m1'], ['m2', 'm3']]);
    await pass(scene, 1);
    expect([await b.handled(), await a.waiting()]).toEqual([['m1', 'm3'], []]);
    expect(await a.outcomes()).toEqual(['m1 acknowledged', 'm2 refused HANDLING_FAILED', 'm3 acknowledged']);
    expect(b.log.lines.filter(({ message }) => message.startsWith('a message was refused'))).toHaveLength(1);
  });

  it('that can not be handled stops no other where they do not wait for each other, and is refused after a day', async () => {
    await using scene = openMailScene(engine, { batch: { messages: 3, bytes: 100_000 } }, 'apart');
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({
      handle: async (tx, { id }) => {
        if (id === 'm1') throw new TypeError('undefined is not a subject');
        // An error that is hidden spoils the transaction.
        if (id === 'm3') await sql`insert into nowhere values (1)`.execute(tx.db).catch(() => undefined);
      },
    });
    const expiresAt = scene.now.at + 20 * DAY;
    await a.send(b, ['m1', 'm2', 'm3'], { expiresAt });
    await scene.network.settled();
    expect([await b.handled(), await a.waiting()]).toEqual([['m2'], ['m1', 'm3']]);
    // What comes later doesn't wait for the next attempt either.
    await a.send(b, ['m4'], { expiresAt });
    await scene.network.settled();
    expect([await b.handled(), await a.waiting()]).toEqual([
      ['m2', 'm4'],
      ['m1', 'm3'],
    ]);
    expect(await a.queue()).toMatchObject({ code: 'HANDLING_FAILED' });
    await pass(scene, 25);
    expect(await a.outcomes()).toEqual([
      'm2 acknowledged',
      'm4 acknowledged',
      'm1 refused HANDLING_FAILED',
      'm3 refused HANDLING_FAILED',
    ]);
    expect(b.log.lines.filter(({ message }) => message.startsWith('a message was refused'))).toHaveLength(2);
  });

  it('that fails comes again by itself, and many of them hold back no others', async () => {
    await using scene = openMailScene(engine, { batch: { messages: 3, bytes: 100_000 } }, 'apart');
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const tries = new Map<string, number>();
    b.before({
      handle: async (_, { id }) => {
        tries.set(id, (tries.get(id) ?? 0) + 1);
        if (id.startsWith('bad')) throw new TypeError('undefined is not a subject');
      },
    });
    const bad = Array.from({ length: 7 }, (_, at) => `bad${at}`);
    const expiresAt = scene.now.at + 20 * DAY;
    await a.send(b, [...bad, 'good1', 'good2', 'good3'], { expiresAt });
    await scene.network.settled();
    // A request in which nothing succeeds may be the fault of the node, so the next one waits for some seconds.
    for (let more = 0; more < 2; more += 1) {
      scene.now.at += 5_000;
      await scene.look();
    }
    expect([await b.handled(), await a.waiting()]).toEqual([['good1', 'good2', 'good3'], bad]);
    const before = [...tries.values()];
    await a.send(b, ['good4'], { expiresAt });
    await scene.network.settled();
    expect((await b.handled()).at(-1)).toBe('good4');
    expect([...tries.values()]).toEqual([...before, 1]);
    const row = await a.queue();
    expect(row).toMatchObject({ code: 'HANDLING_FAILED' });
    expect(row.next_at).toBeGreaterThan(scene.now.at);
    await pass(scene, 27);
    expect(await a.waiting()).toEqual([]);
    expect((await a.outcomes()).filter((one) => one.startsWith('bad'))).toHaveLength(7);
    // Ever more rarely, and once more each hour in the end.
    for (const id of bad) expect(tries.get(id)).toBeLessThan(40);
  });

  it.each([
    ['sender', 'a'],
    ['receiver', 'b'],
  ])('that can not be handled loses nothing with a %s of before', async (_, old) => {
    await using scene = openMailScene(engine, {}, 'apart');
    const a = await scene.open('a', false, old === 'a' ? 'kept' : 'apart');
    const b = await scene.open('b', true, old === 'b' ? 'kept' : 'apart');
    forgetApart(a);
    await a.start();
    b.before({
      handle: async (__, { id }) => {
        if (id === 'm2') throw new TypeError('undefined is not a subject');
      },
    });
    await a.send(b, ['m1', 'm2', 'm3'], { expiresAt: scene.now.at + 20 * DAY });
    await scene.network.settled();
    // What the sender doesn't know of was not handled either.
    const [others, waiting] = old === 'a' ? [['m1'], ['m2', 'm3']] : [['m1', 'm3'], ['m2']];
    expect([await b.handled(), await a.waiting()]).toEqual([others, waiting]);
    expect(await a.outcomes()).toEqual(others.map((id) => `${id} acknowledged`));
    expect(await a.queue()).toMatchObject({ code: 'HANDLING_FAILED' });
    await pass(scene, 25);
    expect((await a.outcomes()).toSorted()).toEqual([
      'm1 acknowledged',
      'm2 refused HANDLING_FAILED',
      'm3 acknowledged',
    ]);
  });

  it('is not given up because the store of the receiver fails', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({ handle: () => Promise.reject(new Problem('unavailable', 'STORE_BUSY', 'The store is busy.')) });
    await a.send(b, ['m1'], { expiresAt: scene.now.at + 20 * DAY });
    await scene.network.settled();
    await pass(scene, 48);
    expect(await a.waiting()).toEqual(['m1']);
    b.before({});
    await pass(scene, 1);
    expect(await a.outcomes()).toEqual(['m1 acknowledged']);
  });

  it('whose handler hides the error of a statement spoils no other', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({
      handle: async (tx, { id }) => {
        if (id === 'm2') await sql`insert into nowhere values (1)`.execute(tx.db).catch(() => undefined);
      },
    });
    await a.send(b, ['m1', 'm2', 'm3'], { expiresAt: scene.now.at + 20 * DAY });
    await scene.network.settled();
    expect([await b.handled(), await a.outcomes()]).toEqual([['m1'], ['m1 acknowledged']]);
    await pass(scene, 24);
    expect([await b.handled(), await a.waiting()]).toEqual([['m1', 'm3'], []]);
  });

  it('whose outcome can not be noted holds back no other, and nobody hears of it after a day', async () => {
    await using scene = openMailScene(engine, { batch: { messages: 2, bytes: 100_000 } });
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    a.before({
      note: async (tx, { id }) => {
        if (id === 'm2') throw new TypeError('undefined is not a subject');
        // An error that is hidden spoils the transaction.
        if (id === 'm4') await sql`insert into nowhere values (1)`.execute(tx.db).catch(() => undefined);
      },
    });
    const expiresAt = scene.now.at + 20 * DAY;
    await a.send(b, ['m1', 'm2', 'm3', 'm4', 'm5'], { expiresAt });
    await scene.network.settled();
    const others = ['m1 acknowledged', 'm3 acknowledged', 'm5 acknowledged'];
    expect([await a.outcomes(), await a.waiting()]).toEqual([others, ['m2', 'm4']]);
    expect(await a.queue()).toMatchObject({ code: 'OUTCOME_NOT_RECORDED' });
    await pass(scene, 23);
    expect([await a.outcomes(), await a.waiting()]).toEqual([others, ['m2', 'm4']]);
    await pass(scene, 3);
    expect([await a.outcomes(), await a.waiting()]).toEqual([others, []]);
    expect(await b.handled()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    const kept = a.parts.db.selectFrom('outbox_outcomes').select('outcome').where('id', 'in', ['m2', 'm4']);
    expect(await kept.execute()).toEqual(Array.from({ length: 2 }, () => ({ outcome: '{"outcome":"acknowledged"}' })));
  });

  it('that leaves while it expires is not ended by this node alone', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a', false), await scene.open('b', false)];
    await a.send(b, ['m1', 'm2']);
    const { store, db } = a.parts;
    const [m1, m2] = await db.selectFrom('outbox_messages').selectAll().orderBy('place').execute();
    const places = [m1?.place ?? '', m2?.place ?? ''];
    const mark = async (those: string[], at: number) =>
      (await store.transaction(async (tx) => await markSent(tx, those, at))).map(({ place }) => place);
    expect(await mark(places.slice(0, 1), 5)).toEqual(places.slice(0, 1));
    const result = { outcome: 'expired', code: 'NOT_SENT', reason: '' } as const;
    const noting = { notes: new Map(), patience: createPatience({ now: () => 0 }) };
    const ending = [m1!, m2!].map((message) => ({ message, result, receipt: undefined, unsent: true }));
    const { settled } = await settle(a.parts, noting, ending);
    expect(settled.map(({ message }) => message.id)).toEqual(['m2']);
    expect(await a.waiting()).toEqual(['m1']);
    // What has ended does not leave any more.
    expect(await mark(places, 6)).toEqual([]);
  });

  it('whose channel can not note its end keeps no other from ending', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a', false), await scene.open('b', false)];
    const noted: string[] = [];
    a.node.port.onOutcome('other', async (_, { id }) => void noted.push(id));
    a.before({ note: async (_, { id }) => await (id === 'm3' ? undefined : Promise.reject(new Error('no'))) });
    const expiresAt = scene.now.at + HOUR;
    await a.send(b, ['m1', 'm2'], { expiresAt });
    await a.send(b, ['m3'], { expiresAt });
    await transaction(a.parts, async (tx) => {
      await a.node.port.send(tx, b.nodeId, 'other', { id: 'o1', body: 1, expiresAt: expiresAt + 1 });
    });
    scene.now.at += 2 * HOUR;
    await a.start();
    await scene.look();
    expect([noted, await a.waiting(), await a.outcomes()]).toEqual([['o1'], ['m1', 'm2'], ['m3 expired NOT_SENT']]);
    a.before({});
    await scene.look();
    expect(await a.outcomes()).toEqual(['m3 expired NOT_SENT', 'm1 expired NOT_SENT', 'm2 expired NOT_SENT']);
  });
});
