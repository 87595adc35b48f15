import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../../src/service/context.ts';
import { engines } from '../../../support/stores.ts';
import { openMailScene, type MailScene } from './mail-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(engines)('waiting messages on %s', (engine) => {
  it('are sent at once when the node connects', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    await a.send(b, ['m1']);
    await scene.network.settled();
    const row = await a.queue();
    expect(row).toMatchObject({ code: 'PEER_UNREACHABLE', attempts: 1, next_at: scene.now.at + 5_000 });
    await b.start();
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1']);
  });

  /** A node that stopped after it could not send to another one. */
  async function stopped(scene: MailScene) {
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    await a.send(b, ['m1']);
    await scene.network.settled();
    a.node.stop();
    await scene.network.settled();
    return [a, b] as const;
  }

  it('survive a restart with what is known of their attempts', async () => {
    await using scene = openMailScene(engine);
    const [a] = await stopped(scene);
    await a.start();
    await scene.look();
    const row = await a.queue();
    expect(row.attempts).toBe(1);
    scene.now.at += 5_000;
    await scene.look();
    expect((await a.queue()).attempts).toBe(2);
  });

  it('are sent at once when the node connects while this one starts, although an earlier attempt failed', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = await stopped(scene);
    await b.start();
    await a.start();
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1']);
  });

  it('end without a receipt when they expire before they left', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a', false), await scene.open('b')];
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await a.send(b, ['m2'], { expiresAt: scene.now.at + 2 * HOUR });
    scene.now.at += HOUR;
    await a.start();
    await scene.network.settled();
    await scene.look();
    expect((await a.outcomes()).toSorted()).toEqual(['m1 expired NOT_SENT', 'm2 acknowledged']);
    expect(await b.handled()).toEqual(['m2']);
    const m1 = await a.parts.db.selectFrom('outbox_outcomes').selectAll().where('id', '=', 'm1').executeTakeFirst();
    expect(m1?.receipt).toBeNull();
  });

  it('that could not leave end when they expire, also after many tries', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await scene.network.settled();
    scene.now.at += HOUR - 1;
    await scene.look();
    expect(await a.waiting()).toEqual(['m1']);
    scene.now.at += 1;
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 expired NOT_SENT']);
  });

  it('are not tried again for every new message while the node can not be reached', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    await Promise.all(Array.from({ length: 30 }, async (_, at) => await a.send(b, [`m${at}`])));
    await scene.network.settled();
    const row = await a.queue();
    expect(row).toMatchObject({ code: 'PEER_UNREACHABLE', attempts: 1, next_at: scene.now.at + 5_000 });
    expect(a.log.lines.filter(({ message }) => message === 'messages wait for a node')).toHaveLength(1);
  });

  it('are not tried again at once because another one came while they were tried', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    let tries = 0;
    b.before({
      handle: async () => {
        tries += 1;
        if (tries === 1) await a.send(b, ['m2']);
        throw new Error('not yet');
      },
    });
    await a.send(b, ['m1']);
    await scene.network.settled();
    expect(tries).toBe(1);
    expect(await a.queue()).toMatchObject({ code: 'HANDLING_FAILED', attempts: 1 });
    b.before({});
    scene.now.at += 5_000;
    await scene.look();
    expect(await b.handled()).toEqual(['m1', 'm2']);
  });

  it('that left are asked about after their expiry: handled is handled', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({ handle: async () => scene.network.cut('a', 'b') });
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await scene.network.settled();
    scene.now.at += 2 * HOUR;
    await scene.look();
    expect(await a.outcomes()).toEqual([]);
    await scene.network.heal('a', 'b');
    await scene.network.settled();
    expect(await a.outcomes()).toEqual(['m1 acknowledged']);
  });

  it('that left and come too late are expired by the word of the receiver', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({ handle: () => Promise.reject(new Error('not yet')) });
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await scene.network.settled();
    scene.now.at += 2 * HOUR;
    await scene.look();
    expect([await a.outcomes(), await b.handled()]).toEqual([['m1 expired MESSAGE_EXPIRED'], []]);
    const kept = await a.parts.db.selectFrom('outbox_outcomes').select('receipt').executeTakeFirstOrThrow();
    expect(JSON.parse(kept.receipt ?? '')).toMatchObject({ receiver: b.nodeId, result: { outcome: 'expired' } });
  });

  it('that left end a week after their expiry if nobody answers', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    b.before({ handle: async () => scene.network.cut('a', 'b') });
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await scene.network.settled();
    scene.now.at += HOUR + 7 * DAY - 1;
    await scene.look();
    expect(await a.outcomes()).toEqual([]);
    scene.now.at += 1;
    await scene.look();
    expect(await a.outcomes()).toEqual(['m1 expired NO_ANSWER']);
  });

  it('end as soon as the access list does not name the node any more', async () => {
    await using scene = openMailScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b', false), await scene.open('c', false)];
    await a.send(b, ['m1', 'm2']);
    await a.send(c, ['m3']);
    await scene.network.settled();
    expect(await a.outcomes()).toEqual([]);
    scene.pool.admitted.delete(b.nodeId);
    await a.node.port.admissionChanged();
    await scene.network.settled();
    expect(await a.outcomes()).toEqual(['m1 refused NOT_IN_POOL', 'm2 refused NOT_IN_POOL']);
    expect(await a.waiting()).toEqual(['m3']);
    await b.start();
    await scene.network.settled();
    expect(await b.handled()).toEqual([]);
  });

  it('of a node that the access list does not name are not handled', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    // The sender has not heard of its removal: only the receiver's list lacks it, and only when the transaction begins.
    const { directory } = scene.pool;
    const real = directory.standing;
    let asked = 0;
    Object.assign(directory, {
      standing: async (...call: Parameters<typeof real>) =>
        call[1] === a.nodeId && (asked += 1) > 1 ? 'absent' : await real(...call),
    });
    await a.send(b, ['m1']);
    await scene.network.settled();
    expect([await b.handled(), await a.waiting()]).toEqual([[], ['m1']]);
    const row = await a.queue();
    expect(row.code).toBe('NOT_ADMITTED');
  });

  it('are the same message when they have the same id, and only one body can have it', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    await a.send(b, ['m1', 'm1']);
    expect(await a.waiting()).toEqual(['m1']);
    await expect(a.send(b, ['m1'], { body: 'other' })).rejects.toMatchObject({ code: 'MESSAGE_ID_REUSED' });
    await b.start();
    await scene.network.settled();
    await a.send(b, ['m1']);
    await a.send(b, ['m1'], { body: 'other' }).catch(() => undefined);
    await scene.network.settled();
    await a.send(b, ['m1'], { body: 'other' });
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1']);
    expect((await a.outcomes()).at(-1)).toBe('m1 refused MESSAGE_ID_REUSED');
  });

  it('have a limit of number and size for each node, and there is room again when they are gone', async () => {
    await using scene = openMailScene(engine, { perNode: { messages: 3, bytes: 1_000 } });
    const [a, b, c] = [await scene.open('a'), await scene.open('b', false), await scene.open('c', false)];
    await a.send(b, ['m1', 'm2', 'm3']);
    await expect(a.send(b, ['m4'])).rejects.toMatchObject({ code: 'OUTBOX_FULL', kind: 'tooMany' });
    await a.send(c, ['big'], { body: 'x'.repeat(1_000) });
    await expect(a.send(c, ['m5'])).rejects.toMatchObject({ code: 'OUTBOX_FULL' });
    await b.start();
    await scene.network.settled();
    await a.send(b, ['m6']);
    await scene.network.settled();
    expect(await b.handled()).toEqual(['m1', 'm2', 'm3', 'm6']);
  });

  it('are not taken too large, expired, for too long, or without a network', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b', false)];
    const large = a.send(b, ['m1'], { body: 'x'.repeat(256 * 1024) });
    await expect(large).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    const late = a.send(b, ['m1'], { expiresAt: scene.now.at });
    await expect(late).rejects.toMatchObject({ code: 'MESSAGE_EXPIRED' });
    const long = a.send(b, ['m1'], { expiresAt: scene.now.at + 30 * DAY + 1 });
    await expect(long).rejects.toMatchObject({ code: 'MESSAGE_EXPIRY_TOO_LATE' });
    const off = { ...a.parts, config: { ...a.parts.config, network: { ...a.parts.config.network, enabled: false } } };
    const message = { id: 'm1', body: 1, expiresAt: scene.now.at + DAY };
    const offline = transaction(off, async (tx) => await a.node.port.send(tx, b.nodeId, 'test', message));
    await expect(offline).rejects.toMatchObject({ code: 'NETWORK_OFF' });
    expect(await a.waiting()).toEqual([]);
  });

  it('of a channel that the receiver does not know wait for it to learn', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const message = { id: 'm1', body: 1, expiresAt: scene.now.at + DAY };
    await transaction(a.parts, async (tx) => await a.node.port.send(tx, b.nodeId, 'new-channel', message));
    await scene.network.settled();
    const row = await a.queue();
    expect(row).toMatchObject({ channel: 'new-channel', code: 'CHANNEL_UNKNOWN' });
    expect(await b.parts.db.selectFrom('inbox_messages').selectAll().execute()).toEqual([]);
  });

  it('are forgotten on both sides when nobody can ask for them any more', async () => {
    await using scene = openMailScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await a.send(b, ['m1'], { expiresAt: scene.now.at + HOUR });
    await scene.network.settled();
    const kept = async () => [
      (await a.parts.db.selectFrom('outbox_outcomes').select('id').execute()).length,
      (await b.parts.db.selectFrom('inbox_messages').select('id').execute()).length,
    ];
    scene.now.at += HOUR + 8 * DAY;
    await scene.look();
    expect(await kept()).toEqual([1, 1]);
    // Old rows are deleted every ten minutes.
    scene.now.at += 600_000;
    await scene.look();
    expect(await kept()).toEqual([1, 0]);
    scene.now.at += 30 * DAY;
    await scene.look();
    expect(await kept()).toEqual([0, 0]);
    // The tables of the test itself are as they were.
    expect((await sql`select * from test_handled`.execute(b.parts.db)).rows).toHaveLength(1);
  });
});
