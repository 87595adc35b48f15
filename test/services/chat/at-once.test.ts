import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { bothEngines } from '../../support/stores.ts';
import { openChat, said } from './scene.ts';

const five = [1, 2, 3, 4, 5];

describe.each(bothEngines)('conversations in which much happens at once on %s', (engine) => {
  it('begin once, however many begin them, and number what is said without a gap', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const sent = await Promise.all(
      five.map(async (at) => await (at % 2 === 0 ? scene.say(ann, bob, `${at}`) : scene.say(bob, ann, `${at}`))),
    );
    expect(new Set(sent.map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(sent.map(({ seq }) => seq).toSorted()).toEqual(five);
    const { db } = house.ctx;
    expect(await db.selectFrom('conversations').selectAll().execute()).toMatchObject([{ last_seq: 5 }]);
    expect(await db.selectFrom('conversation_places').selectAll().execute()).toHaveLength(2);
    expect(await db.selectFrom('room_members').selectAll().execute()).toHaveLength(2);
    expect(await db.selectFrom('room_key_epochs').selectAll().execute()).toHaveLength(1);
  });

  it('keep one message of those that are sent again, by the key of the request or by the id of the client', async () => {
    await using scene = await openChat(engine);
    const { ann, bob } = scene;
    const send = async (more: object, headers = {}) =>
      await scene.call(ann, 'POST', '', { recipientId: bob.memberId, content: 'Once', ...more }, headers);
    const keyed = await Promise.all(five.map(async () => await send({}, { 'idempotency-key': 'the-same' })));
    const named = await Promise.all(five.map(async (at) => await send({ clientId: 'mine', content: `Text ${at}` })));
    for (const answers of [keyed, named]) {
      expect(new Set(answers.map(said))).toEqual(new Set(['201 success']));
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    }
    const { conversationId } = keyed[0]!.body.data as ChatMessage;
    const { items } = await scene.ask(bob, 'GET', `/${conversationId}/messages`);
    expect(items.map(({ seq, clientId }: ChatMessage) => [seq, clientId])).toEqual([
      [1, null],
      [2, 'mine'],
    ]);
    // The id is one of its sender's: the other member may use it too.
    expect((await scene.say(bob, ann, 'Mine', { clientId: 'mine' })).seq).toBe(3);
    const reused = await send({ content: 'Other' }, { 'idempotency-key': 'the-same' });
    expect(said(reused)).toBe('409 IDEMPOTENCY_KEY_REUSED');
    // What was deleted is not sent again.
    await scene.ask(ann, 'DELETE', `/${conversationId}/messages/${named[0]!.body.data.id}`);
    expect((await send({ clientId: 'mine' })).body.data).toMatchObject({ seq: 2, deleted: true, content: null });
  });

  it('have each reaction and pin once', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'One');
    const path = `/${conversationId}/messages/${id}`;
    const reacted = await Promise.all(
      five.map(async () => await scene.call(bob, 'POST', `${path}/reactions`, { emoji: '👍' })),
    );
    expect(new Set(reacted.map(({ body }) => body.data.reactionId)).size).toBe(1);
    const pinned = await Promise.all(five.map(async () => await scene.call(bob, 'POST', `${path}/pin`)));
    expect(pinned.map(({ status }) => status)).toEqual(five.map(() => 200));
    // Whatever comes first, nothing of a deleted message is left.
    await Promise.all([
      scene.call(ann, 'DELETE', path),
      scene.call(ann, 'PUT', path, { content: 'Two' }),
      scene.call(bob, 'POST', `${path}/reactions`, { emoji: '👎' }),
      scene.call(bob, 'POST', `${path}/pin`),
    ]);
    for (const table of ['conversation_edits', 'conversation_reactions', 'conversation_pins'] as const)
      expect(await house.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
    expect(await scene.stored(ann)).toBe(0);
  });

  it('take so many messages of one member at once, and one more each second', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { burst } = chatLimits;
    await scene.say(ann, bob, 'First');
    // As if the others had been sent in the same moment.
    const now = house.clock.now();
    const busy = { busy_until: now + (burst - 2) * 1000 };
    await house.ctx.db.updateTable('conversation_places').set(busy).where('member_id', '=', ann.memberId).execute();
    const send = async (more: object = {}) =>
      await scene.call(ann, 'POST', '', { recipientId: bob.memberId, content: 'Again', ...more });
    const answers = await Promise.all(five.map(async () => await send()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429]);
    const refused = await send();
    expect(said(refused)).toBe('429 RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toBe('1');
    // Nobody else waits for that, nor the member elsewhere.
    await scene.say(bob, ann, 'I');
    house.clock.advance(-1);
    await scene.say(ann, cleo, 'Elsewhere');
    house.clock.advance(1000);
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
  });
});
