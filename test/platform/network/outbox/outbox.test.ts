import { describe, expect, it } from 'vitest';
import { transaction } from '../../../../src/service/context.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { engines } from '../../../support/stores.ts';
import { openMailScene, type MailNode, type MailScene } from './mail-scene.ts';

const DAY = 86_400_000;

/** Sends three messages, of which the second fails at its receiver, or its outcome at its sender, until the result is called. */
async function failAtSecond(scene: MailScene, [a, b]: [MailNode, MailNode], what: 'handle' | 'note') {
  let failing = true;
  const fail = async (_: unknown, { id }: { readonly id: string }) => {
    if (id === 'm2' && failing) throw new Error('out of order');
  };
  (what === 'handle' ? b : a).before({ [what]: fail });
  await a.send(b, ['m1', 'm2', 'm3']);
  await scene.network.settled();
  return () => void (failing = false);
}

describe.each(engines)('messages to a node on %s', (engine) => {
  it('arrive once, in the order of sending, and their signed outcomes are kept', async () => {
    await using scene = openMailScene(engine, { batch: { messages: 3, bytes: 1_000 } });
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await a.send(b, ['m1', 'm2', 'm3', 'm4']);
    await a.send(b, ['m5', 'm6', 'm7']);
    await scene.network.settled();
    const all = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];
    expect(await b.handled()).toEqual(all);
    expect(await a.outcomes()).toEqual(all.map((id) => `${id} acknowledged`));
    expect(await a.waiting()).toEqual([]);
    const kept = await a.parts.db.selectFrom('outbox_outcomes').selectAll().orderBy('id').execute();
    expect(kept.map(({ id }) => id)).toEqual(all);
    for (const { receipt, id } of kept)
      expect(JSON.parse(receipt ?? '')).toMatchObject({ sender: a.nodeId, receiver: b.nodeId, id, version: 1 });
  });

  it('are part of the transaction that sends them', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const failing = transaction(a.parts, async (tx) => {
      await a.node.port.send(tx, b.nodeId, 'test', { id: 'm1', body: 1, expiresAt: scene.now.at + DAY });
      throw new Error('not now');
    });
    await expect(failing).rejects.toThrow('not now');
    await scene.look();
    expect([await a.waiting(), await b.handled()]).toEqual([[], []]);
  });

  it('that the receiver refuses have its signed reason, and undo nothing else', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({
      handle: async (_, { id }) => {
        if (id === 'm2' || id === 'm4') throw new Problem('forbidden', 'FORBIDDEN', 'Not \u001b[31mhere.');
      },
    });
    await a.send(b, ['m1', 'm2', 'm3', 'm4', 'm5']);
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1', 'm3', 'm5']);
    expect(await a.outcomes()).toEqual([
      'm1 acknowledged',
      'm2 refused FORBIDDEN',
      'm3 acknowledged',
      'm4 refused FORBIDDEN',
      'm5 acknowledged',
    ]);
    const refused = await a.parts.db
      .selectFrom('outbox_outcomes')
      .select(['outcome', 'receipt'])
      .where('id', '=', 'm2')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(refused.outcome)).toMatchObject({ reason: 'Not [31mhere.' });
    expect(JSON.parse(refused.receipt ?? '')).toMatchObject({ result: { outcome: 'refused', code: 'FORBIDDEN' } });
  });

  it(
    'that failed come again later and hold back those after them, not those before',
    { tags: 'thorough' },
    async () => {
      await using scene = openMailScene(engine);
      const [a, b] = [await scene.open('a'), await scene.open('b')];
      const works = await failAtSecond(scene, [a, b], 'handle');
      expect([await b.handled(), await a.waiting()]).toEqual([['m1'], ['m2', 'm3']]);
      const pauses: number[] = [];
      for (let tried = 0; tried < 12; tried += 1) {
        const row = await a.queue();
        expect(row).toMatchObject({ code: 'HANDLING_FAILED', attempts: tried + 1 });
        pauses.push(row.next_at - scene.now.at);
        scene.now.at = row.next_at - 1;
        await scene.look();
        expect((await a.queue()).attempts).toBe(tried + 1);
        scene.now.at += 1;
        if (tried === 11) works();
        await scene.look();
      }
      // The tests' randomness is always in the middle of the jitter.
      expect(pauses.map((pause) => pause / 1_000)).toEqual([
        5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600,
      ]);
      expect(await b.handled()).toEqual(['m1', 'm2', 'm3']);
      expect(await a.parts.db.selectFrom('outbox_queues').selectAll().execute()).toEqual([]);
    },
  );

  it('are handled once also when the answer is lost, and get the receipt that was kept', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({ handle: async () => scene.network.cut('a', 'b') });
    await a.send(b, ['m1', 'm2']);
    await scene.network.settled();
    expect([await b.handled(), await a.outcomes()]).toEqual([['m1', 'm2'], []]);
    const kept = await b.parts.db.selectFrom('inbox_messages').select(['id', 'receipt']).orderBy('id').execute();
    scene.now.at += 1_000;
    await scene.network.heal('a', 'b');
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1', 'm2']);
    const got = await a.parts.db.selectFrom('outbox_outcomes').select(['id', 'receipt']).orderBy('id').execute();
    expect(got).toEqual(kept);
  });

  it('wait until their outcome is recorded, and are not handled again for that', { tags: 'thorough' }, async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const works = await failAtSecond(scene, [a, b], 'note');
    expect([await a.outcomes(), await a.waiting()]).toEqual([['m1 acknowledged', 'm3 acknowledged'], ['m2']]);
    works();
    scene.now.at += 10_000;
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 acknowledged', 'm3 acknowledged', 'm2 acknowledged']);
    expect(await b.handled()).toEqual(['m1', 'm2', 'm3']);
  });

  it('of the node itself arrive like any other, with a receipt, and whether or not anybody else is there', async () => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    a.before({
      handle: async (_, { id, nodeId }) => {
        expect(nodeId).toBe(a.nodeId);
        if (id === 'm2') throw new Problem('forbidden', 'FORBIDDEN', 'Not this one.');
      },
    });
    await a.send(a, ['m1', 'm2', 'm3']);
    await scene.network.settled();
    expect([await a.handled(), await a.waiting()]).toEqual([['m1', 'm3'], []]);
    expect(await a.outcomes()).toEqual(['m1 acknowledged', 'm2 refused FORBIDDEN', 'm3 acknowledged']);
    const kept = await a.parts.db.selectFrom('outbox_outcomes').selectAll().orderBy('id').execute();
    for (const { receipt, id } of kept)
      expect(JSON.parse(receipt ?? '')).toMatchObject({ sender: a.nodeId, receiver: a.nodeId, id });
    // Once, as others are.
    await a.send(a, ['m1']);
    await scene.network.settled();
    expect(await a.handled()).toEqual(['m1', 'm3']);
    const failing = transaction(a.parts, async (tx) => {
      await a.node.port.send(tx, a.nodeId, 'test', { id: 'm4', body: 4, expiresAt: scene.now.at + DAY });
      throw new Error('not now');
    });
    await expect(failing).rejects.toThrow('not now');
    const unknown = { id: 'm5', body: 5, expiresAt: scene.now.at + DAY };
    await transaction(a.parts, async (tx) => await a.node.port.send(tx, a.nodeId, 'unknown', unknown));
    await scene.look();
    expect(await a.handled()).toEqual(['m1', 'm3']);
    const [row] = await a.parts.db.selectFrom('outbox_queues').selectAll().execute();
    expect(row).toMatchObject({ channel: 'unknown', code: 'CHANNEL_UNKNOWN' });
  });

  it('of the node itself are not handled when the access list does not name it', async () => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    scene.pool.admitted.delete(a.nodeId);
    await a.send(a, ['m1']);
    await scene.network.settled();
    expect([await a.handled(), await a.outcomes()]).toEqual([[], ['m1 refused NOT_IN_POOL']]);
  });

  it('do not make those collide that send at the same time', { tags: 'thorough' }, async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await Promise.all(Array.from({ length: 40 }, async (_, at) => await a.send(b, [`m${at}-1`, `m${at}-2`])));
    await scene.network.settled();
    await scene.look();
    const handled = (await b.handled()) as string[];
    expect(handled).toHaveLength(80);
    expect(new Set(handled).size).toBe(80);
    for (let at = 0; at < 40; at += 1) expect(handled.indexOf(`m${at}-1`)).toBeLessThan(handled.indexOf(`m${at}-2`));
  });
});
