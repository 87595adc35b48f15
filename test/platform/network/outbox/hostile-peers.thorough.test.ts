import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/base/problem.ts';
import { transaction } from '../../../../src/service/context.ts';
import { toHex, utf8 } from '../../../../src/crypto/bytes.ts';
import { sha256 } from '../../../../src/crypto/hash.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { signReceipts, type Statement } from '../../../../src/platform/network/outbox/receipt.ts';
import type { SentBatch } from '../../../../src/platform/network/outbox/wire.ts';
import { engines } from '../../../support/stores.ts';
import { openMailScene, type MailNode, type MailScene } from './mail-scene.ts';
import { until } from '../../../support/real-time.ts';

const DAY = 86_400_000;

/** A node of the pool that answers messages as it likes. */
async function liar(scene: MailScene, a: MailNode, answer: (batch: SentBatch, signer: KeyPair) => unknown) {
  const signer = generateKeyPair();
  const node = scene.network.node('liar', signer);
  node.port.respond('outbox', { strangers: false, answer: async (batch) => answer(batch as SentBatch, signer) });
  scene.pool.admitted.add(node.nodeId);
  scene.pool.keys.set(node.nodeId, toHex(signer.publicKey));
  await node.start(scene.pool);
  const message = { id: 'm1', body: 'm1', expiresAt: scene.now.at + DAY };
  await transaction(a.parts, async (tx) => await a.node.port.send(tx, node.nodeId, 'test', message));
  await scene.network.settled();
  return node;
}

describe.each(engines)('a receiver on %s', (engine) => {
  const honest = (scene: MailScene, a: MailNode, receiver: string): Statement => ({
    poolId: 'ab'.repeat(32),
    version: 1,
    sender: a.nodeId,
    receiver,
    channel: 'test',
    id: 'm1',
    bodyHash: toHex(sha256(utf8('"m1"'))),
    result: { outcome: 'acknowledged' },
    at: scene.now.at,
  });
  type Lie = (statement: Statement, signer: KeyPair) => unknown;
  const signed = (change: object) => (statement: Statement, signer: KeyPair) => ({
    outcomes: signReceipts(signer, [{ ...statement, ...change }]),
  });

  it('that signs truly is believed', async () => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    let nodeId = '';
    const node = await liar(scene, a, (_, signer) => signed({})(honest(scene, a, nodeId), signer));
    expect(await a.waiting()).toEqual(['m1']);
    nodeId = node.nodeId;
    scene.now.at += 10_000;
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 acknowledged']);
  });

  it.each([
    ['says that it failed', () => ({ outcomes: [], failed: true })],
    [
      'fails',
      () => {
        throw new Problem('internal', 'INTERNAL', 'The node could not answer the request.');
      },
    ],
  ])('that %s with several messages at once gets ever fewer of them, and more again later', async (_, fail) => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    const asked: string[] = [];
    let nodeId = '';
    const node = await liar(scene, a, ({ messages }, signer) => {
      asked.push(messages.map(({ id }) => id).join(' '));
      // The two that it can't take together are m2 and m3.
      if (nodeId === '' || asked.at(-1)?.includes('m2 m3') === true) return fail();
      const said = messages.map(({ id, body }) => ({
        ...honest(scene, a, nodeId),
        id,
        bodyHash: toHex(sha256(utf8(body))),
      }));
      return { outcomes: signReceipts(signer, said), failed: false };
    });
    await transaction(a.parts, async (tx) => {
      for (const id of ['m2', 'm3', 'm4', 'm5'])
        await a.node.port.send(tx, node.nodeId, 'test', { id, body: id, expiresAt: scene.now.at + DAY });
    });
    await scene.network.settled();
    asked.length = 0;
    nodeId = node.nodeId;
    scene.now.at += 3_600_000;
    await scene.look();
    expect(await a.waiting()).toEqual([]);
    expect((await a.outcomes()).filter((one) => one.endsWith(' acknowledged'))).toHaveLength(5);
    expect(asked).toEqual(['m1 m2 m3 m4 m5', 'm1 m2 m3', 'm1 m2', 'm3 m4 m5']);
  });

  const lies: [string, string, Lie][] = [
    ['another key', 'RECEIPT_INVALID', (said) => ({ outcomes: signReceipts(generateKeyPair(), [said]) })],
    ['another body', 'RECEIPT_INVALID', signed({ bodyHash: 'cd'.repeat(32) })],
    ['another sender', 'RECEIPT_INVALID', signed({ sender: '1'.repeat(40) })],
    ['another receiver', 'RECEIPT_INVALID', signed({ receiver: '1'.repeat(40) })],
    ['another channel', 'RECEIPT_INVALID', signed({ channel: 'other' })],
    ['another message', 'RECEIPT_INVALID', signed({ id: 'm2' })],
    ['another pool', 'RECEIPT_INVALID', signed({ poolId: 'cd'.repeat(32) })],
    ['a version without its name', 'RECEIPT_INVALID', signed({ version: 0 })],
    ['a version that nobody knows', 'LIST_UNKNOWN', signed({ version: 7 })],
    ['a part of the outcomes, although it did not fail', 'ANSWER_MALFORMED', () => ({ outcomes: [], failed: false })],
    [
      'an outcome that it did not sign',
      'RECEIPT_INVALID',
      (said, signer) => ({
        outcomes: signReceipts(signer, [said]).map((one) =>
          Object.assign(one, { result: { outcome: 'refused', code: 'NO', reason: '' } }),
        ),
      }),
    ],
    ['nothing', 'ANSWER_MALFORMED', () => null],
    ['no outcome at all', 'ANSWER_MALFORMED', () => ({ outcomes: [] })],
    ['an outcome of its own', 'ANSWER_MALFORMED', signed({ result: { outcome: 'eaten' } })],
    [
      'control characters',
      'ANSWER_MALFORMED',
      signed({ result: { outcome: 'refused', code: 'NO', reason: '\u001b[2J' } }),
    ],
    [
      'a long reason',
      'ANSWER_MALFORMED',
      signed({ result: { outcome: 'refused', code: 'NO', reason: 'x'.repeat(501) } }),
    ],
    [
      'more outcomes than messages',
      'ANSWER_MALFORMED',
      (said, signer) => ({ outcomes: signReceipts(signer, [said, said]) }),
    ],
  ];
  it.each(lies)('that answers with %s is not believed', async (_, code, lie) => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    let nodeId = '';
    const { directory } = scene.pool;
    const real = directory.keyAt;
    Object.assign(directory, {
      keyAt: async (...call: Parameters<typeof real>) => (call[2] === 1 ? await real(...call) : undefined),
    });
    const node = await liar(scene, a, (__, signer) => lie(honest(scene, a, nodeId), signer));
    nodeId = node.nodeId;
    scene.now.at += 10_000;
    await scene.look();
    expect([await a.outcomes(), await a.waiting()]).toEqual([[], ['m1']]);
    const row = await a.parts.db.selectFrom('outbox_queues').selectAll().executeTakeFirstOrThrow();
    expect(row.code).toBe(code);
  });

  it('keeps nothing of an answer but the receipt', async () => {
    await using scene = openMailScene(engine);
    const a = await scene.open('a');
    let nodeId = '';
    const node = await liar(scene, a, (_, signer) => ({
      outcomes: signReceipts(signer, [honest(scene, a, nodeId)]).map((one) =>
        Object.assign(one, { more: 'x'.repeat(9_999) }),
      ),
    }));
    nodeId = node.nodeId;
    scene.now.at += 10_000;
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 acknowledged']);
    const { receipt } = await a.parts.db.selectFrom('outbox_outcomes').select('receipt').executeTakeFirstOrThrow();
    expect(receipt).not.toContain('more');
  });
});

