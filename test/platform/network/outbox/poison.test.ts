import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../../src/service/context.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { settle } from '../../../../src/platform/network/outbox/settle.ts';
import { createPatience } from '../../../../src/platform/network/outbox/patience.ts';
import { markSent } from '../../../../src/platform/network/outbox/outbox-rows.ts';
import { engines } from '../../../support/stores.ts';
import { openMailScene, type MailScene } from './mail-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hour after hour, in which everything that is due is tried. */
async function pass(scene: MailScene, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    scene.now.at += HOUR + 1;
    await scene.look();
  }
}

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

  it('whose outcome can not be noted for a day does not hold back the others any longer', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    a.before({
      note: async (_, { id }) => {
        if (id === 'm2') throw new TypeError('undefined is not a subject');
      },
    });
    await a.send(b, ['m1', 'm2', 'm3'], { expiresAt: scene.now.at + 20 * DAY });
    await scene.network.settled();
    await pass(scene, 23);
    expect([await a.outcomes(), await a.waiting()]).toEqual([['m1 acknowledged'], ['m2', 'm3']]);
    await pass(scene, 1);
    expect([await a.outcomes(), await a.waiting()]).toEqual([['m1 acknowledged', 'm3 acknowledged'], []]);
    expect(await b.handled()).toEqual(['m1', 'm2', 'm3']);
    const kept = await a.parts.db.selectFrom('outbox_outcomes').select('outcome').where('id', '=', 'm2').execute();
    expect(kept).toEqual([{ outcome: '{"outcome":"acknowledged"}' }]);
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

  it('whose channel can not note its end keeps no other channel from ending', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a', false), await scene.open('b', false)];
    const noted: string[] = [];
    a.node.port.onOutcome('other', async (_, { id }) => void noted.push(id));
    a.before({ note: () => Promise.reject(new Error('no')) });
    const expiresAt = scene.now.at + HOUR;
    await a.send(b, ['m1', 'm2'], { expiresAt });
    await transaction(a.parts, async (tx) => {
      await a.node.port.send(tx, b.nodeId, 'other', { id: 'o1', body: 1, expiresAt: expiresAt + 1 });
    });
    scene.now.at += 2 * HOUR;
    await a.start();
    await scene.look();
    expect([noted, await a.waiting(), await a.outcomes()]).toEqual([['o1'], ['m1', 'm2'], []]);
    a.before({});
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 expired NOT_SENT', 'm2 expired NOT_SENT']);
  });
});