describe.each(engines)('a sender on %s', (engine) => {
  const message = (scene: MailScene, id: string, more: object = {}) => ({
    id,
    body: '1',
    expiresAt: scene.now.at + DAY,
    ...more,
  });

  it('is refused what is malformed, before anything is handled', async () => {
    await using scene = openMailScene(engine, { batch: { messages: 2, bytes: 100 }, bodyBytes: 100 });
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const good = message(scene, 'm1');
    const batches = [
      null,
      [],
      { channel: 'test' },
      { channel: 'test', messages: [] },
      { channel: 'TEST', messages: [good] },
      { channel: 'test', messages: [good, good] },
      { channel: 'test', messages: [good, { ...good, id: '' }] },
      { channel: 'test', messages: [good, { ...good, id: 'a b' }] },
      { channel: 'test', messages: [good, { ...good, id: 'm2', body: 'nothing' }] },
      { channel: 'test', messages: [good, { ...good, id: 'm2', body: `"${'x'.repeat(99)}"` }] },
      { channel: 'test', messages: [good, { ...good, id: 'm2', expiresAt: '2026' }] },
      { channel: 'test', messages: ['m1', 'm2', 'm3'].map((id) => message(scene, id)) },
    ];
    for (const batch of batches) {
      const asked = a.node.port.request({ nodeId: b.nodeId }, 'outbox', batch);
      await expect(asked).rejects.toMatchObject({ code: 'PEER_REFUSED', cause: { code: 'QUESTION_MALFORMED' } });
    }
    const large = { channel: 'test', messages: [message(scene, 'm1', { body: `"${'x'.repeat(9_999)}"` })] };
    const asked = a.node.port.request({ nodeId: b.nodeId }, 'outbox', large);
    await expect(asked).rejects.toThrow('The request is too large.');
    expect(await b.handled()).toEqual([]);
  });

  it('can not have an answer kept for ever', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const messages = [message(scene, 'm1', { expiresAt: Number.MAX_SAFE_INTEGER }), message(scene, 'm2')];
    const answer = await a.node.port.request({ nodeId: b.nodeId }, 'outbox', { channel: 'test', messages });
    expect(answer).toMatchObject({
      outcomes: [{ result: { outcome: 'refused', code: 'MESSAGE_EXPIRY_TOO_LATE' } }, { id: 'm2' }],
    });
    const kept = await b.parts.db.selectFrom('inbox_messages').select(['id', 'keep_until']).orderBy('id').execute();
    expect(kept).toEqual([
      { id: 'm1', keep_until: scene.now.at + 39 * DAY },
      { id: 'm2', keep_until: scene.now.at + 9 * DAY },
    ]);
  });

  it('can not have too many answers kept', async () => {
    await using scene = openMailScene(engine, { inboxRows: 2 });
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await a.send(b, ['m1', 'm2']);
    await scene.network.settled();
    await a.send(b, ['m3']);
    await scene.network.settled();
    expect([await b.handled(), await a.waiting()]).toEqual([['m1', 'm2'], ['m3']]);
    const row = await a.parts.db.selectFrom('outbox_queues').selectAll().executeTakeFirstOrThrow();
    expect(row.code).toBe('RATE_LIMITED');
  });

  it('has one batch of a channel handled at a time', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const ask = async (id: string) =>
      await a.node.port.request({ nodeId: b.nodeId }, 'outbox', { channel: 'test', messages: [message(scene, id)] });
    const running = new Set<string>();
    let most = 0;
    let isRefused = false;
    b.before({
      async handle(tx, { id }) {
        running.add(id);
        most = Math.max(most, running.size);
        // A transaction that does nothing for long is given up.
        await until(async () => {
          await sql`select 1`.execute(tx.db);
          return isRefused;
        });
        running.delete(id);
      },
    });
    // One may wait, because a sender that lost its connection comes again at once.
    const asking = [ask('m1'), ask('m2'), ask('m3')] as const;
    for (const one of asking) one.catch(() => (isRefused = true));
    const [first, second, third] = await Promise.allSettled(asking);
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toMatchObject({ status: 'fulfilled', value: { outcomes: [{ id: 'm2' }] } });
    expect(third).toMatchObject({ status: 'rejected', reason: { cause: { code: 'RATE_LIMITED' } } });
    expect([await b.handled(), most]).toEqual([[1, 1], 1]);
    expect(await ask('m3')).toMatchObject({ outcomes: [{ id: 'm3' }] });
  });

  it('that waits behind a batch and gives up leaves its place to the next', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const ask = async (id: string, signal?: AbortSignal) => {
      const batch = { channel: 'test', messages: [message(scene, id)] };
      return await a.node.port.request({ nodeId: b.nodeId }, 'outbox', batch, signal === undefined ? {} : { signal });
    };
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => void (go = resolve));
    const begun = new Promise<void>((resolve) => {
      b.before({
        async handle() {
          resolve();
          await held;
        },
      });
    });
    const first = ask('m1');
    await begun;
    const over = new AbortController();
    const second = ask('m2', over.signal);
    const outcome = second.catch((error: unknown) => error);
    over.abort(new Error('gave up'));
    expect(await outcome).toMatchObject({ message: 'gave up' });
    const third = ask('m3');
    go();
    expect([await first, await third]).toMatchObject([{ outcomes: [{ id: 'm1' }] }, { outcomes: [{ id: 'm3' }] }]);
    expect(await b.handled()).toHaveLength(2);
  });

  it('gets a kept outcome signed anew when the access list has changed', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const ask = async () => {
      const batch = { channel: 'test', messages: [message(scene, 'm1', { expiresAt: 1_800_000_000_000 })] };
      return (await a.node.port.request({ nodeId: b.nodeId }, 'outbox', batch)) as { outcomes: unknown[] };
    };
    const first = await ask();
    scene.now.at += 1;
    expect(await ask()).toEqual(first);
    scene.pool.version = 2;
    const anew = await ask();
    expect(anew).toMatchObject({ outcomes: [{ id: 'm1', version: 2, result: { outcome: 'refused' } }] });
    expect(anew).not.toEqual(first);
    expect(await ask()).toEqual(anew);
  });
});
